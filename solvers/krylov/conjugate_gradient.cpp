#include "solvers/krylov/conjugate_gradient.hpp"

#include "device/communicator.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient_kernels.hpp"
#include "solvers/krylov/krylov.hpp"

#include <cmath>

namespace ritz {
namespace {

// The vectors of one solve, and its numbers on the device.
class ConjugateGradientIteration {
 public:
  ConjugateGradientIteration(const KrylovRun& run, bool flexible)
      : flexible_(flexible),
        device_(run.device),
        size_(run.size),
        kernels_(kernels<ConjugateGradientKernels>(device_, solver_kernels, "conjugate gradient")),
        p_(device_, size_, "vectors"),
        numbers_(device_, number_count, "vectors"),
        read_(device_, number_count) {
    if (run.M != nullptr && run.M->diagonal_only() != nullptr) diagonal_ = run.M->diagonal_only()->data();
    else preconditioner_ = run.M;
    flexible_ = flexible && preconditioner_ != nullptr;
    if (preconditioner_ != nullptr) {
      z_ = Vector(device_, size_, "vectors");
      single_ = preconditioner_->single_argument();
    }
    numbers_.fill_zero();
  }

  // The direction takes x along, which is behind the residual by a step until then. The host looks at the numbers of an
  // iteration when the next one is already launched: preconditioner, direction and product change neither the residual
  // nor its norm. Where the iteration under way may be the last, it looks first, and x is taken along by itself; and on
  // a CPU, where nothing would run meanwhile. Either way the numbers are the same.
  StopReason iterate(KrylovRun& run) {
    int now = 0;
    run.report.steps.clear();
    count(diagonal_ != nullptr ? 3 : 1);
    count_single();
    kernels_.start(device_, size_, diagonal_, run.r.data(), single_, sums(now));
    complete(sums(now), 2);
    precondition(run, now);
    p_.fill_zero();
    turn_to(run, now, now);
    multiply(run);
    while (true) {
      const int before = now;
      now = 1 - now;
      count(diagonal_ != nullptr ? 4 : 3);
      count_single();
      kernels_.update(device_, size_, alpha(before), run.q.data(), diagonal_, run.r.data(), single_, sums(now));
      complete(sums(now), 2);
      read_.begin(numbers_.data(), number_count);
      const bool launched = run.launches_ahead();
      if (launched) launch_next(run, now, before);
      double numbers[number_count];
      read_.finish(numbers);
      const std::optional<StopReason> reason = judge(run, numbers, now, before);
      if (reason && !launched) take_step(run, before);
      if (reason) return *reason;
      if (!launched) launch_next(run, now, before);
    }
  }

 private:
  // Device numbers: p.q, and {-z.q, r.z, r.r} of this iteration and the one before, which change places.
  static constexpr int number_count = 7;
  static constexpr int place_of(int turn) { return 1 + 3 * turn; }
  const double* pq() const { return numbers_.data(); }
  double* minus_zq(int turn) { return numbers_.data() + place_of(turn); }
  double* sums(int turn) { return minus_zq(turn) + 1; }
  Quotient alpha(int turn) { return {sums(turn), pq()}; }

  // Vectors read or written.
  void count(Index vectors) const { device_.profile().count(vectors * size_ * Index{sizeof(double)}); }

  void count_single() const {
    if (single_ != nullptr) device_.profile().count(size_ * Index{sizeof(float)});
  }

  std::optional<StopReason> judge(KrylovRun& run, const double* numbers, int now, int before) const {
    const double* const old = numbers + place_of(before);
    const double* const fresh = numbers + place_of(now);
    const double p_q = numbers[0], rz_before = old[1], rr_before = old[2], rr = fresh[2];
    if (!std::isfinite(p_q) || !std::isfinite(rr) || !std::isfinite(rz_before)) return StopReason::not_finite;
    if (rz_before == 0) return StopReason::breakdown;
    if (rz_before < 0) return StopReason::indefinite_preconditioner;
    if (p_q <= 0) return StopReason::indefinite_matrix;
    if (!flexible_)
      add_step(run.report, p_q, rz_before, preconditioner_ == nullptr ? fresh[1] : rz_before * (rr / rr_before));
    return run.after_iteration(std::sqrt(rr));
  }

  // All of the next iteration that does not touch the residual.
  void launch_next(KrylovRun& run, int now, int before) {
    precondition(run, now);
    turn_to(run, now, before);
    multiply(run);
  }

  void multiply(KrylovRun& run) {
    run.A.apply_dot(p_, run.q, numbers_.data());
    complete(numbers_.data(), 1);
  }

  void complete(double* numbers, int count) const { Communicator(device_).complete(numbers, count); }

  // z = M r and r.z, where M is not a diagonal
  void precondition(const KrylovRun& run, int turn) {
    if (preconditioner_ == nullptr) return;
    double* const dots = flexible_ ? minus_zq(turn) : sums(turn);
    if (single_ != nullptr) {
      preconditioner_->apply_single(run.r, z_, flexible_ ? &run.q : nullptr, dots);
    } else if (flexible_) {
      preconditioner_->apply(run.r, z_);
      count(3);
      kernels_.flexible_dots(device_, size_, run.r.data(), z_.data(), run.q.data(), dots);
    } else {
      preconditioner_->apply_dot(run.r, z_, dots);
    }
    complete(dots, flexible_ ? 2 : 1);
  }

  // x += alpha p, and p = z + beta p. Polak and Ribiere: beta = z.(r - r_before) / (r.z)_before, and r - r_before =
  // -alpha q.
  void turn_to(const KrylovRun& run, int now, int before) {
    const Vector& z = preconditioner_ != nullptr ? z_ : run.r;
    const Quotient beta = flexible_ ? Quotient{minus_zq(now), pq()} : Quotient{sums(now), sums(before)};
    count(5);
    kernels_.direction(device_, size_, alpha(before), beta, z.data(), p_.data(), run.x.data());
  }

  void take_step(const KrylovRun& run, int before) {
    count(3);
    kernels_.step(device_, size_, alpha(before), p_.data(), run.x.data());
  }

  bool flexible_;
  const Device device_;
  const Index size_;
  const ConjugateGradientKernels& kernels_;
  const LinearOperator* preconditioner_ = nullptr;  // nullptr: none, or a diagonal
  const double* diagonal_ = nullptr;
  float* single_ = nullptr;  // where the preconditioner takes the residual in single precision
  Vector p_, z_, numbers_;
  PendingSum read_;
};

// A residual that stagnates at rounding level is the best that double precision allows. If the last correction was
// small enough in energy, the solution counts, as a direct one does (DirectSolver::judge).
void judge_stagnation(const LinearOperator& A, const Vector& b, const Vector& x, double relative, SolveReport& report) {
  double correction = 0;
  for (const SolveReport::Step& step : report.steps) correction += step.length * step.product;
  const double error = std::sqrt(correction / dot(x, b));
  if (!(error <= relative)) return;
  Vector rounded(x.device(), x.size(), "vectors"), product(x.device(), x.size(), "vectors");
  const double rounding = rounding_residual(A, x, rounded, product) / norm2(b);
  if (!(report.true_relative_residual <= std::min(residual_of_rounding * rounding, largest_residual_of_rounding)))
    return;
  report.reason = StopReason::converged;
  report.where = rounding_text(rounding);
  report.error_estimate = error;
  report.error_norm = "energy";
}

}  // namespace

SolveReport ConjugateGradient::solve(const LinearOperator& A, const Vector& b, Vector& x,
                                     const LinearOperator* preconditioner) const {
  KrylovRun run({relative, absolute, max_iterations, give_up}, A, b, x, preconditioner);
  std::optional<ConjugateGradientIteration> iteration;
  while (run.goes_on()) {
    if (!iteration) iteration.emplace(run, flexible);
    run.judge(iteration->iterate(run));
  }
  SolveReport report = run.finish(flexible ? "flexible conjugate gradients" : "conjugate gradients");
  iteration.reset();
  if (report.reason == StopReason::stagnated && !report.steps.empty()) judge_stagnation(A, b, x, relative, report);
  return report;
}

}  // namespace ritz
