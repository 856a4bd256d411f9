#include "solvers/direct_solver.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

// Libraries may loop or crash on NaN.
void check_finite(const HostMatrix& A) {
  for (Index row = 0; row < A.rows(); ++row)
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      if (!std::isfinite(A.values[k]))
        throw Error(Exit::model, fmt::format("row {}, column {} of the matrix is {}", row, A.columns[k], A.values[k]),
                    "a direct solver needs finite entries", advice_for(StopReason::not_finite));
}

std::unique_ptr<DirectFactor> analyse(const SparseMatrix& A, DirectKind kind) {
  const HostMatrix host = host_matrix(A);
  check_finite(host);
  const Device& device = A.device();
  if (!device.is_gpu()) return analyse_on_cpu(device, host, kind);
  const auto& factory = kernels<DirectFactory>(device, "ritz_direct", "direct");
  return std::unique_ptr<DirectFactor>(factory.analyse(device, host, kind));
}

void check_memory(const Device& device, const DirectFactor& factor) {
  const MachineInfo info = device.machine().current_info();
  const Index there = device.is_gpu() ? info.memory_free : info.memory_total;
  if (there == 0 || factor.memory_needed() <= there) return;
  throw Error(Exit::resources,
              fmt::format("the direct solver needs {:.1f} GB on {}, which has {:.1f} GB", 1e-9 * double(factor.memory_needed()),
                          info.name, 1e-9 * double(there)),
              "factors of three-dimensional models grow faster than the model",
              "use an iterative solver, a coarser mesh or order 1");
}

}  // namespace

DirectSolver::DirectSolver(const SparseMatrix& A, Kind kind) : A_(A) {
  if (A.rows() == 0) return;
  factor_ = analyse(A, kind);
  check_memory(A.device(), *factor_);
  factor_->factorise();
  name_ = factor_->name();
  residual_ = Vector(A.device(), A.rows(), "vectors");
  correction_ = Vector(A.device(), A.rows(), "vectors");
}

Index DirectSolver::memory_bytes() const { return factor_ == nullptr ? 0 : factor_->memory_used(); }

Index DirectSolver::memory_needed(const SparseMatrix& A, Kind kind) {
  return A.rows() == 0 ? 0 : analyse(A, kind)->memory_needed();
}

double DirectSolver::residual_norm(const Vector& b, const Vector& x) {
  A_.apply(x, residual_);
  axpby(1.0, b, -1.0, residual_);
  return norm2(residual_);
}

SolveReport DirectSolver::solve(const Vector& b, Vector& x) {
  if (b.size() != A_.rows()) throw_size_mismatch(A_.rows(), b.size());
  if (x.size() != A_.rows()) throw_size_mismatch(A_.rows(), x.size());
  SolveReport report;
  report.method = name_;
  const double b_norm = norm2(b);
  if (b_norm == 0) {
    x.fill_zero();
    report.reason = StopReason::converged;
    return report;
  }
  if (!std::isfinite(b_norm)) {
    report.entry = first_not_finite(b);
    report.where = fmt::format("entry {} of the right-hand side is not finite", report.entry);
    return report;
  }
  factor_->solve(b, x);
  double residual = residual_norm(b, x);
  report.history.push_back(residual / b_norm);
  // Refinement, as long as it halves the residual.
  while (std::isfinite(residual) && residual > 1e-15 * b_norm && report.iterations < max_refinements) {
    factor_->solve(residual_, correction_);
    axpy(1.0, correction_, x);
    const double refined = residual_norm(b, x);
    ++report.iterations;
    if (!(refined < residual)) {
      axpy(-1.0, correction_, x);
      residual = residual_norm(b, x);
      break;
    }
    const bool worthwhile = refined < 0.5 * residual;
    residual = refined;
    report.history.push_back(residual / b_norm);
    if (!worthwhile) break;
  }
  report.true_relative_residual = residual / b_norm;
  report.reason = residual <= relative * b_norm ? StopReason::converged
                  : std::isfinite(residual)    ? StopReason::stagnated
                                               : StopReason::not_finite;
  return report;
}

}  // namespace ritz
