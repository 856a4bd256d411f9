// The tangent of equations of several fields at u without a matrix, with constraints eliminated as
// FieldsConstraints::eliminate does. An empty u is zero; it must stay.
#pragma once

#include "fem/space/fields_constraints.hpp"
#include "solvers/algebra/vectors.hpp"

namespace ritz::test {

class MixedAction final : public LinearOperator {
 public:
  MixedAction(const FieldsOperator& equations, const FieldsConstraints& constraints, const Vector& u, double pivot)
      : equations_(equations), constraints_(constraints), u_(u), pivot_(pivot), x_(equations.zeros()) {}
  const Device& device() const override { return equations_.device(); }
  Index rows() const override { return equations_.layout().total(); }
  void apply(const Vector& x, Vector& y) const override {
    copy(x, x_);
    constraints_.set_zero(x_);
    constraints_.set_linear(x_);
    equations_.action(u_, x_, y);
    constraints_.gather(y);
    constraints_.apply_pivot(pivot_, x, y);
  }
  std::string name() const override { return "matrix-free"; }

 private:
  FieldsOperator equations_;
  FieldsConstraints constraints_;
  const Vector& u_;
  double pivot_;
  mutable Vector x_;
};

}  // namespace ritz::test
