#include "solvers/krylov/minres.hpp"

#include "device/communicator.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/krylov/krylov_kernels.hpp"

#include <cmath>

namespace ritz {
namespace {

// The names are those of Paige and Saunders: r1 and r2 are the last two Lanczos vectors, not normalised, y = M r2, w1
// and w2 the last two directions.
class MinresIteration {
 public:
  explicit MinresIteration(const KrylovRun& run)
      : kernels_(kernels<KrylovKernels>(run.device, solver_kernels, "krylov")),
        numbers_(run.device, number_count, "vectors"),
        read_(run.device, number_count) {
    for (Vector* v : {&r1_, &r2_, &w1_, &w2_}) *v = Vector(run.device, run.size, "vectors");
    if (run.M != nullptr)
      for (Vector* v : {&y_, &next_y_}) *v = Vector(run.device, run.size, "vectors");
  }

  // On a device of its own the next product is launched before the host looks at the numbers of this iteration: it
  // needs the new Lanczos vector alone.
  StopReason iterate(KrylovRun& run) {
    for (Vector* v : {&r1_, &w1_, &w2_}) v->fill_zero();
    run.count(3);
    copy(run.r, r2_);
    const Vector* y = &run.preconditioned(r2_, y_);
    begin_dots(run, *y);
    const double square = finish_dots().r2_y;
    if (!(square > 0)) return reason_for(square);
    double beta = std::sqrt(square), last_beta = beta;
    double phibar = beta, dbar = 0, epsilon = 0, cs = -1, sn = 0;
    multiply(run, *y);
    for (bool first = true;; first = false) {
      const double s = 1 / beta;
      run.count(4);
      kernels_.lanczos(run.device, run.size, s, first ? 0 : beta / last_beta, numbers_.data(), run.q.data(), r2_.data(),
                       r1_.data());
      r1_.swap(r2_);
      const Vector* next_y = &run.preconditioned(r2_, next_y_);
      begin_dots(run, *next_y);
      const bool launched = run.launches_ahead();
      if (launched) multiply(run, *next_y);
      const Dots dots = finish_dots();
      if (!std::isfinite(dots.r2_y) || !std::isfinite(dots.y_q)) return StopReason::not_finite;
      if (dots.r2_y < 0) return StopReason::indefinite_preconditioner;
      const double alpha = dots.y_q * s * s;
      last_beta = beta;
      beta = std::sqrt(dots.r2_y);

      // The next rotation of the QR decomposition of the tridiagonal matrix.
      const double last_epsilon = epsilon, delta = cs * dbar + sn * alpha, gbar = sn * dbar - cs * alpha;
      epsilon = sn * beta;
      dbar = -cs * beta;
      const double gamma = std::hypot(gbar, beta);
      if (gamma == 0) return StopReason::breakdown;  // singular, and b is not in the range
      cs = gbar / gamma;
      sn = beta / gamma;
      const double phi = cs * phibar;
      phibar *= sn;
      // r = sn^2 r - cs phibar v, of the new Lanczos vector v = r2 / beta; its norm from the products at hand
      const double a = sn * sn, c = beta > 0 ? cs * (phibar / beta) : 0;
      const double rr = a * (a * dots.r_r) - 2 * a * (c * dots.r_r2) + c * (c * dots.r2_r2);
      // y is one step late: without a preconditioner it is the present r1
      const Vector& old_y = run.M == nullptr ? r1_ : *y;
      run.count(9);
      kernels_.minres_update(run.device, run.size, {s, last_epsilon, delta, 1 / gamma, phi, a, c}, old_y.data(),
                             w2_.data(), r2_.data(), w1_.data(), run.x.data(), run.r.data());
      w1_.swap(w2_);
      if (const auto reason = run.after_iteration(std::sqrt(std::max(rr, 0.0)))) return *reason;
      if (beta == 0) return StopReason::converged;  // the space is exhausted
      if (run.M != nullptr) y_.swap(next_y_);
      y = run.M == nullptr ? &r2_ : &y_;
      if (!launched) multiply(run, *y);
    }
  }

 private:
  struct Dots {
    double y_q, r2_y, r2_r2, r_r2, r_r;
  };
  static constexpr int number_count = 5;

  void multiply(KrylovRun& run, const Vector& y) {
    run.A.apply_dot(y, run.q, numbers_.data());
    Communicator(run.device).complete(numbers_.data(), 1);
  }

  void begin_dots(const KrylovRun& run, const Vector& y) {
    run.count(run.M == nullptr ? 2 : 3);  // without M, y is r2
    kernels_.lanczos_dots(run.device, run.size, r2_.data(), y.data(), run.r.data(), numbers_.data() + 1);
    Communicator(run.device).complete(numbers_.data() + 1, number_count - 1);
    read_.begin(numbers_.data(), number_count);
  }
  Dots finish_dots() {
    double n[number_count];
    read_.finish(n);
    return {n[0], n[1], n[2], n[3], n[4]};
  }

  static StopReason reason_for(double square) {
    if (std::isnan(square)) return StopReason::not_finite;
    return square < 0 ? StopReason::indefinite_preconditioner : StopReason::breakdown;
  }

  const KrylovKernels& kernels_;
  Vector r1_, r2_, w1_, w2_, y_, next_y_, numbers_;
  PendingSum read_;
};

}  // namespace

SolveReport Minres::solve(const LinearOperator& A, const Vector& b, Vector& x,
                          const LinearOperator* preconditioner) const {
  KrylovRun run({relative, absolute, max_iterations, give_up}, A, b, x, preconditioner);
  std::optional<MinresIteration> iteration;
  while (run.goes_on()) {
    if (!iteration) iteration.emplace(run);
    run.judge(iteration->iterate(run));
  }
  return run.finish("MINRES");
}

}  // namespace ritz
