// Multigrid over polynomial orders, p, p / 2, ..., 1, without matrices but for order 1, where smoothed aggregation
// takes over: one V-cycle as a symmetric preconditioner. Smoother: Chebyshev over the diagonal (Adams, Brezina, Hu,
// Tuminaro 2003); transfers by interpolation. It works in single precision (but where there are elements of a residual
// of their own), inside a double-precision iteration. Fehn et al., J. Comput. Phys. 415 (2020) 109538, compare such
// cycles. Over ranks (fem/operator/divided_field.hpp) every rank has its part of each level.
//
//   MatrixFree K(equations, fixed, u);   PMultigrid cycle(K);   ConjugateGradient{}.solve(K, b, x, &cycle);
#pragma once

#include "fem/operator/matrix_free.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

struct PMultigridOptions {
  bool single_precision = true;  // of the cycle
  int estimate_steps = 10;       // Lanczos steps for the bound of the largest eigenvalue
  // its smoothing is that of all levels; coordinates, dimension and nested are filled in
  SmoothedAggregationOptions coarsest = {};
  // Shift for an operator that is singular, a free body's: the matrix of order 1 becomes that of A + shift masses. The
  // masses are equations on the same space; smoothing, which they hardly change, does without.
  const Operator* masses = nullptr;
  double shift = 0;
};

// Whether it is so on the parts of all ranks, which call this together.
bool on_all_ranks(const MatrixFree& A, bool here);

class PMultigrid final : public LinearOperator {
 public:
  // For an operator, which must outlive this. Throws Error: Exit::model when a
  // diagonal entry is not positive, Error: Exit::not_converged when a level is not positive definite.
  explicit PMultigrid(const MatrixFree& A, const PMultigridOptions& options = {});
  ~PMultigrid() override;

  const Device& device() const override;
  Index rows() const override;
  void apply(const Vector& b, Vector& x) const override;  // one V-cycle from x = 0
  float* single_argument() const override;
  void apply_single(const Vector& b, Vector& x, const Vector* q, double* dots) const override;
  std::string name() const override;
  std::vector<int> orders() const;  // of the levels, the finest first
  // Order of the next coarser level. Order 1 on a mesh of order 1 is the mesh's own, whose kernels are faster.
  static SpaceOptions coarser_order(const FunctionSpace& space);

 private:
  struct Hierarchy;
  std::unique_ptr<Hierarchy> hierarchy_;
};

}  // namespace ritz
