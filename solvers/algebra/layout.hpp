// Places of the unknowns of a system: [field][unknown] in one process, [field][owned | ghosts] over ranks. Vectors of
// solvers hold the owned unknowns, one field after the other. Equations and rows of matrices read the ghosts, too: the
// unknowns of other ranks that they reach, which the layout fetches.
//
//   const Layout alone(std::array{velocity.unknown_count(), pressure.unknown_count()});    // one process
//   Vector p = alone.part(x, 1);   ...   alone.put(p, 1, x);
//   const Layout shared({{.nodes = 40, .width = 3, .ghosts = a}, {.nodes = 40, .ghosts = b}});
//   Vector room;   const Vector& all = shared.with_ghosts(x, room);                 // all ranks together
#pragma once

#include "device/array.hpp"
#include "solvers/algebra/ghosts.hpp"
#include "solvers/algebra/linear_operator.hpp"
#include "solvers/algebra/rank_rows.hpp"

#include <memory>
#include <span>
#include <vector>

namespace ritz {

class Layout {
 public:
  struct Field {
    Index nodes = 0;                                 // owned
    int width = 1;                                   // unknowns of a node
    std::shared_ptr<const Ghosts> ghosts = nullptr;  // null: one process has all nodes
    bool operator==(const Field&) const = default;
  };

  Layout() = default;
  explicit Layout(std::span<const Index> sizes);  // [field] unknowns, of one process
  explicit Layout(std::vector<Field> fields);     // of all fields with ghosts, or of none

  int count() const { return static_cast<int>(fields_.size()); }
  Index first(int field) const { return first_.at(static_cast<std::size_t>(field)); }
  Index size(int field) const { return first(field + 1) - first(field); }
  Index total() const { return first_.back(); }
  int field_at(Index unknown) const;  // which has the unknown
  bool operator==(const Layout&) const = default;

  // Throw Error: Exit::internal where sizes differ.
  Vector part(const Vector& whole, int field, const char* tag = "vectors") const;
  void take(const Vector& whole, int field, Vector& part) const;  // part = field of whole
  void put(const Vector& part, int field, Vector& whole) const;   // field of whole = part
  void check(const Vector& whole) const;

  bool is_divided() const { return !fields_.empty() && fields_.front().ghosts != nullptr; }
  const Ghosts* ghosts(int field) const { return fields_.at(static_cast<std::size_t>(field)).ghosts.get(); }
  int width(int field) const { return fields_.at(static_cast<std::size_t>(field)).width; }
  Ranks& ranks() const { return ghosts(0)->ranks(); }  // of a layout that is divided
  Index size_over_all(int field) const;                // unknowns of all ranks
  Layout local() const;                                // [field][owned | ghosts], as this rank numbers them

  // x [field][owned] with the values of ghosts, in `room`; x itself in one process.
  const Vector& with_ghosts(const Vector& x, Vector& room) const;
  void fetch(int field, const Vector& owned, Vector& all) const;  // of one field
  void keep_owned(const Vector& all, Vector& x) const;            // the way back: ghosts are left out
  // y = A x of a matrix whose rows and columns are those of local().
  void apply(const LinearOperator& A, const Vector& x, Vector& y) const;
  // [field][owned | ghosts] number among the unknowns of all ranks: rank after rank, there field after field.
  std::vector<Index> global_numbers() const;
  // Vectors of all unknowns, field after field, which every rank has. Rows of one field.
  RankRows rows(int field) const;
  void own(const Vector& whole, Vector& x) const;  // x = this rank's of whole; no messages
  Vector gathered(const Vector& x) const;          // the way back; all ranks call it

 private:
  Layout whole() const;

  std::vector<Field> fields_;
  std::vector<Index> first_{0};  // [field + 1] owned unknowns
};

}  // namespace ritz
