// The tangent of equations as a linear operator without a matrix: elements are recomputed at every application. For
// p-multigrid the tangents of forms that depend on u are kept at points (PointTangents). With prescribed
// and dependent unknowns eliminated as Constraints::eliminate does it: their rows and columns are empty but for a
// pivot. Over ranks the space is that of a rank's part, vectors hold owned unknowns, and products fetch the others.
//
//   MatrixFree K(equations, fixed, u);   JacobiPreconditioner jacobi(K.diagonal());
//   ConjugateGradient{}.solve(K, b, x, &jacobi);
#pragma once

#include "fem/operator/divided_field.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/space/constraints.hpp"

#include <memory>
#include <optional>

namespace ritz {

class MatrixFree final : public LinearOperator {
 public:
  // The tangent at u, which is copied unless it is zero. pivot: in eliminated rows; none: the largest entry of the
  // diagonal. field: over ranks, which outlives this; u [owned | ghosts].
  MatrixFree(const Operator& equations, const Constraints& constraints, const Vector& u,
             std::optional<double> pivot = {}, const DividedField* field = nullptr);

  const Device& device() const override { return equations_.space().device(); }
  Index rows() const override {
    return field_of_rank_ == nullptr ? equations_.space().unknown_count()
                                     : field_of_rank_->ghosts->owned() * equations_.space().components();
  }
  void apply(const Vector& x, Vector& y) const override;
  void apply_dot(const Vector& x, Vector& y, double* xy) const override;
  std::string name() const override { return "matrix-free operator"; }

  // The tangent at another u. What preconditioners are made of stays that at the u before, until refresh() makes it
  // again.
  void move_to(const Vector& u);
  void refresh();
  void keep_no_tangents();  // from now on: its own products recompute elements, only p-multigrid has use for them

  static MemoryNeeds point_needs(const Operator& equations);  // of tangents()

  // The diagonal, from which preconditioners are made.
  Vector diagonal() const;
  std::shared_ptr<const Vector> point() const { return u_; }  // where the tangent is taken; empty: zero
  const Vector& state() const { return *made_at_; }           // where the tangent was taken; empty: zero
  // of the forms that depend on u; of none where memory is short
  const PointTangents& tangents() const { return tangents_; }
  const Operator& equations() const { return equations_; }
  const MarkedNodes& marked() const { return marked_; }
  const Constraints& constraints() const { return constraints_; }
  double pivot() const { return pivot_; }                       // in the eliminated rows
  const DividedField* field() const { return field_of_rank_; }  // null: one process

 private:
  void make_diagonal();
  void apply_over_ranks(const Vector& x, Vector& y) const;
  void apply_without_pivot(const Vector& x, Vector& y) const;

  Operator equations_;
  Constraints constraints_;
  std::optional<double> given_pivot_;
  std::shared_ptr<const Vector> u_, made_at_;
  Vector diagonal_;
  double pivot_ = 0;
  mutable Vector field_;  // x with its dependent unknowns, or its ghosts; none without either
  const DividedField* field_of_rank_;
  mutable Vector product_;  // [owned | ghosts] over ranks
  PointTangents tangents_;
  bool keeps_tangents_;
  MarkedNodes marked_;
};

}  // namespace ritz
