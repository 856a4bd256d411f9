#include "solvers/conjugate_gradient.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/conjugate_gradient_kernels.hpp"
#include "solvers/matrix_kernels.hpp"
#include "solvers/vector_kernels.hpp"
#include "solvers/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

// One solve: its vectors, and its numbers on the device.
class Iteration {
 public:
  Iteration(const ConjugateGradient& options, const LinearOperator& A, const Vector& b, Vector& x,
            const LinearOperator* preconditioner)
      : options_(options),
        A_(A),
        b_(b),
        x_(x),
        device_(A.device()),
        size_(A.rows()),
        kernels_(kernels<ConjugateGradientKernels>(device_, solver_kernels, "conjugate gradient")),
        vectors_(kernels<VectorKernels>(device_, solver_kernels, "vector")),
        r_(device_, size_, "vectors"),
        p_(device_, size_, "vectors"),
        q_(device_, size_, "vectors"),
        numbers_(device_, number_count, "vectors") {
    if (preconditioner != nullptr && preconditioner->diagonal_only() != nullptr)
      diagonal_ = preconditioner->diagonal_only()->data();
    else
      preconditioner_ = preconditioner;
    if (preconditioner_ != nullptr) z_ = Vector(device_, size_, "vectors");
    report_.method = "conjugate gradients";
    report_.preconditioner = preconditioner == nullptr ? "none" : preconditioner->name();
  }

  SolveReport solve(double b_norm) {
    if (!std::isfinite(b_norm)) return stop_at_bad_entry(b_, "the right-hand side");
    if (b_norm == 0) return stop_at_zero();
    if (const Index bad = first_not_finite(x_); bad >= 0) return stop_at_bad_entry(x_, "the initial guess");
    const double target = std::max(options_.relative * b_norm, options_.absolute);
    double residual = true_residual();
    while (true) {
      report_.true_relative_residual = residual / b_norm;
      if (!std::isfinite(residual)) return stop_at_bad_entry(r_, "the residual b - A x");
      if (residual <= target) return stop(StopReason::converged);
      const StopReason reason = iterate(target, b_norm);
      const double before = residual;
      residual = true_residual();
      report_.true_relative_residual = residual / b_norm;
      if (residual <= target) return stop(StopReason::converged);
      if (reason == StopReason::not_finite) return stop_at_bad_entry(r_, "the residual b - A x");
      if (reason != StopReason::converged) return stop(reason);
      if (!(residual < 0.5 * before)) return stop(StopReason::stagnated);
      ++report_.restarts;
    }
  }

 private:
  // Device numbers: p.q, and {r.z, r.r} of this iteration and the one before, which change places.
  static constexpr int number_count = 5;
  const double* pq() const { return numbers_.data(); }
  double* sums(int turn) { return numbers_.data() + 1 + 2 * turn; }

  // r = b - A x, recomputed
  double true_residual() {
    A_.apply(x_, q_);
    kernels_.residual(device_, size_, b_.data(), q_.data(), r_.data(), sums(0));
    double square = 0;
    device_.machine().read_scalars(&square, sums(0), 1);
    return std::sqrt(square);
  }

  // From the residual in r until the recursion says that the target is reached, or something stops it.
  StopReason iterate(double target, double b_norm) {
    if (report_.iterations >= options_.max_iterations) return StopReason::iteration_limit;
    int now = 0;
    report_.steps.clear();
    kernels_.start(device_, size_, diagonal_, r_.data(), sums(now));
    precondition(now);
    p_.fill_zero();
    turn_to(now, now);
    while (true) {
      A_.apply_dot(p_, q_, numbers_.data());
      const int before = now;
      now = 1 - now;
      kernels_.update(device_, size_, sums(before), pq(), p_.data(), q_.data(), diagonal_, x_.data(), r_.data(), sums(now));
      precondition(now);

      double numbers[number_count];
      device_.machine().read_scalars(numbers, numbers_.data(), number_count);
      const double p_q = numbers[0], rz_before = numbers[1 + 2 * before], rr = numbers[2 + 2 * now];
      if (!std::isfinite(p_q) || !std::isfinite(rr) || !std::isfinite(rz_before)) return StopReason::not_finite;
      if (rz_before == 0) return StopReason::breakdown;
      if (rz_before < 0) return StopReason::indefinite_preconditioner;
      if (p_q <= 0) return StopReason::indefinite_matrix;
      ++report_.iterations;
      report_.history.push_back(std::sqrt(rr) / b_norm);
      report_.steps.push_back({rz_before / p_q, rz_before, numbers[1 + 2 * now]});
      // A little below the target, or rounding alone would make the recomputed residual miss it; and never so far down
      // that products of tiny numbers underflow.
      if (std::sqrt(rr) <= std::max(0.99 * target, 1e-18 * b_norm)) return StopReason::converged;
      if (report_.iterations >= options_.max_iterations) return StopReason::iteration_limit;
      turn_to(now, before);
    }
  }

  // z = M r and r.z, where M is not a diagonal
  void precondition(int turn) {
    if (preconditioner_ == nullptr) return;
    preconditioner_->apply(r_, z_);
    vectors_.dot(device_, size_, r_.data(), z_.data(), sums(turn));
  }

  // p = z + beta p
  void turn_to(int now, int before) {
    const Vector& z = preconditioner_ != nullptr ? z_ : r_;
    kernels_.direction(device_, size_, sums(now), sums(before), diagonal_, z.data(), p_.data());
  }

  SolveReport stop(StopReason reason) {
    report_.reason = reason;
    return std::move(report_);
  }

  SolveReport stop_at_zero() {
    x_.fill_zero();
    return stop(StopReason::converged);
  }

  SolveReport stop_at_bad_entry(const Vector& v, const char* what) {
    report_.entry = first_not_finite(v);
    report_.true_relative_residual = std::numeric_limits<double>::quiet_NaN();
    if (report_.entry >= 0)
      report_.where = fmt::format("entry {} of {} is {}", report_.entry, what, v.host()[static_cast<std::size_t>(report_.entry)]);
    else
      report_.where = fmt::format("{} is too large for double precision", what);
    return stop(StopReason::not_finite);
  }

  const ConjugateGradient& options_;
  const LinearOperator& A_;
  const Vector& b_;
  Vector& x_;
  const Device device_;
  const Index size_;
  const ConjugateGradientKernels& kernels_;
  const VectorKernels& vectors_;
  const LinearOperator* preconditioner_ = nullptr;  // nullptr: none, or a diagonal
  const double* diagonal_ = nullptr;
  Vector r_, p_, q_, z_, numbers_;
  SolveReport report_;
};

void check(const LinearOperator& A, const Vector& b, const Vector& x, const LinearOperator* preconditioner) {
  if (A.rows() != A.columns()) throw_size_mismatch(A.rows(), A.columns());
  if (b.size() != A.rows()) throw_size_mismatch(A.rows(), b.size());
  if (x.size() != A.rows()) throw_size_mismatch(A.rows(), x.size());
  if (preconditioner != nullptr && preconditioner->rows() != A.rows()) throw_size_mismatch(A.rows(), preconditioner->rows());
}

}  // namespace

SolveReport ConjugateGradient::solve(const LinearOperator& A, const Vector& b, Vector& x,
                                     const LinearOperator* preconditioner) const {
  check(A, b, x, preconditioner);
  // Sums of squares leave the range of double precision long before the entries do: bring b near one.
  const double b_norm = norm2(b);
  if (std::isfinite(b_norm) && b_norm != 0 && (b_norm < 1e-100 || b_norm > 1e100)) {
    const double power = std::ldexp(1.0, std::clamp(-std::ilogb(b_norm), -1000, 1000));
    Vector scaled(b.device(), b.size(), "vectors");
    axpby(power, b, 0.0, scaled);
    axpby(power, x, 0.0, x);
    ConjugateGradient options = *this;
    options.absolute *= power;
    const SolveReport report = Iteration(options, A, scaled, x, preconditioner).solve(norm2(scaled));
    axpby(1 / power, x, 0.0, x);
    return report;
  }
  return Iteration(*this, A, b, x, preconditioner).solve(b_norm);
}

}  // namespace ritz
