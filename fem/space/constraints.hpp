// Affine constraints u = T v + g: prescribed values of unknowns, and linear equations by which unknowns depend on
// others. One rule eliminates both: T^T K T with empty rows and columns of the unknowns that are not in v, so the
// symmetry stays; the right-hand side is a residual that already knows the prescribed values. Copies share their
// contents.
//
//   Constraints fixed(space);
//   fixed.prescribe(region, 0, 0.0, "[[displacement]] #1 at case.toml:12");
//   fixed.relate(equations);     // fem/space/linear_equations.hpp
//   fixed.finish();              // throws when two sources disagree
//   fixed.set_values(u);         // u satisfies all constraints
//   fixed.gather(r);  fixed.set_zero(r);  fixed.eliminate(K, pivot);  // then K dv = -r
//   fixed.set_linear(dv);        // dv moves dependent unknowns, too: u + dv satisfies the constraints
#pragma once

#include "device/function_ref.hpp"
#include "fem/forms/point_function.hpp"
#include "fem/space/dependent_unknowns.hpp"
#include "fem/space/region_nodes.hpp"
#include "fem/space/supports.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ritz {

struct DependentNodeRows;  // solvers/multigrid/divided_transform.hpp

class Constraints final : public Supports {
 public:
  explicit Constraints(const FunctionSpace& space);

  // All nodes of the space on the region; messages name `source` as the origin.
  void prescribe(const Region& region, int component, double value, const std::string& source);
  void prescribe_nodes(std::span<const Node> nodes, int component, double value, const std::string& source);
  // The function's values at the nodes of the space on the region: those at t = 0, until set_time() says another time.
  void prescribe(const Region& region, int component, const PointFunction& value, const std::string& source);
  // Marked unknowns, at zero: [unknown] 1.
  void prescribe(std::span<const std::uint8_t> marks, const std::string& source);
  // A value for each node. Values that differ by no more than rounding from those of another source, which is that of
  // formulas where regions meet, are no conflict: the first holds.
  void prescribe_nodes(std::span<const Node> nodes, int component, std::span<const double> values,
                       const std::string& source);
  // Nodes of the mesh, where they are the space's (isoparametric() says so; else Error: Exit::internal). Those without
  // unknowns are passed over.
  void prescribe(std::span<const Node> mesh_nodes, int component, double value, const std::string& source);

  // Equations between unknowns. finish() chooses which of their unknowns become dependent: none that is prescribed.
  void relate(LinearEquations equations);
  // Over ranks, on a part of a space whose nodes are [owned | ghosts]: rows of T instead of equations, all ranks
  // together. Either for owned nodes and for ghosts, which are passed over: a matrix is another's to transform, and
  // functions of vectors take owned unknowns. Or of nodes that follow nodes of the part, without prescribed unknowns,
  // which offsets have: functions of vectors take those of the part.
  void relate(const DependentNodeRows& rows, const Ghosts& ghosts);
  void relate(DependentRows rows);
  // On a part, once it is finished: prescribed values and offsets from the constraints of the whole space, which every
  // rank has. follow(): set_time() then sets the time of theirs, too.
  void take_values(const Constraints& whole);
  void follow(const Constraints& whole) { contents_->whole = whole.contents_; }

  // Uploads what was prescribed, resolves the equations and tells the space what they join. Equal values from several
  // sources merge; different values on one unknown are an Error: Exit::model that names the node, its position, the
  // component, and both sources; so are equations that contradict each other or the prescribed values.
  void finish();
  // Afterwards, rows of equations between fields (FieldsConstraints), which eliminate unknowns, too. first: number of
  // the first unknown of this field.
  void add_between_fields(const DependentRows& rows, Index first);

  void set_time(double t) override;
  bool varies_in_time() const override {
    return !(contents_->whole != nullptr ? *contents_->whole : *contents_).varying.empty();
  }

  Index count() const { return std::ssize(contents_->prescribed); }  // of prescribed unknowns
  bool all_zero() const;                                             // is no other value prescribed, at any time?
  bool is_prescribed(Node node, int component) const { return contents_->host_mask[index(node, component)] != 0; }
  double prescribed_value(Index unknown) const { return prescribed(static_cast<std::size_t>(unknown)).value; }
  const std::vector<std::uint8_t>& host_mask() const override { return contents_->host_mask; }
  const FunctionSpace& space() const { return contents_->space; }
  const DependentUnknowns* dependent() const { return contents_->dependent.get(); }  // null: no equations
  bool has_dependent() const override { return contents_->dependent != nullptr; }
  const std::vector<LinearEquations>& equations() const { return contents_->equations; }
  const DependentRows& dependent_rows() const;  // none without equations

  // "Eliminated" unknowns are the prescribed and the dependent ones.
  const Array<std::uint8_t>& mask() const { return contents_->mask; }  // [unknown] 1: eliminated
  const Array<std::uint8_t>& constrained() const {                     // [unknown] 1: eliminated, or others follow it
    return contents_->constrained.empty() ? contents_->mask : contents_->constrained;
  }
  void set_values(Vector& u, double part = 1) const override;
  void set_linear(Vector& x) const override;
  void gather(Vector& r) const override;
  void gather_diagonal(Vector& d) const override;
  void set_zero(Vector& r) const override;
  void eliminate(SparseMatrix& K, double pivot) const;  // K = T^T K T; its eliminated rows: pivot
  void eliminate_prescribed(SparseMatrix& K, double pivot) const;
  // y_i = pivot x_i where eliminated. Vectors may hold the first unknowns alone, as those of a part do; in set_zero,
  // too.
  void apply_pivot(double pivot, const Vector& x, Vector& y) const;
  void apply_pivot_dot(double pivot, const Vector& x, Vector& y, double* xy) const;  // and *xy = x.y
  void keep_prescribed(Vector& r) const override;
  void keep_constrained(Vector& r) const override;
  std::string name_of(Index unknown) const override { return ritz::name_of({contents_->space}, unknown); }

 private:
  struct Source {
    std::string text;
    double rounding = 0;  // how far its values may be off: 0 for plain numbers
    bool varies = false;
  };
  struct Varying {
    int source;
    int component;
    RegionNodes at;
    PointFunction value;
  };
  // A number where a source that varies has prescribed a value before.
  struct Contest {
    Node node;
    int component, source;
    double value;
  };
  void add(std::span<const Node> nodes, int component, FunctionRef<double(std::size_t)> value_of, Source source);
  const Source& source_at(std::size_t unknown) const {
    return contents_->sources[static_cast<std::size_t>(prescribed(unknown).source)];
  }
  bool agrees(Node node, int component, double value, int source) const;  // with the value that holds
  Error conflict(const Contest& found, const std::string& when) const;
  std::size_t index(Node node, int component) const {
    return static_cast<std::size_t>(node) * static_cast<std::size_t>(contents_->space.components()) +
           static_cast<std::size_t>(component);
  }
  struct Prescribed {
    double value;
    int source;  // position in the list of them
  };
  // The first value that two sources contradict each other in, and how many more there are.
  struct Conflict {
    Contest first;
    Index more = 0;
  };
  struct Contents {
    FunctionSpace space;
    std::vector<std::uint8_t> host_mask;
    std::vector<std::int32_t> place;  // [unknown] in `prescribed`, -1
    std::vector<Prescribed> prescribed = {};
    std::vector<Source> sources = {};
    std::vector<Varying> varying = {};  // in the order of their sources
    std::vector<Contest> contests = {};
    std::map<std::pair<std::string, std::string>, Conflict> conflicts = {};  // by the texts of the sources
    Array<std::uint8_t> mask = {};
    Array<std::int32_t> list = {};  // eliminated unknowns, ascending
    Vector values = {};             // [list] zero at dependent ones
    std::vector<LinearEquations> equations = {};
    std::vector<PrescribedSum> sums = {};
    std::shared_ptr<DependentUnknowns> dependent = {};
    std::shared_ptr<Contents> whole = {};  // that are followed
    bool has_part_of_rows = false;         // rows of T are of a part; offsets have the prescribed unknowns
    Array<std::uint8_t> constrained = {};  // none without equations
  };
  explicit Constraints(std::shared_ptr<Contents> contents) : contents_(std::move(contents)) {}
  std::shared_ptr<Supports> shared() const override { return std::make_shared<Constraints>(*this); }

  Prescribed& prescribed(std::size_t unknown) const {
    return contents_->prescribed[static_cast<std::size_t>(contents_->place[unknown])];
  }
  void upload_values();
  void upload_marks(const DependentRows& between_fields, Index first);
  void check_sums(const std::string& when) const;

  std::shared_ptr<Contents> contents_;
};

// Zero in r from unknown `first` on, as many as there are, where their marks are `marked`.
void zero_where(const Array<std::uint8_t>& marks, bool marked, Index first, Index count, Vector& r);

}  // namespace ritz
