#include "fem/matrix_free.hpp"

#include "solvers/vectors.hpp"

namespace ritz {
namespace {

Vector copied_unless_zero(const Vector& u) {
  if (u.empty() || max_abs(u) == 0) return {};
  Vector result(u.device(), u.size(), "vectors");
  copy(u, result);
  return result;
}

}  // namespace

MatrixFree::MatrixFree(const Operator& equations, const Constraints& constraints, const Vector& u)
    : equations_(equations),
      constraints_(constraints),
      u_(copied_unless_zero(u)),
      diagonal_(equations.diagonal(u)),
      pivot_(max_abs(diagonal_)),
      marked_(equations.mark(constraints)) {
  Vector ones(equations.space().device(), diagonal_.size(), "vectors");
  fill(1.0, ones);
  constraints_.apply_pivot(pivot_, ones, diagonal_);
}

Vector MatrixFree::diagonal() const {
  Vector d(diagonal_.device(), diagonal_.size(), "vectors");
  copy(diagonal_, d);
  return d;
}

void MatrixFree::apply(const Vector& x, Vector& y) const {
  equations_.action(u_, x, y, &marked_);
  constraints_.apply_pivot(pivot_, x, y);
}

}  // namespace ritz
