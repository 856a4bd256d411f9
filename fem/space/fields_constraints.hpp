// Affine constraints u = T v + g of several fields: those of each field, and equations between unknowns of several, on
// vectors and matrices of all. Those of the fields come first: T = T_fields T_several, where the second makes unknowns
// dependent that depend on none of their own field. Copies share their contents.
//
//   FieldsConstraints fixed(equations.spaces());
//   fixed[0].prescribe(mesh.region("wall"), 0, 0.0, "no slip");
//   fixed[1].relate(periodic(equations.space(1), mesh.region("outlet"), mesh.region("inlet")).equations);
//   fixed.finish();                              // before matrices are made, whose patterns have what T needs
//   fixed.set_values(u);   equations.residual(u, r);   fixed.gather(r);   fixed.set_zero(r);
//   fixed.eliminate(K, 1);   /* K du = -r */   fixed.set_linear(du);
#pragma once

#include "fem/space/constraints.hpp"
#include "fem/space/coupling_transform.hpp"
#include "fem/space/joined_transform.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

class FieldsConstraints final : public Supports {
 public:
  explicit FieldsConstraints(Spaces spaces);

  Constraints& operator[](int field) { return contents_->of_field.at(static_cast<std::size_t>(field)); }
  const Constraints& operator[](int field) const { return contents_->of_field.at(static_cast<std::size_t>(field)); }
  // Equations between unknowns of several fields (UnknownTerm::field), of the whole mesh.
  void relate(LinearEquations equations);
  // On a part of a mesh, in their place: rows of T_several, of [field][owned | ghosts]. joined: fields that they join,
  // on all ranks. All ranks call it together, as all functions then.
  void relate(DependentRows between_fields, std::vector<int> joined);
  // Throws what Constraints::finish() does.
  void finish();
  // On a part of a mesh, once it is finished: as those of each field. Equations between fields have their own offsets.
  void take_values(const FieldsConstraints& whole);
  void follow(const FieldsConstraints& whole);

  const std::vector<LinearEquations>& between_fields() const { return contents_->between_fields; }  // equations
  const DependentUnknowns* joining() const { return contents_->joining.get(); }  // T_several; null: there is none

  void set_values(Vector& u, double part = 1) const override;
  void set_linear(Vector& x) const override;
  void gather(Vector& r) const override;
  void gather_diagonal(Vector& diagonal) const override;
  void set_zero(Vector& r) const override;
  void keep_prescribed(Vector& r) const override;
  void keep_constrained(Vector& r) const override;
  bool has_dependent() const override;
  const std::vector<std::uint8_t>& host_mask() const override { return contents_->host_mask; }
  bool varies_in_time() const override;
  void set_time(double t) override;
  std::string name_of(Index unknown) const override { return ritz::name_of(contents_->spaces, unknown); }

  // transform(), then eliminate_transformed().
  void eliminate(BlockOperator& K, double pivot) const;
  // K = T^T K T, blocks of fields T_i^T K_ij T_j. Rows and columns of dependent unknowns become empty, with a number as
  // large as the largest on the diagonal of their block there. K is assembled, and its pattern made after finish().
  void transform(BlockOperator& K) const;
  void transform(int field, SparseMatrix& A) const;  // a block of the field alone
  // Rows and columns of prescribed and dependent unknowns become zero, their diagonal entries `pivot`. Where a field
  // with such unknowns has no diagonal block, it gets one that holds its diagonal alone.
  void eliminate_transformed(BlockOperator& K, double pivot) const;
  void apply_pivot(double pivot, const Vector& x, Vector& y) const;  // y_i = pivot x_i where eliminated

 private:
  struct Dependents {
    Array<std::uint8_t> of_field, between_fields;  // [unknown] 1: by which equations; empty: by none
  };
  void resolve_between_fields();
  void join_spaces();
  void check_sums(const std::string& when) const;
  void transform_between_fields(BlockOperator& K) const;
  const Array<std::uint8_t>& dependents(int field, Array<std::uint8_t> Dependents::*kind) const;
  template <class Marks>
  void zero_where(const Marks& marks, bool marked, Vector& r) const;
  template <class Change>
  void each_with_equations(Vector& x, const Change& change) const;
  template <class Change>
  void with_joined(Vector& x, const Change& change) const;
  template <class Change>
  void with_ghosts(int field, Vector& x, const Change& change) const;
  const CouplingTransform& transform_of(int row, int column, const RectangularMatrix& K) const;

  struct Contents {
    Spaces spaces;
    Layout layout, local = {};  // of vectors; [field][owned | ghosts]
    std::vector<Constraints> of_field = {};
    std::vector<Dependents> dependents = {};  // [field]
    std::shared_ptr<Contents> whole = {};     // that are followed
    std::vector<LinearEquations> between_fields = {};
    std::vector<PrescribedSum> sums = {};                   // of equations between fields
    std::shared_ptr<const DependentUnknowns> joining = {};  // T_several, of `local`; null: there is none
    std::vector<int> joined_over_ranks = {};                // fields that it joins, on any rank
    std::unique_ptr<JoinedTransform> joining_transform = {};
    std::vector<std::uint8_t> host_mask = {};                          // [owned unknown]
    std::map<std::pair<int, int>, CouplingTransform> transforms = {};  // of couplings, by the last pattern
  };
  explicit FieldsConstraints(std::shared_ptr<Contents> contents) : contents_(std::move(contents)) {}
  std::shared_ptr<Supports> shared() const override { return std::make_shared<FieldsConstraints>(*this); }

  std::shared_ptr<Contents> contents_;
};

}  // namespace ritz
