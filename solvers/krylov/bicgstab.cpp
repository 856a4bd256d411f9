#include "solvers/krylov/bicgstab.hpp"

#include "device/communicator.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vector_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/krylov/krylov_kernels.hpp"

#include <cmath>

namespace ritz {
namespace {

class BicgstabIteration {
 public:
  explicit BicgstabIteration(const KrylovRun& run)
      : kernels_(kernels<KrylovKernels>(run.device, solver_kernels, "krylov")),
        vectors_(kernels<VectorKernels>(run.device, solver_kernels, "vector")),
        numbers_(run.device, number_count, "vectors"),
        read_(run.device, number_count) {
    for (Vector* v : {&shadow_, &p_, &v_}) *v = Vector(run.device, run.size, "vectors");
    if (run.M != nullptr)
      for (Vector* v : {&Mp_, &Ms_}) *v = Vector(run.device, run.size, "vectors");
    else Ms_ = Vector(run.device, run.size, "vectors");
  }

  // On a device of its own the next direction and its product are launched before the host looks at the numbers of this
  // iteration: they change neither the solution nor the residual.
  StopReason iterate(KrylovRun& run) {
    const Device& device = run.device;
    const Index n = run.size;
    copy(run.r, shadow_);
    copy(run.r, p_);
    run.count(2);
    int now = 0;
    const Communicator all(device);
    vectors_.dot(device, n, shadow_.data(), run.r.data(), rho(now));
    all.complete(rho(now), 1);
    multiply(run);
    while (true) {
      run.count(5);
      vectors_.dot(device, n, shadow_.data(), v_.data(), shadow_v());
      all.complete(shadow_v(), 1);
      kernels_.bicg_half(device, n, rho(now), shadow_v(), v_.data(), run.r.data());
      copy_or_precondition(run);
      run.A.apply(Ms_, run.q);
      run.count(10);
      kernels_.bicg_dots(device, n, run.q.data(), run.r.data(), t_dots());
      all.complete(t_dots(), 2);
      const Vector& Mp = run.M == nullptr ? p_ : Mp_;
      kernels_.bicg_update(device, n, rho(now), shadow_v(), t_dots(), Mp.data(), Ms_.data(), run.q.data(),
                           shadow_.data(), run.x.data(), run.r.data(), rho(1 - now));
      all.complete(rho(1 - now), 2);
      read_.begin(numbers_.data(), number_count);
      const bool launched = run.launches_ahead();
      if (launched) turn(run, now);
      double k[number_count];
      read_.finish(k);
      const double sv = k[0], ts = k[1], tt = k[2], rho_now = k[3 + 2 * now], rho_next = k[5 - 2 * now],
                   rr = k[6 - 2 * now];
      for (const double value : {sv, ts, tt, rho_now, rho_next, rr})
        if (!std::isfinite(value)) return StopReason::not_finite;
      if (const auto reason = run.after_iteration(std::sqrt(rr))) return *reason;
      if (sv == 0 || tt == 0 || ts == 0 || rho_now == 0 || rho_next == 0) return StopReason::breakdown;
      if (!std::isfinite((rho_next / rho_now) * ((rho_now / sv) / (ts / tt)))) return StopReason::breakdown;
      if (!launched) turn(run, now);
      now = 1 - now;
    }
  }

 private:
  // Device numbers: shadow.v, {t.s, t.t}, and {rho, r.r} of this iteration and the next, which change places.
  static constexpr int number_count = 7;
  double* shadow_v() { return numbers_.data(); }
  double* t_dots() { return numbers_.data() + 1; }
  double* rho(int turn) { return numbers_.data() + 3 + 2 * turn; }

  // The next direction, and its product.
  void turn(KrylovRun& run, int now) {
    run.count(4);
    kernels_.bicg_direction(run.device, run.size, rho(now), rho(1 - now), shadow_v(), t_dots(), run.r.data(), v_.data(),
                            p_.data());
    multiply(run);
  }
  void multiply(KrylovRun& run) { run.A.apply(run.preconditioned(p_, Mp_), v_); }

  // s is in r, which becomes the next residual: x needs s (or M s) after that.
  void copy_or_precondition(const KrylovRun& run) {
    if (run.M == nullptr) copy(run.r, Ms_);
    else run.M->apply(run.r, Ms_);
  }

  const KrylovKernels& kernels_;
  const VectorKernels& vectors_;
  Vector shadow_, p_, v_, Mp_, Ms_, numbers_;
  PendingSum read_;
};

}  // namespace

SolveReport Bicgstab::solve(const LinearOperator& A, const Vector& b, Vector& x,
                            const LinearOperator* preconditioner) const {
  KrylovRun run({relative, absolute, max_iterations, give_up}, A, b, x, preconditioner);
  std::optional<BicgstabIteration> iteration;
  while (run.goes_on()) {
    if (!iteration) iteration.emplace(run);
    run.judge(iteration->iterate(run));
  }
  return run.finish("BiCGSTAB");
}

}  // namespace ritz
