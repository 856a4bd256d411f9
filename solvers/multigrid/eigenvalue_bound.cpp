#include "solvers/multigrid/eigenvalue_bound.hpp"

#include "device/kernels.hpp"
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ritz {
namespace {

// Steps of Lanczos. The early estimate of other values says how their bound differs: by their ratio, up to
// `early_change`; beyond it all steps are taken again.
constexpr int early_steps = 3, full_steps = 7;
constexpr double early_change = 0.05;

// The matrix of a level in one process as an operator.
class LevelOperator final : public LinearOperator {
 public:
  explicit LevelOperator(const LevelMatrix& A)
      : A_(A), kernels_(kernels<CycleKernels<double>>(A.device, solver_kernels, "cycle double")) {}
  const Device& device() const override { return A_.device; }
  Index rows() const override { return A_.unknowns(); }
  void apply(const Vector& x, Vector& y) const override {
    device().profile().count(bytes_of(A_.view, A_.nonzeros) + x.bytes() + y.bytes());
    kernels_.multiply(device(), A_.view, x.data(), y.data());
  }

 private:
  const LevelMatrix& A_;
  const CycleKernels<double>& kernels_;
};

// run(estimate) in a phase
template <class Run>
auto with_estimate(const LevelMatrix& A, const Vector& inverse_diagonal, const Run& run) {
  auto phase = A.device.profile().phase("eigenvalues");
  std::optional<LevelOperator> level;
  if (A.divided == nullptr) level.emplace(A);
  const LinearOperator& matrix = level ? static_cast<const LinearOperator&>(*level) : *A.divided;
  LargestEigenvalue estimate(matrix, inverse_diagonal);
  return run(estimate);
}

}  // namespace

EigenvalueBound eigenvalue_bound(const LevelMatrix& A, const Vector& inverse_diagonal) {
  return with_estimate(A, inverse_diagonal, [](LargestEigenvalue& estimate) -> EigenvalueBound {
    const double early = estimate.after(early_steps), residual = estimate.residual();
    return {early, residual, estimate.bound(full_steps)};
  });
}

double sure_eigenvalue_bound(const LevelMatrix& A, const Vector& inverse_diagonal) {
  return with_estimate(A, inverse_diagonal,
                       [](LargestEigenvalue& estimate) { return estimate.bound(sure_estimate_steps); });
}

EigenvalueBound eigenvalue_bound_again(const LevelMatrix& A, const Vector& inverse_diagonal,
                                       const EigenvalueBound& before) {
  return with_estimate(A, inverse_diagonal, [&](LargestEigenvalue& estimate) -> EigenvalueBound {
    const double early = estimate.after(early_steps), residual = estimate.residual(), change = early / before.early;
    const bool as_before = std::abs(change - 1) <= early_change &&
                           std::abs(residual - before.early_residual) <= early_change * before.early;
    if (as_before) return {before.early, before.early_residual, before.full * change};
    return {early, residual, estimate.bound(full_steps)};
  });
}

}  // namespace ritz
