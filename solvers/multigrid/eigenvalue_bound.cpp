#include "solvers/multigrid/eigenvalue_bound.hpp"

#include "device/kernels.hpp"
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

// Steps of Lanczos. The early estimate of other values says how their bound differs: by their ratio, up to
// `early_change`; beyond it all steps are taken again.
constexpr int early_steps = 3, full_steps = 7, sure_steps = 40;
constexpr double margin = 1.1, early_change = 0.05;

// The margin covers the case that few nodes with poor cells around them have the largest eigenvalues: seven steps may
// not have found them, and show this by their residual.
double bound_after(int steps, LargestEigenvalue& estimate) {
  const double largest = estimate.after(steps);
  return std::max(margin * largest, largest + estimate.residual());
}

// A level's matrix as an operator.
class LevelOperator final : public LinearOperator {
 public:
  LevelOperator(const Device& device, const BlockMatrixView<double>& A, Index nonzeros)
      : device_(device),
        A_(A),
        bytes_(bytes_of(A, nonzeros)),
        kernels_(kernels<CycleKernels<double>>(device, solver_kernels, "cycle double")) {}
  const Device& device() const override { return device_; }
  Index rows() const override { return A_.rows * A_.row_block; }
  void apply(const Vector& x, Vector& y) const override {
    device_.profile().count(bytes_ + x.bytes() + y.bytes());
    kernels_.multiply(device_, A_, x.data(), y.data());
  }

 private:
  Device device_;
  BlockMatrixView<double> A_;
  Index bytes_;
  const CycleKernels<double>& kernels_;
};

}  // namespace

EigenvalueBound eigenvalue_bound(const Device& device, const BlockMatrixView<double>& A, Index nonzeros,
                                 const Vector& inverse_diagonal) {
  return eigenvalue_bound(LevelOperator(device, A, nonzeros), inverse_diagonal);
}

EigenvalueBound eigenvalue_bound(const LinearOperator& A, const Vector& inverse_diagonal) {
  auto phase = A.device().profile().phase("eigenvalues");
  LargestEigenvalue estimate(A, inverse_diagonal);
  const double early = estimate.after(early_steps), residual = estimate.residual();
  return {early, residual, bound_after(full_steps, estimate)};
}

double sure_eigenvalue_bound(const Device& device, const BlockMatrixView<double>& A, Index nonzeros,
                             const Vector& inverse_diagonal) {
  return sure_eigenvalue_bound(LevelOperator(device, A, nonzeros), inverse_diagonal);
}

double sure_eigenvalue_bound(const LinearOperator& A, const Vector& inverse_diagonal) {
  auto phase = A.device().profile().phase("eigenvalues");
  LargestEigenvalue estimate(A, inverse_diagonal);
  return bound_after(sure_steps, estimate);
}

EigenvalueBound eigenvalue_bound_again(const Device& device, const BlockMatrixView<double>& A, Index nonzeros,
                                       const Vector& inverse_diagonal, const EigenvalueBound& before) {
  auto phase = device.profile().phase("eigenvalues");
  const LevelOperator level(device, A, nonzeros);
  LargestEigenvalue estimate(level, inverse_diagonal);
  const double early = estimate.after(early_steps), residual = estimate.residual(), change = early / before.early;
  const bool as_before =
      std::abs(change - 1) <= early_change && std::abs(residual - before.early_residual) <= early_change * before.early;
  if (as_before) return {before.early, before.early_residual, before.full * change};
  return {early, residual, bound_after(full_steps, estimate)};
}

}  // namespace ritz
