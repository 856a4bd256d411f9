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

KrylovRun::KrylovRun(const KrylovLimits& limits, const LinearOperator& A_, const Vector& b, Vector& x_,
                     const LinearOperator* preconditioner)
    : A(A_), M(preconditioner), x(x_), device(A_.device()), size(A_.rows()), b_(&b), limits_(limits) {
  check_system(A, b.size(), x.size(), M);
  b_norm_ = norm2(b);
  if (!std::isfinite(b_norm_)) {
    stop_at_bad_entry(b, "the right-hand side");
  } else if (b_norm_ == 0) {
    x.fill_zero();
    stop(StopReason::converged);
  } else if (Communicator(device).largest_of(double(first_not_finite(x))) >= 0) {  // on any rank
    stop_at_bad_entry(x, "the initial guess");
  } else {
    scale();
    start();
  }
}

void KrylovRun::scale() {
  power_ = power_for_squares(b_norm_);
  if (power_ == 1) return;
  scaled_ = Vector(device, size, "vectors");
  axpby(power_, *b_, 0.0, scaled_);
  axpby(power_, x, 0.0, x);
  b_ = &scaled_;
  b_norm_ = norm2(scaled_);
  limits_.absolute *= power_;
}

void KrylovRun::start() {
  target_ = std::max(limits_.relative * b_norm_, limits_.absolute);
  for (Vector* v : {&r, &q}) *v = Vector(device, size, "vectors");
  square_ = Vector(device, 2, "reductions");
  measure();
  first_residual_ = residual_ / b_norm_;
  if (residual_ <= target_) stop(StopReason::converged);
}

bool KrylovRun::goes_on() {
  if (!over_ && report.iterations >= limits_.max_iterations) stop(StopReason::iteration_limit);
  return !over_;
}

void KrylovRun::judge(StopReason reason) {
  if (reason == StopReason::not_finite && M != nullptr && !product_is_finite(*M, *b_)) {
    blame_preconditioner(*M, report);
    return stop(report.reason);
  }
  const double before = residual_;
  measure();
  if (over_) return;
  if (const auto verdict = verdict_of(reason, residual_, before, target_, report)) stop(*verdict);
}

SolveReport KrylovRun::finish(const std::string& method) {
  for (Vector* v : {&r, &q, &scaled_, &square_}) *v = {};
  if (power_ != 1) axpby(1 / power_, x, 0.0, x);
  report.method = method;
  report.preconditioner = M == nullptr ? "none" : M->name();
  return std::move(report);
}

void KrylovRun::stop(StopReason reason) {
  report.reason = reason;
  over_ = true;
}

void KrylovRun::stop_at_bad_entry(const Vector& v, const char* what) {
  report_bad_entry(v, what, report);
  stop(StopReason::not_finite);
}

void KrylovRun::measure() {
  residual_ = true_residual();
  report.true_relative_residual = residual_ / b_norm_;
  if (!std::isfinite(residual_)) stop_at_bad_entry(r, "the residual b - A x");
}

double KrylovRun::true_residual() {
  A.apply(x, q);
  const auto& kernels = ritz::kernels<ConjugateGradientKernels>(device, solver_kernels, "conjugate gradient");
  count(3);
  kernels.residual(device, size, b_->data(), q.data(), r.data(), square_.data());
  return std::sqrt(Communicator(device).sum(square_.data()));
}

// A little below the target, or rounding alone would make the true residual miss it; and never so far down that
// products of tiny numbers underflow.
std::optional<StopReason> after_iteration(double residual, double b_norm, double target, int max_iterations,
                                          SolveReport& report) {
  throw_if_stop_requested();
  ++report.iterations;
  report.history.push_back(residual / b_norm);
  report_iteration(report.iterations, residual / b_norm, target / b_norm);
  if (!std::isfinite(residual)) return StopReason::not_finite;
  if (residual <= std::max(0.99 * target, 1e-18 * b_norm)) return StopReason::converged;
  if (report.iterations >= max_iterations) return StopReason::iteration_limit;
  return std::nullopt;
}

std::optional<StopReason> KrylovRun::after_iteration(double residual) {
  const auto reason = ritz::after_iteration(residual, b_norm_, target_, limits_.max_iterations, report);
  if (reason || !limits_.give_up) return reason;
  if (limits_.give_up(report.iterations, std::log10(residual / b_norm_ / first_residual_)))
    return StopReason::iteration_limit;
  return std::nullopt;
}

// The residual falls as it fell in the iteration before.
bool KrylovRun::launches_ahead() const {
  const std::vector<double>& history = report.history;
  if (!device.machine().is_apart() || history.size() < 2 || report.iterations + 1 >= limits_.max_iterations)
    return false;
  const double last = history.back(), expected = last * (last / history[history.size() - 2]);
  return expected * b_norm_ > target_;
}

const Vector& KrylovRun::preconditioned(const Vector& v, Vector& z) const {
  if (M == nullptr) return v;
  M->apply(v, z);
  return z;
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
  if (reason == StopReason::not_finite) report.where = "a number of the iteration is not finite";
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
  const Index own = first_not_finite(v);
  report.entry = static_cast<Index>(Communicator(v.device()).largest_of(double(own)));  // all ranks end alike
  report.true_relative_residual = std::numeric_limits<double>::quiet_NaN();
  report.where = report.entry < 0 ? fmt::format("{} is too large for double precision", what)
                 : own < 0        ? fmt::format("an entry of {} is not finite on another rank", what)
                           : fmt::format("entry {} of {} is {}", own, what, v.host()[static_cast<std::size_t>(own)]);
}

bool product_is_finite(const LinearOperator& M, const Vector& v) {
  Vector product(v.device(), v.size(), "vectors");
  M.apply(v, product);
  return Communicator(v.device()).largest_of(double(first_not_finite(product))) < 0;
}

void blame_preconditioner(const LinearOperator& M, SolveReport& report) {
  report.reason = StopReason::preconditioner_not_finite;
  report.true_relative_residual = std::numeric_limits<double>::quiet_NaN();
  report.where = fmt::format("the preconditioner '{}' returns values that are not finite", M.name());
}

void check_system(const LinearOperator& A, Index b_rows, Index x_rows, const LinearOperator* preconditioner) {
  if (A.rows() != A.columns()) throw_size_mismatch(A.rows(), A.columns());
  if (b_rows != A.rows()) throw_size_mismatch(A.rows(), b_rows);
  if (x_rows != A.rows()) throw_size_mismatch(A.rows(), x_rows);
  if (preconditioner != nullptr && preconditioner->rows() != A.rows())
    throw_size_mismatch(A.rows(), preconditioner->rows());
}

}  // namespace ritz
