// Rigid motions that the ground alone holds, by springs, foundations or convection. Their stiffness may be 1e-9 of the
// body's, so that a residual relative to the loads does not see them. After an iteration they are solved for, by
// Galerkin's method on their span R: x += R (R^T K R)^-1 R^T (b - K x). Private to fem/analysis.
#pragma once

#include "device/function_ref.hpp"
#include "fem/space/rigid_motion.hpp"

#include <utility>
#include <vector>

namespace ritz {

class GroundCorrection {
 public:
  // y = K x without constrained unknowns; zero in their rows
  using Multiply = FunctionRef<void(const Vector& x, Vector& y)>;

  explicit GroundCorrection(GroundMotions motions) : motions_(std::move(motions)) {}

  void tangent_changed() { factor_.clear(); }
  void apply(Multiply multiply, const Vector& b, Vector& x);

 private:
  Vector motion(std::size_t k, const Vector& like) const;
  void factorise(Multiply multiply, const Vector& like);
  std::vector<double> solve(std::vector<double> b) const;

  GroundMotions motions_;
  std::vector<std::vector<double>> factor_;  // Cholesky's, lower, of the stiffness scaled to a diagonal of 1
  std::vector<double> scale_;
  bool definite_ = false;
};

}  // namespace ritz
