#include "fem/analysis/implicit_evolution.hpp"
#include "fem/analysis/support_motion.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/time/generalised_alpha.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

constexpr int estimate_order = 3;  // of the local error of u

// M a + C v + r(u, t) = 0 by the generalised-alpha method. M has the masses of reference points, too.
// Stiffness-proportional damping is taken into the residual: for linear equations K u + b K v = K w with w = u + b v.
// At the end of a step w = w_ahead + s (u - u_ahead), so that
//
//   (r(w, t) + factor M w - what is known) / s = 0
//
// has the tangent r' + factor M, and is all that a step solves: v and a follow from u. Unknowns at the begin of the
// step have no mark, those at its end a _1, and those that a = 0 at the end would lead to are called ahead.
class SecondOrderEvolution final : public ImplicitEvolution {
 public:
  SecondOrderEvolution(const TransientModel& model, Transient options, const Observer& observer)
      : ImplicitEvolution(model, std::move(options), observer, "generalised alpha", estimate_order),
        method_(generalised_alpha(options_.spectral_radius)),
        damping_(model.damping),
        loads_(equations_->loads()),
        motion_(*supports_, equations_->zeros(), options_.end) {
    for (Vector* each :
         {&u_, &v_,     &a_,    &r_,       &u_1_,   &v_1_,   &a_1_,  &r_1_,     &u_ahead_, &v_ahead_, &w_ahead_,
          &w_, &known_, &work_, &product_, &inner_, &force_, &drag_, &inner_1_, &force_1_, &drag_1_})
      *each = equations_->zeros();
  }

 private:
  void start() override {
    auto phase = profile().phase("assembly");
    u_ = Vector(equations_->device(), std::span<const double>(state_.u), "vectors");
    if (!state_.v.empty()) v_ = Vector(equations_->device(), std::span<const double>(state_.v), "vectors");
    set_time(begin_, begin_);
    set_points_at_begin();
    set_first_size();
    motion_.start(begin_, state_.control.size);
    if (options_.from_equilibrium) find_equilibrium();
    else motion_.fit(rates_->diagonal(u_), u_);
    supports_->set_values(u_);
    motion_.put_rates(motion_.v(), v_);
    find_w(u_, v_, w_);
    residual_of(w_, r_);
    check_residual_at_begin(r_);
    find_first_acceleration();
    find_forces(u_, v_, r_, inner_, force_, drag_);
    EnergyBalance& energy = state_.energy;
    energy.kinetic = 0.5 * dot(v_, product_);
    energy.strain = 0.5 * dot(u_, inner_);
    energy.begin = energy.kinetic + energy.strain;
    copy(a_, a_1_);  // no step leads to the begin
  }

  void resume() override {
    u_ = Vector(equations_->device(), std::span<const double>(state_.u), "vectors");
    v_ = Vector(equations_->device(), std::span<const double>(state_.v), "vectors");
    a_ = Vector(equations_->device(), std::span<const double>(state_.a), "vectors");
    r_ = Vector(equations_->device(), std::span<const double>(state_.r), "vectors");
    motion_.resume();
    find_forces(u_, v_, r_, inner_, force_, drag_);
  }

  void begin_step() override { begin_system(); }

  void find_w(const Vector& u, const Vector& v, Vector& w) const {
    copy(u, w);
    if (damping_.stiffness != 0) axpy(damping_.stiffness, v, w);
  }

  // r of the equations alone, without the rates.
  void residual_of(const Vector& w, Vector& r) {
    const double factor = factor_;
    set_factors(0);
    equations_->residual(w, r);
    set_factors(factor);
  }

  // M x
  void inertia_of(const Vector& x, Vector& forces) {
    rates_->residual(x, forces);
    attached_->add_masses(1, x, forces);
  }

  void find_equilibrium() {
    set_factors(0);
    system_->begin();
    if (linear_) system_->linearise(Vector());
    const auto residual = [this](const Vector& u, Vector& r) { equations_->residual(u, r); };
    balance(residual, motion_.u(), fmt::format("the equilibrium at t = {:g}", begin_), u_);
    residual_in_step_ = last_residual();
    if (equations_->facts().has_states) equations_->states().commit(u_);
  }

  // M a = -(r + C v) for the free unknowns that have a mass; others have none.
  void find_first_acceleration() {
    fill(0.0, a_);
    motion_.put_rates(motion_.a(), a_);
    copy(a_, work_);
    axpy(damping_.mass, v_, work_);
    inertia_of(work_, known_);
    axpby(-1.0, r_, -1.0, known_);
    supports_->gather(known_);
    solve_masses(u_, known_, work_);
    axpy(1.0, work_, a_);
    supports_->set_linear(a_);
  }

  // M x = f for the free unknowns that have a mass, f gathered; x = 0 for others.
  void solve_masses(const Vector& u, Vector& f, Vector& x) const {
    Vector diagonal = rates_->diagonal(u);
    supports_->gather_diagonal(diagonal);
    const auto masses = [this](const Vector& of, Vector& forces) { rates_->residual(of, forces); };
    FreeMasses(masses, attached_, *supports_, diagonal).solve(f, x);
  }

  double per_u(double h) const { return method_.beta * h * h; }                               // du / da at the end
  double per_a(double h) const { return per_u(h) + damping_.stiffness * method_.gamma * h; }  // dw / da
  void use_step(double h) {
    const double masses = (1 - method_.alpha_m) / (1 - method_.alpha_f) + damping_.mass * method_.gamma * h;
    use(masses / per_a(h), h);
  }

  double take(const TimeStep& step) override {
    const double h = step.dt, m = method_.alpha_m, f = method_.alpha_f, from_a = damping_.mass, per_u = this->per_u(h),
                 per_a = this->per_a(h);
    use_step(h);
    set_time(step.end, state_.time);
    look_ahead(step.end, h);
    copy(w_ahead_, work_);
    axpby(-from_a, v_ahead_, factor_, work_);
    axpy(-m / (1 - f), a_, work_);
    axpy(-f * from_a / (1 - f), v_, work_);
    inertia_of(work_, known_);
    axpy(-f / (1 - f), r_, known_);
    copy(u_ahead_, u_1_);
    axpy(per_u, a_, u_1_);
    newton_.set_reference(norm2(r_));  // forces in this step, to which its residuals are relative
    newton_.forget_steps();
    const double s = per_a / per_u;
    if (is_traced()) find_given_motion();
    axpy(-s, u_ahead_, w_ahead_);
    const auto residual = [this, s](const Vector& u, Vector& r) {
      find_w_at_end(s, u);
      equations_->residual(w_, r);
      attached_->add_masses(factor_, w_, r);
      axpby(-1 / s, known_, 1 / s, r);
    };
    balance(residual, motion_.u(), place_of(step), u_1_);
    residual_in_step_ = last_residual();

    copy(u_1_, a_1_);
    axpby(-1 / per_u, u_ahead_, 1 / per_u, a_1_);
    copy(v_ahead_, v_1_);
    axpy(method_.gamma * h, a_1_, v_1_);
    motion_.put_rates(motion_.a(), a_1_);
    motion_.put_rates(motion_.v(), v_1_);
    find_w_at_end(s, u_1_);
    residual_of(w_, r_1_);
    if (is_traced()) trace_step(step);
    return judges_ ? estimate(h) : 0;
  }

  // The step solves (1 - f) r(w_1) + f r(w_0) + M x = 0. given_: the part of x that is not factor (1 - f) w_1.
  void find_given_motion() {
    const double m = method_.alpha_m, f = method_.alpha_f, from_a = damping_.mass;
    if (given_.empty()) given_ = equations_->zeros();
    copy(w_ahead_, given_);
    axpby((1 - f) * from_a, v_ahead_, -(1 - f) * factor_, given_);
    axpy(m, a_, given_);
    axpy(f * from_a, v_, given_);
  }
  void trace_step(const TimeStep& step) {
    copy(w_, work_);
    axpby(1.0, given_, (1 - method_.alpha_f) * factor_, work_);
    Stage stage{step.end, state_.time, u_1_.host()};
    if (damping_.stiffness != 0) stage.residual_at = w_.host();
    stage.rates_at = work_.host();
    trace(std::move(stage));
  }

  void find_w_at_end(double s, const Vector& u) {  // w_ahead_ is less s u_ahead_ here
    copy(w_ahead_, w_);
    axpy(s, u, w_);
  }

  // u, v and w at the end of the step for a = 0 there; of prescribed unknowns such that they meet their motion.
  void look_ahead(double t, double h) {
    copy(u_, u_ahead_);
    axpy(h, v_, u_ahead_);
    axpy(h * h * (0.5 - method_.beta), a_, u_ahead_);
    copy(v_, v_ahead_);
    axpy(h * (1 - method_.gamma), a_, v_ahead_);
    motion_.move(t, h);
    // Accelerations of supports do not lag behind: that at the end with which the mean of the method is the mean in
    // time.
    const double m = method_.alpha_m, f = method_.alpha_f;
    copy(a_, work_);
    axpby((1 - f) / (1 - m), motion_.a(), (f - m) / (1 - m), work_);
    supports_->keep_prescribed(work_);
    supports_->set_zero(u_ahead_);
    axpy(1.0, motion_.u(), u_ahead_);
    axpy(-method_.beta * h * h, work_, u_ahead_);
    supports_->set_linear(u_ahead_);
    axpy(1.0, motion_.offset(), u_ahead_);
    supports_->set_zero(v_ahead_);
    axpy(1.0, motion_.v(), v_ahead_);
    axpy(-method_.gamma * h, work_, v_ahead_);
    supports_->set_linear(v_ahead_);
    find_w(u_ahead_, v_ahead_, w_ahead_);
  }

  // The local error of u over the tolerance, by the change of the acceleration (Zienkiewicz and Xie, Earthq. Eng.
  // Struct. Dyn. 20, 1991, 871-887). Through the tangent, as motions faster than the steps would speak loudest, and u
  // follows them by no more than they move.
  double estimate(double h) {
    auto phase = profile().phase("error estimate");
    if (!linear_ && newton_.steps().empty()) system_->linearise(u_1_);
    inertia_of(u_1_, product_);
    largest_ = std::max(state_.largest, std::sqrt(std::max(0.0, dot(u_1_, product_))));
    if (shows_scale(h) && std::isfinite(largest_)) state_.largest = largest_;
    copy(a_1_, work_);
    axpy(-1.0, a_, work_);
    axpby(0.0, work_, factor_ * h * h * (method_.beta - 1.0 / 6), work_);
    inertia_of(work_, product_);
    filter(product_, work_);
    inertia_of(work_, product_);
    const double error = std::sqrt(std::max(0.0, dot(work_, product_)));
    return largest_ > 0 ? error / (options_.tolerance * largest_) : error;
  }

  // Forces of the body and the loads, and of damping; product_ = M v. The residual r is that of u + b v.
  void find_forces(const Vector& u, const Vector& v, const Vector& r, Vector& inner, Vector& force, Vector& drag) {
    loads_->inputs().set_time(equations_->time());
    loads_->residual(u, force);
    axpby(0.0, force, -1.0, force);
    inertia_of(v, product_);
    copy(r, inner);
    copy(product_, drag);
    axpby(0.0, drag, damping_.mass, drag);
    if (damping_.stiffness != 0) {
      residual_of(u, inner);
      axpy(1.0, r, drag);
      axpy(-1.0, inner, drag);
    }
    axpy(1.0, force, inner);
  }

  void accept(const TimeStep&) override {
    find_forces(u_1_, v_1_, r_1_, inner_1_, force_1_, drag_1_);
    copy(u_1_, work_);
    axpy(-1.0, u_, work_);
    const auto work_of = [&](const Vector& before, const Vector& after) {
      return 0.5 * (dot(work_, before) + dot(work_, after));
    };
    EnergyBalance& energy = state_.energy;
    energy.kinetic = 0.5 * dot(v_1_, product_);
    energy.strain += work_of(inner_, inner_1_);
    energy.by_loads += work_of(force_, force_1_);
    energy.damped += work_of(drag_, drag_1_);
    if (supports_->varies_in_time()) energy.by_supports += work_of_supports();
    if (equations_->facts().has_states) equations_->states().commit(u_1_);
    for (const auto& [before, after] : {std::pair{&u_, &u_1_},
                                        {&v_, &v_1_},
                                        {&a_, &a_1_},
                                        {&r_, &r_1_},
                                        {&inner_, &inner_1_},
                                        {&force_, &force_1_},
                                        {&drag_, &drag_1_}})
      std::swap(*before, *after);
    state_.u = u_.host();
    state_.v = v_.host();
    state_.a = a_.host();
    state_.r = r_.host();
    state_.largest = std::max(state_.largest, largest_);
  }

  // By the forces that hold the prescribed unknowns in the middle of the step, over their way in work_.
  double work_of_supports() {
    find_acceleration(0.5, a_, a_1_, known_);
    axpy(0.5 * damping_.mass, v_, known_);
    axpy(0.5 * damping_.mass, v_1_, known_);
    inertia_of(known_, product_);
    axpy(0.5, r_, product_);
    axpy(0.5, r_1_, product_);
    supports_->gather(product_);
    supports_->keep_prescribed(product_);
    return dot(work_, product_);
  }

  // The acceleration after this part of a step: between those at its ends, which lag behind where unknowns are free.
  void find_acceleration(double part, const Vector& before, const Vector& after, Vector& result) {
    copy(before, product_);
    axpby(part, after, 1 - part, product_);
    supports_->keep_prescribed(product_);
    copy(before, result);
    axpby(part + method_.lag(), after, 1 - part - method_.lag(), result);
    motion_.put_rates(product_, result);
  }

  // At the begin the equations M (a + damping v) + r(w) = 0 give the acceleration.
  Stage present() override {
    Stage stage{state_.time, state_.time - state_.dt, u_.host()};
    if (state_.steps > 0) return stage;
    find_w(u_, v_, w_);
    if (damping_.stiffness != 0) stage.residual_at = w_.host();
    copy(a_, work_);
    axpy(damping_.mass, v_, work_);
    stage.rates_at = work_.host();
    return stage;
  }

  // Full vectors become those of the free unknowns.
  Vector free_part(Vector x) const {
    supports_->gather(x);
    supports_->set_zero(x);
    return x;
  }
  Vector free_inertia_of(const Vector& x) {
    Vector forces = equations_->zeros();
    inertia_of(x, forces);
    return free_part(std::move(forces));
  }
  // The transposed tangent of the residual, without the rates.
  Vector tangent_of_residual(const Vector& w, const Vector& x) {
    const double factor = factor_;
    set_factors(0);
    Vector y = transposed_action(*equations_, w, x);
    set_factors(factor);
    return y;
  }
  static const std::vector<double>& place_of_residual(const Stage& stage) {
    return stage.residual_at.empty() ? stage.u : stage.residual_at;
  }

  struct Motion {
    Vector u, v, a;
  };
  // Parts that the unknowns between steps give J: directly, through later steps, through later residuals at w.
  Motion given_to(const Stage& stage, const Adjoint& adjoint) {
    Vector by_u = on_device(adjoint.g), by_v = on_device(adjoint.by_v);
    const Vector by_w = tangent_of_residual(on_device(place_of_residual(stage)), on_device(adjoint.of_residual));
    axpy(-1.0, by_w, by_u);
    axpy(-damping_.stiffness, by_w, by_v);
    Motion result{free_part(std::move(by_u)), free_part(std::move(by_v)), on_device(adjoint.a)};
    axpy(1.0, on_device(adjoint.u), result.u);
    axpy(1.0, on_device(adjoint.v), result.v);
    return result;
  }
  // Once all weights of the residual of a stage are known.
  void add_prescribed_of(const Stage& stage, const Adjoint& adjoint, std::vector<double>& by_prescribed) {
    Vector held = on_device(adjoint.g);
    axpy(-1.0, tangent_of_residual(on_device(place_of_residual(stage)), on_device(stage.of_residual)), held);
    add_prescribed(std::move(held), by_prescribed);
  }
  static void use_up(Adjoint& adjoint) {
    std::ranges::fill(adjoint.g, 0.0);
    std::ranges::fill(adjoint.by_v, 0.0);
  }

  // A step solves F(a_1) = (1 - f) r(w_1) + f r(w_0) + M x = 0 with Newmark's kinematics: dF/da_1 is the tangent of the
  // step times (1 - f) dw/da.
  void step_back(Taken& taken, Index, Adjoint& adjoint) override {
    const double h = taken.step.dt, m = method_.alpha_m, f = method_.alpha_f, from_a = damping_.mass,
                 gamma = method_.gamma;
    use_step(h);
    Stage& stage = taken.stages.front();
    set_time(stage.time, stage.since);
    const Vector w = on_device(place_of_residual(stage));
    Motion by = given_to(stage, adjoint);
    Vector rest = equations_->zeros();
    copy(by.a, rest);
    axpy(per_u(h), by.u, rest);
    axpy(gamma * h, by.v, rest);
    Vector lambda = solve_transposed(w, rest);
    axpby(0.0, lambda, 1 / ((1 - f) * per_a(h)), lambda);
    Vector weights = on_device(adjoint.of_residual);
    axpy(1 - f, lambda, weights);
    const Vector by_w = free_part(tangent_of_residual(w, lambda)), by_masses = free_inertia_of(lambda);
    axpy(-(1 - f), by_w, by.u);
    axpy(-(1 - f) * damping_.stiffness, by_w, by.v);
    axpy(-(1 - f) * from_a, by_masses, by.v);
    stage.of_residual = weights.host();
    stage.of_rates = lambda.host();
    add_prescribed_of(stage, adjoint, adjoint.by_prescribed);
    adjoint.u = by.u.host();
    copy(by.v, rest);
    axpy(h, by.u, rest);
    axpy(-f * from_a, by_masses, rest);
    adjoint.v = rest.host();
    axpby(h * (1 - gamma), by.v, 0.0, rest);
    axpy(h * h * (0.5 - method_.beta), by.u, rest);
    axpy(-m, by_masses, rest);
    adjoint.a = rest.host();
    axpby(0.0, lambda, f, lambda);
    adjoint.of_residual = lambda.host();
    use_up(adjoint);
  }

  std::vector<double> end_at(std::vector<Stage>& begin, Adjoint& adjoint) override {
    Stage& stage = begin.front();
    set_time(stage.time, stage.since);
    const Vector w = on_device(place_of_residual(stage)), u = on_device(stage.u);
    Motion by = given_to(stage, adjoint);
    Vector mu = equations_->zeros();
    solve_masses(u, by.a, mu);
    supports_->set_linear(mu);
    const Vector by_w = free_part(tangent_of_residual(w, mu));
    axpy(-1.0, by_w, by.u);
    axpy(-damping_.stiffness, by_w, by.v);
    axpy(-damping_.mass, free_inertia_of(mu), by.v);
    adjoint.v = by.v.host();
    Vector weights = on_device(adjoint.of_residual);
    axpy(1.0, mu, weights);
    stage.of_residual = weights.host();
    stage.of_rates = mu.host();
    add_prescribed_of(stage, adjoint, adjoint.by_prescribed);
    use_up(adjoint);
    if (!options_.from_equilibrium) return by.u.host();
    set_factors(0);
    system_->begin();
    if (linear_) system_->linearise(Vector());
    Stage rest{stage.time, stage.since, stage.u};
    rest.of_residual = solve_transposed(u, by.u).host();
    add_prescribed_of(rest, adjoint, adjoint.by_prescribed);
    begin.push_back(std::move(rest));
    return std::vector<double>(adjoint.g.size(), 0.0);
  }

  SolutionView view() override {
    auto phase = profile().phase("reactions");
    find_acceleration(1, a_1_, a_, work_);  // a_1_ is that at the begin of the last step
    copy(work_, known_);
    axpy(damping_.mass, v_, known_);
    inertia_of(known_, product_);
    axpy(1.0, r_, product_);
    supports_->gather(product_);
    supports_->keep_prescribed(product_);
    reaction_ = equations_->forces_for_results(product_);
    return {.u = u_,
            .reaction = reaction_,
            .residual = state_.residual,
            .tolerance = options_.newton.relative,
            .time = state_.time,
            .velocity = &v_,
            .acceleration = &work_,
            .energy = &state_.energy};
  }

  const GeneralisedAlpha method_;
  const RayleighDamping damping_;
  const std::unique_ptr<Equations> loads_;  // those integrals of the equations that are forces from outside
  Vector u_, v_, a_, r_, u_1_, v_1_, a_1_, r_1_;
  Vector u_ahead_, v_ahead_, w_ahead_, w_, known_;
  SupportMotion motion_;
  Vector work_, product_;
  Vector inner_, force_, drag_, inner_1_, force_1_, drag_1_;  // of the body, the loads and damping
  std::vector<double> reaction_;
  double largest_ = 0;
  Vector given_;  // of traced steps: find_given_motion()
};

}  // namespace

std::unique_ptr<ImplicitEvolution> second_order(const TransientModel& model, Transient options,
                                                const Observer& observer) {
  return std::make_unique<SecondOrderEvolution>(model, std::move(options), observer);
}

MemoryNeeds second_order_vector_needs(Index unknowns) {
  constexpr Index vectors = 23;  // unknowns and forces at both ends, predicted, prescribed; beyond those of Newton
  return MemoryNeeds().array<double>("vectors", unknowns, vectors);
}

}  // namespace ritz
