#include "solvers/krylov/krylov.hpp"

#include "device/communicator.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/process/stop_request.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/solver_progress.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

using Iterate = std::function<StopReason(KrylovRun&)>;

StopReason stop_at_bad_entry(const Vector& v, const char* what, SolveReport& report) {
  report_bad_entry(v, what, report);
  return StopReason::not_finite;
}

// From the initial guess in run.x to a reason for stopping that the true residual bears out.
StopReason run_to_the_end(KrylovRun& run, double b_norm, const Iterate& iterate) {
  double residual = run.true_residual();
  run.report.true_relative_residual = residual / b_norm;
  run.begin(residual);
  if (!std::isfinite(residual)) return stop_at_bad_entry(run.r, "the residual b - A x", run.report);
  while (residual > run.target()) {
    if (run.at_limit()) return StopReason::iteration_limit;
    const StopReason reason = iterate(run);
    const double before = residual;
    residual = run.true_residual();
    run.report.true_relative_residual = residual / b_norm;
    if (!std::isfinite(residual)) return stop_at_bad_entry(run.r, "the residual b - A x", run.report);
    if (const auto verdict = verdict_of(reason, residual, before, run.target(), run.report)) return *verdict;
  }
  return StopReason::converged;
}

}  // namespace

KrylovRun::KrylovRun(const KrylovLimits& limits, const LinearOperator& A_, const Vector& b, double b_norm, Vector& x_,
                     const LinearOperator* preconditioner)
    : A(A_),
      M(preconditioner),
      x(x_),
      r(A_.device(), A_.rows(), "vectors"),
      q(A_.device(), A_.rows(), "vectors"),
      device(A_.device()),
      size(A_.rows()),
      b_(b),
      b_norm_(b_norm),
      target_(std::max(limits.relative * b_norm, limits.absolute)),
      max_iterations_(limits.max_iterations),
      give_up_(limits.give_up),
      square_(A_.device(), 2, "reductions") {}

double KrylovRun::true_residual() {
  A.apply(x, q);
  const auto& kernels = ritz::kernels<ConjugateGradientKernels>(device, solver_kernels, "conjugate gradient");
  count(3);
  kernels.residual(device, size, b_.data(), q.data(), r.data(), square_.data());
  return std::sqrt(Communicator(device).sum(square_.data()));
}

// A little below the target, or rounding alone would make the true residual miss it; and never so far down that
// products of tiny numbers underflow.
std::optional<StopReason> after_iteration(double residual, double b_norm, double target, int max_iterations,
                                          SolveReport& report) {
  throw_if_stop_requested();
  ++report.iterations;
  report.history.push_back(residual / b_norm);
  tell_iteration(report.iterations, residual / b_norm, target / b_norm);
  if (!std::isfinite(residual)) return StopReason::not_finite;
  if (residual <= std::max(0.99 * target, 1e-18 * b_norm)) return StopReason::converged;
  if (report.iterations >= max_iterations) return StopReason::iteration_limit;
  return std::nullopt;
}

std::optional<StopReason> KrylovRun::after_iteration(double residual) {
  const auto reason = ritz::after_iteration(residual, b_norm_, target_, max_iterations_, report);
  if (reason || !give_up_) return reason;
  if (give_up_(report.iterations, std::log10(residual / b_norm_ / first_residual_))) return StopReason::iteration_limit;
  return std::nullopt;
}

// The residual falls as it fell in the iteration before.
bool KrylovRun::expects_more() const {
  const std::vector<double>& history = report.history;
  if (history.size() < 2 || report.iterations + 1 >= max_iterations_) return false;
  const double last = history.back(), expected = last * (last / history[history.size() - 2]);
  return expected * b_norm_ > target_;
}

const Vector& KrylovRun::preconditioned(const Vector& v, Vector& z) const {
  if (M == nullptr) return v;
  M->apply(v, z);
  return z;
}

SolveReport solve_by_krylov(const std::string& method, const KrylovLimits& limits, const LinearOperator& A,
                            const Vector& b, Vector& x, const LinearOperator* preconditioner, const Iterate& iterate) {
  check_system(A, b.size(), x.size(), preconditioner);
  SolveReport report;
  const double b_norm = norm2(b);
  if (!std::isfinite(b_norm)) {
    report.reason = stop_at_bad_entry(b, "the right-hand side", report);
  } else if (b_norm == 0) {
    x.fill_zero();
    report.reason = StopReason::converged;
  } else if (first_not_finite(x) >= 0) {
    report.reason = stop_at_bad_entry(x, "the initial guess", report);
  } else {
    const double power = power_for_squares(b_norm);
    const bool scales = power != 1;
    Vector scaled;
    KrylovLimits scaled_limits = limits;
    if (scales) {
      scaled = Vector(b.device(), b.size(), "vectors");
      axpby(power, b, 0.0, scaled);
      axpby(power, x, 0.0, x);
      scaled_limits.absolute *= power;
    }
    const double norm = scales ? norm2(scaled) : b_norm;
    KrylovRun run(scaled_limits, A, scales ? scaled : b, norm, x, preconditioner);
    run.report.reason = run_to_the_end(run, norm, iterate);
    report = std::move(run.report);
    if (scales) axpby(1 / power, x, 0.0, x);
  }
  report.method = method;
  report.preconditioner = preconditioner == nullptr ? "none" : preconditioner->name();
  return report;
}

double rounding_residual(const LinearOperator& A, const Vector& x, Vector& rounded, Vector& product) {
  fill_start_vector(rounded);
  multiply(rounded, x, rounded);
  A.apply(rounded, product);
  return 0.5 * std::numeric_limits<double>::epsilon() * norm2(product);
}

std::string rounding_text(double relative) {
  return fmt::format(
      "the residual is that of rounding: storing the solution in double precision makes {:.1e} by itself", relative);
}

std::optional<StopReason> verdict_of(StopReason reason, double residual, double before, double target,
                                     SolveReport& report) {
  if (residual <= target) return StopReason::converged;
  if (reason == StopReason::not_finite) report.where = "a product with the matrix or the preconditioner is not finite";
  const bool can_go_on = reason == StopReason::converged || reason == StopReason::breakdown;
  if (!can_go_on) return reason;
  if (!(residual < 0.5 * before)) return reason == StopReason::converged ? StopReason::stagnated : reason;
  ++report.restarts;
  return std::nullopt;
}

double power_for_squares(double norm) {
  if (norm == 0 || !std::isfinite(norm) || (norm > 1e-100 && norm < 1e100)) return 1;
  return std::ldexp(1.0, std::clamp(-std::ilogb(norm), -1000, 1000));
}

void report_bad_entry(const Vector& v, const char* what, SolveReport& report) {
  report.entry = first_not_finite(v);
  report.true_relative_residual = std::numeric_limits<double>::quiet_NaN();
  report.where = report.entry < 0 ? fmt::format("{} is too large for double precision", what)
                                  : fmt::format("entry {} of {} is {}", report.entry, what,
                                                v.host()[static_cast<std::size_t>(report.entry)]);
}

void check_system(const LinearOperator& A, Index b_rows, Index x_rows, const LinearOperator* preconditioner) {
  if (A.rows() != A.columns()) throw_size_mismatch(A.rows(), A.columns());
  if (b_rows != A.rows()) throw_size_mismatch(A.rows(), b_rows);
  if (x_rows != A.rows()) throw_size_mismatch(A.rows(), x_rows);
  if (preconditioner != nullptr && preconditioner->rows() != A.rows())
    throw_size_mismatch(A.rows(), preconditioner->rows());
}

}  // namespace ritz
