#include "fem/analysis/central_differences.hpp"

#include "fem/analysis/lumped_mass.hpp"
#include "fem/analysis/support_motion.hpp"
#include "solvers/algebra/dense_symmetric.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <utility>

namespace ritz {
namespace {

using Product = std::function<void(const Vector& x, Vector& y)>;

// The largest eigenvalue of A q = lambda M q, both symmetric, by Lanczos' method from the force `start`: from below, to
// about 1e-6.
double largest_eigenvalue(const Product& A, const Product& inverse_masses, Vector start) {
  const auto vector = [&] { return Vector(start.device(), start.size(), "vectors"); };
  Vector q = vector(), w = vector(), before = vector(), r = vector(), p = std::move(start);  // p = M q
  inverse_masses(p, q);
  const double size = std::sqrt(dot(p, q));
  for (Vector* each : {&p, &q}) axpby(0.0, *each, 1 / size, *each);
  fill(0.0, before);
  std::vector<double> diagonal, beside;
  double found = 0;
  for (int step = 1; step <= 200; ++step) {
    A(q, r);
    diagonal.push_back(dot(q, r));
    axpy(-diagonal.back(), p, r);
    if (!beside.empty()) axpy(-beside.back(), before, r);
    inverse_masses(r, w);
    beside.push_back(std::sqrt(std::max(0.0, dot(r, w))));
    const bool is_all = !(beside.back() > 1e-12 * diagonal.front());
    if (step % 10 == 0 || is_all) {
      const auto n = static_cast<std::size_t>(step);
      std::vector<double> T(n * n, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        T[i * n + i] = diagonal[i];
        if (i > 0) T[i * n + i - 1] = beside[i - 1];
      }
      const double value = symmetric_eigen(std::move(T), step).values.back();
      if (is_all || value - found <= 1e-6 * value) return value;
      found = value;
    }
    std::swap(before, p);
    axpby(1 / beside.back(), r, 0.0, p);
    axpby(1 / beside.back(), w, 0.0, q);
  }
  return found;
}

// The same on as many ranks.
Vector start_vector(const Equations& equations) {
  const Layout& layout = equations.layout();
  Index count = 0;
  for (int field = 0; field < layout.count(); ++field) count += layout.size_over_all(field);
  Vector all(equations.device().alone(), count, "vectors"), start = equations.zeros();
  fill_start_vector(all);
  layout.own(all, start);
  return start;
}

// M a + alpha M v + r(u, t) = 0 with masses at the nodes:
//   v_half = v + h/2 a;  u_1 = u + h v_half;  a_1 = -M^-1 r(u_1) - alpha v_1;  v_1 = v_half + h/2 a_1
// Belytschko, Liu and Moran, Nonlinear Finite Elements for Continua and Structures, 2000, section 6.2. Stable for
// h <= 2 / omega of the highest frequency. Equations between unknowns, u = T v + g, and masses of reference points join
// masses: the accelerations of v are those of T^T M T (NodalMasses). Unknowns at the begin of a step have no mark,
// those at its end a _1.
class ExplicitSteps final : public Integrator {
 public:
  ExplicitSteps(TimeProblem& problem, const TransientModel& model)
      : Integrator("central differences", 2),
        problem_(problem),
        state_(problem.state),
        equations_(*problem.equations),
        supports_(*problem.supports),
        damping_(model.damping.mass),
        loads_(equations_.forces(Equations::Forces::loads)),
        masses_(lumped_mass(model.rates, supports_.host_mask()), attached_of(model), supports_),
        motion_(supports_, equations_.zeros(), problem_.options.end) {
    problem_.judges = false;
    for (Vector* each : {&u_, &v_, &a_, &r_, &u_1_, &v_1_, &a_1_, &r_1_, &work_, &product_, &reaction_, &inner_,
                         &force_, &inner_1_, &force_1_})
      *each = equations_.zeros();
  }

 private:
  void start() override {
    auto phase = problem_.profile().phase("assembly");
    u_ = problem_.on_device(state_.u);
    if (!state_.v.empty()) v_ = problem_.on_device(state_.v);
    problem_.set_time(problem_.begin, problem_.begin);
    equations_.inputs().set_factor_of_rates(0);
    problem_.set_points_at_begin();
    choose_step();
    motion_.start(problem_.begin, state_.control.size);
    motion_.fit(masses_.lumped(), u_);
    supports_.set_values(u_);
    motion_.put_rates(motion_.v(), v_);
    equations_.residual(u_, r_);
    problem_.check_residual_at_begin(r_);
    find_forces(u_, r_, inner_, force_);
    find_acceleration(r_, v_, 0, a_);
    EnergyBalance& energy = state_.energy;
    energy.kinetic = kinetic(v_);
    energy.strain = 0.5 * dot(u_, inner_);
    energy.begin = energy.kinetic + energy.strain;
  }

  void resume() override {
    equations_.inputs().set_factor_of_rates(0);
    u_ = problem_.on_device(state_.u);
    v_ = problem_.on_device(state_.v);
    a_ = problem_.on_device(state_.a);
    r_ = problem_.on_device(state_.r);
    motion_.resume();
    find_forces(u_, r_, inner_, force_);
  }

  void begin_step() override {
    if (!problem_.linear && state_.steps > 0 && state_.steps % steps_between_estimates == 0) choose_step();
  }

  // Forces on the free unknowns.
  void keep_free(Vector& f) const {
    supports_.gather(f);
    supports_.set_zero(f);
  }

  // The tangent at u and the masses have omega^2 for eigenvalues.
  double longest_stable_step() {
    Vector start = start_vector(equations_), moved = equations_.zeros();
    keep_free(start);
    const auto stiffness = [&](const Vector& x, Vector& y) {
      copy(x, moved);
      supports_.set_linear(moved);
      equations_.action(u_, moved, y);
      keep_free(y);
    };
    const auto inverse = [&](const Vector& f, Vector& x) { masses_.accelerate(f, x); };
    const double largest = largest_eigenvalue(stiffness, inverse, std::move(start));
    return largest > 0 ? 2 / std::sqrt(largest) : problem_.options.end;
  }

  void choose_step() {
    auto phase = problem_.profile().phase("stable step");
    const double stable = longest_stable_step(), fixed = problem_.options.fixed_step;
    if (fixed > stable * (1 + 1e-3))
      throw Error(
          ErrorKind::explicit_steps, fmt::format("steps of {:g} by central differences", fixed),
          fmt::format("the highest frequency of the mesh allows {:.4g} at most at t = {:g}", stable, state_.time),
          "take shorter steps, larger cells, or the generalised-alpha method");
    state_.control.size = fixed > 0 ? fixed : problem_.options.central_differences->part * stable;
    if (problem_.options.largest_step > 0)
      state_.control.size = std::min(state_.control.size, problem_.options.largest_step);
  }

  // Adds the inertia of supports that move, which equations and masses of reference points pass on to free unknowns.
  const Vector& with_inertia_of_supports(const Vector& r) {
    if (!supports_.varies_in_time()) return r;
    copy(motion_.a(), product_);
    axpy(damping_, motion_.v(), product_);
    supports_.set_linear(product_);
    masses_.times(product_, work_);
    axpy(1.0, r, work_);
    return work_;
  }

  // Acceleration of free unknowns; v, half a step earlier, becomes that at r: a = -(M^-1 r + alpha v) with v += h/2 a.
  void find_acceleration(const Vector& r, Vector& v, double half_step, Vector& a) {
    masses_.accelerate(with_inertia_of_supports(r), a);
    axpby(-damping_, v, -1.0, a);
    axpby(0.0, a, 1 / (1 + damping_ * half_step), a);
    motion_.put_rates(motion_.a(), a);
    axpy(half_step, a, v);
    motion_.put_rates(motion_.v(), v);
  }

  double take(const TimeStep& step) override {
    const double h = step.dt;
    problem_.dt_in_use = h;
    copy(v_, v_1_);
    axpy(0.5 * h, a_, v_1_);
    copy(u_, u_1_);
    axpy(h, v_1_, u_1_);
    problem_.set_time(step.end, state_.time);
    motion_.move(step.end, h);
    supports_.set_values(u_1_);
    equations_.residual(u_1_, r_1_);
    find_acceleration(r_1_, v_1_, 0.5 * h, a_1_);
    if (!std::isfinite(norm2(r_1_)))
      throw Error(ErrorKind::not_converged, fmt::format("forces are not finite at t = {:g}", step.end),
                  "the motion has grown without bound: the body stiffens, or a form overflows",
                  "take a smaller part of the stable step");
    return 0;
  }

  double kinetic(const Vector& v) {
    masses_.times(v, product_);
    return 0.5 * dot(v, product_);
  }
  // r = inner - force
  void find_forces(const Vector& u, const Vector& r, Vector& inner, Vector& force) {
    loads_->inputs().set_time(equations_.time());
    loads_->residual(u, force);
    axpby(0.0, force, -1.0, force);
    copy(r, inner);
    axpy(1.0, force, inner);
  }
  // The forces that hold the prescribed unknowns: M (a + alpha v) + r.
  void find_reaction(const Vector& a, const Vector& v, const Vector& r, Vector& reaction) {
    copy(a, product_);
    axpy(damping_, v, product_);
    masses_.times(product_, reaction);
    axpy(1.0, r, reaction);
    supports_.gather(reaction);
    supports_.keep_prescribed(reaction);
  }

  void accept(const TimeStep&) override {
    find_forces(u_1_, r_1_, inner_1_, force_1_);
    copy(u_1_, work_);
    axpy(-1.0, u_, work_);
    EnergyBalance& energy = state_.energy;
    energy.kinetic = kinetic(v_1_);
    energy.strain += 0.5 * (dot(work_, inner_) + dot(work_, inner_1_));
    energy.by_loads += 0.5 * (dot(work_, force_) + dot(work_, force_1_));
    if (damping_ != 0)
      for (const Vector* v : {&v_, &v_1_}) {
        masses_.times(*v, product_);
        energy.damped += 0.5 * damping_ * dot(work_, product_);
      }
    if (supports_.varies_in_time())
      for (const auto& [a, v, r] : {std::tuple{&a_, &v_, &r_}, {&a_1_, &v_1_, &r_1_}}) {
        find_reaction(*a, *v, *r, reaction_);
        energy.by_supports += 0.5 * dot(work_, reaction_);
      }
    if (equations_.facts().has_states) equations_.states().commit(u_1_);
    for (const auto& [before, after] :
         {std::pair{&u_, &u_1_}, {&v_, &v_1_}, {&a_, &a_1_}, {&r_, &r_1_}, {&inner_, &inner_1_}, {&force_, &force_1_}})
      std::swap(*before, *after);
    state_.u = u_.host();
    state_.v = v_.host();
    state_.a = a_.host();
    state_.r = r_.host();
  }

  SolutionView view() override {
    auto phase = problem_.profile().phase("reactions");
    find_reaction(a_, v_, r_, work_);
    forces_ = equations_.forces_for_results(work_);
    return {.u = u_,
            .reaction = forces_,
            .tolerance = problem_.options.newton.relative,
            .time = state_.time,
            .velocity = &v_,
            .acceleration = &a_,
            .energy = &state_.energy};
  }

  TimeProblem& problem_;
  State& state_;
  Equations& equations_;
  Supports& supports_;
  static constexpr Index steps_between_estimates = 100;
  const double damping_;
  const std::unique_ptr<Equations> loads_;  // those integrals of the equations that are forces from outside
  const NodalMasses masses_;
  SupportMotion motion_;
  Vector u_, v_, a_, r_, u_1_, v_1_, a_1_, r_1_;
  Vector work_, product_, reaction_;
  Vector inner_, force_, inner_1_, force_1_;  // of the body and the loads
  std::vector<double> forces_;
};

}  // namespace

std::unique_ptr<Integrator> central_differences(TimeProblem& problem, const TransientModel& model) {
  return std::make_unique<ExplicitSteps>(problem, model);
}

}  // namespace ritz
