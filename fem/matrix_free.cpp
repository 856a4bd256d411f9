#include "fem/matrix_free.hpp"

#include "solvers/vectors.hpp"

namespace ritz {

MatrixFree::MatrixFree(const Operator& equations, const Constraints& constraints, const Vector& u)
    : equations_(equations),
      constraints_(constraints),
      u_(u.device(), u.size(), "vectors"),
      diagonal_(equations.diagonal(u)),
      pivot_(max_abs(diagonal_)),
      marked_(equations.mark(constraints)) {
  copy(u, u_);
  Vector ones(u.device(), u.size(), "vectors");
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
