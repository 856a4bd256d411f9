#include "fem/analysis/second_order.hpp"

#include "fem/analysis/mean_supports.hpp"
#include "solvers/algebra/dense_pivoted.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

constexpr int estimate_order = 3;  // of the local error of u

}  // namespace

SecondOrder::SecondOrder(TimeProblem& problem, const TransientModel& model, const MessageSink& progress)
    : Integrator("generalised alpha", estimate_order),
      problem_(problem),
      state_(problem.state),
      equations_(*problem.equations),
      rates_(*problem.rates),
      supports_(*problem.supports),
      steps_(problem, model, progress),
      method_(generalised_alpha(problem_.options.spectral_radius)),
      damping_(model.damping),
      loads_(equations_.forces(Equations::Forces::loads)),
      motion_(supports_, equations_.zeros(), problem_.options.end) {
  for (Vector* each :
       {&u_, &v_,     &a_,    &r_,       &u_1_,   &v_1_,   &a_1_,  &r_1_,     &u_ahead_, &v_ahead_, &w_ahead_,
        &w_, &known_, &work_, &product_, &inner_, &force_, &drag_, &inner_1_, &force_1_, &drag_1_})
    *each = equations_.zeros();
}

void SecondOrder::start() {
  auto phase = problem_.profile().phase("assembly");
  u_ = problem_.on_device(state_.u);
  if (!state_.v.empty()) v_ = problem_.on_device(state_.v);
  problem_.set_time(problem_.begin, problem_.begin);
  problem_.set_points_at_begin();
  problem_.set_first_size();
  motion_.start(problem_.begin, state_.control.size);
  if (problem_.options.from_equilibrium) find_equilibrium();
  else motion_.fit(rates_.diagonal(u_), u_);
  supports_.set_values(u_);
  motion_.put_rates(motion_.v(), v_);
  find_fields_with_inertia();
  if (!with_inertia_.empty()) begin_fields_without_inertia();
  find_w(u_, v_, w_);
  residual_of(w_, r_);
  problem_.check_residual_at_begin(r_);
  find_first_acceleration();
  find_forces(u_, v_, r_, inner_, force_, drag_);
  EnergyBalance& energy = state_.energy;
  energy.kinetic = 0.5 * dot(v_, product_);
  energy.strain = 0.5 * dot(u_, inner_);
  energy.begin = energy.kinetic + energy.strain;
  copy(a_, a_1_);  // no step leads to the begin
}

void SecondOrder::resume() {
  u_ = problem_.on_device(state_.u);
  v_ = problem_.on_device(state_.v);
  a_ = problem_.on_device(state_.a);
  r_ = problem_.on_device(state_.r);
  motion_.resume();
  find_fields_with_inertia();
  find_forces(u_, v_, r_, inner_, force_, drag_);
}

void SecondOrder::find_w(const Vector& u, const Vector& v, Vector& w) const {
  copy(u, w);
  if (damping_.stiffness != 0) axpy(damping_.stiffness, v, w);
}

// r of the equations, with the rates that their factor leaves, and of springs.
void SecondOrder::whole_residual(const Vector& w, Vector& r) {
  equations_.residual(w, r);
  if (const MeanSupports* const means = steps_.means()) means->add_springs(w, r);
}

// r without the rates.
void SecondOrder::residual_of(const Vector& w, Vector& r) {
  const double factor = steps_.factor();
  steps_.set_factor(0);
  whole_residual(w, r);
  steps_.set_factor(factor);
}

// M x
void SecondOrder::inertia_of(const Vector& x, Vector& forces) {
  rates_.residual(x, forces);
  steps_.attached()->add_masses(1, x, forces);
}

void SecondOrder::find_fields_with_inertia() {
  const Layout& layout = equations_.layout();
  if (layout.count() == 1) return;
  const Vector diagonal = rates_.diagonal(u_);
  std::vector<int> without;
  for (int k = 0; k < layout.count(); ++k)
    if (!(max_abs(layout.part(diagonal, k)) > 0)) without.push_back(k);
  if (without.empty()) return;
  with_inertia_ = equations_.zeros();
  fill(1.0, with_inertia_);
  for (const int k : without) {
    Vector none = layout.part(with_inertia_, k);
    none.fill_zero();
    layout.put(none, k, with_inertia_);
  }
}

// x of fields with inertia, and `others` of those without.
void SecondOrder::put_others(const Vector& others, Vector& x) {
  axpy(-1.0, others, x);
  multiply(x, with_inertia_, x);
  axpy(1.0, others, x);
}

// Balances these fields with the motion at the begin: w with r(w), and u with r(u), which differ by b v.
void SecondOrder::begin_fields_without_inertia() {
  multiply(v_, with_inertia_, v_);
  const Vector none = equations_.zeros();
  Vector balanced = equations_.zeros();
  balance_without_inertia(none, balanced);
  if (damping_.stiffness != 0) {
    Vector rate = equations_.zeros();
    balance_without_inertia(v_, rate);
    axpby(-1 / damping_.stiffness, balanced, 1 / damping_.stiffness, rate);
    put_others(rate, v_);
  }
  put_others(balanced, u_);
  supports_.set_values(u_);
}

// The fields without inertia after M (x - u) / h^2 + r(x + b v) = 0. Those with inertia hardly move in this h, so that
// the others are off by its square. Constraints without a compliance, such as div u = 0, hold of the acceleration then.
void SecondOrder::balance_without_inertia(const Vector& v, Vector& x) {
  const double h = 0.01 * state_.control.size;
  steps_.set_factor(1 / (h * h));
  steps_.make_tangent();
  find_w(u_, v, w_);
  inertia_of(w_, known_);
  const auto residual = [&](const Vector& u, Vector& r) {
    find_w(u, v, w_);
    equations_.residual(w_, r);
    steps_.attached()->add_masses(steps_.factor(), w_, r);
    axpy(-steps_.factor(), known_, r);
  };
  copy(u_, x);
  steps_.balance(residual, motion_.u(), fmt::format("the fields without inertia at t = {:g}", problem_.begin), x);
}

void SecondOrder::find_equilibrium() {
  steps_.set_factor(0);
  steps_.make_tangent();
  const auto residual = [this](const Vector& u, Vector& r) { whole_residual(u, r); };
  steps_.balance(residual, motion_.u(), fmt::format("the equilibrium at t = {:g}", problem_.begin), u_);
  problem_.residual_in_step = steps_.last_residual();
  if (equations_.facts().has_states) equations_.states().commit(u_);
}

// M a = -(r + C v) for the free unknowns that have a mass; others have none.
void SecondOrder::find_first_acceleration() {
  fill(0.0, a_);
  motion_.put_rates(motion_.a(), a_);
  copy(a_, work_);
  axpy(damping_.mass, v_, work_);
  inertia_of(work_, known_);
  axpby(-1.0, r_, -1.0, known_);
  supports_.gather(known_);
  solve_masses(u_, known_, work_);
  axpy(1.0, work_, a_);
  supports_.set_linear(a_);
}

// M x = f for the free unknowns that have a mass, f gathered; x = 0 for others, and along means that are held.
void SecondOrder::solve_masses(const Vector& u, Vector& f, Vector& x) const {
  Vector diagonal = rates_.diagonal(u);
  supports_.gather_diagonal(diagonal);
  const auto product = [this](const Vector& of, Vector& forces) { rates_.residual(of, forces); };
  const FreeMasses masses(product, steps_.attached(), supports_, diagonal);
  const auto solve = [&](Vector& forces, Vector& answer) { masses.solve(forces, answer); };
  solve(f, x);
  if (steps_.means() != nullptr) stay_across_means(solve, x);
}

// The forces that hold means take the acceleration along them. solve(force, acceleration).
void SecondOrder::stay_across_means(FunctionRef<void(Vector&, Vector&)> solve, Vector& x) const {
  const std::vector<const Vector*> means = steps_.means()->directions();
  std::vector<Vector> answers;
  std::vector<double> compliance, moved;
  for (const Vector* each : means) {
    Vector force = equations_.zeros();
    copy(*each, force);
    solve(force, answers.emplace_back(equations_.zeros()));
    moved.push_back(dot(*each, x));
  }
  for (const Vector* each : means)
    for (const Vector& answer : answers) compliance.push_back(dot(*each, answer));
  const std::vector<double> forces =
      PivotedFactor(std::move(compliance), means.size(), means.size(), 1e-13).solve(moved);
  for (std::size_t j = 0; j < forces.size(); ++j) axpy(-forces[j], answers[j], x);
}

void SecondOrder::use_step(double h) {
  const double masses = (1 - method_.alpha_m) / (1 - method_.alpha_f) + damping_.mass * method_.gamma * h;
  steps_.use(masses / per_a(h), h);
}

double SecondOrder::take(const TimeStep& step) {
  const double h = step.dt, m = method_.alpha_m, f = method_.alpha_f, from_a = damping_.mass, per_u = this->per_u(h),
               per_a = this->per_a(h);
  use_step(h);
  problem_.set_time(step.end, state_.time);
  look_ahead(step.end, h);
  copy(w_ahead_, work_);
  axpby(-from_a, v_ahead_, steps_.factor(), work_);
  axpy(-m / (1 - f), a_, work_);
  axpy(-f * from_a / (1 - f), v_, work_);
  inertia_of(work_, known_);
  axpy(-f / (1 - f), r_, known_);
  copy(u_ahead_, u_1_);
  axpy(per_u, a_, u_1_);
  steps_.newton().set_reference(norm2(r_));  // forces in this step, to which its residuals are relative
  steps_.newton().forget_steps();
  const double s = per_a / per_u;
  if (steps_.is_traced()) find_given_motion();
  axpy(-s, u_ahead_, w_ahead_);
  const auto residual = [this, s](const Vector& u, Vector& r) {
    find_w_at_end(s, u);
    whole_residual(w_, r);
    steps_.attached()->add_masses(steps_.factor(), w_, r);
    axpby(-1 / s, known_, 1 / s, r);
  };
  steps_.balance(residual, motion_.u(), steps_.place_of(step), u_1_);
  problem_.residual_in_step = steps_.last_residual();

  copy(u_1_, a_1_);
  axpby(-1 / per_u, u_ahead_, 1 / per_u, a_1_);
  copy(v_ahead_, v_1_);
  axpy(method_.gamma * h, a_1_, v_1_);
  motion_.put_rates(motion_.a(), a_1_);
  motion_.put_rates(motion_.v(), v_1_);
  if (!with_inertia_.empty() && damping_.stiffness == 0) {
    multiply(a_1_, with_inertia_, a_1_);
    multiply(v_1_, with_inertia_, v_1_);
  }
  find_w_at_end(s, u_1_);
  residual_of(w_, r_1_);
  if (steps_.is_traced()) trace_step(step);
  return problem_.judges ? estimate(h) : 0;
}

// The step solves (1 - f) r(w_1) + f r(w_0) + M x = 0. given_: the part of x that is not factor (1 - f) w_1.
void SecondOrder::find_given_motion() {
  const double m = method_.alpha_m, f = method_.alpha_f, from_a = damping_.mass;
  if (given_.empty()) given_ = equations_.zeros();
  copy(w_ahead_, given_);
  axpby((1 - f) * from_a, v_ahead_, -(1 - f) * steps_.factor(), given_);
  axpy(m, a_, given_);
  axpy(f * from_a, v_, given_);
}

void SecondOrder::trace_step(const TimeStep& step) {
  copy(w_, work_);
  axpby(1.0, given_, (1 - method_.alpha_f) * steps_.factor(), work_);
  Stage stage{step.end, state_.time, u_1_.host()};
  if (damping_.stiffness != 0) stage.residual_at = w_.host();
  stage.rates_at = work_.host();
  steps_.trace(std::move(stage));
}

void SecondOrder::find_w_at_end(double s, const Vector& u) {  // w_ahead_ is less s u_ahead_ here
  copy(w_ahead_, w_);
  axpy(s, u, w_);
}

// u, v and w at the end of the step for a = 0 there; of prescribed unknowns such that they meet their motion.
void SecondOrder::look_ahead(double t, double h) {
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
  supports_.keep_prescribed(work_);
  supports_.set_zero(u_ahead_);
  axpy(1.0, motion_.u(), u_ahead_);
  axpy(-method_.beta * h * h, work_, u_ahead_);
  supports_.set_linear(u_ahead_);
  axpy(1.0, motion_.offset(), u_ahead_);
  supports_.set_zero(v_ahead_);
  axpy(1.0, motion_.v(), v_ahead_);
  axpy(-method_.gamma * h, work_, v_ahead_);
  supports_.set_linear(v_ahead_);
  find_w(u_ahead_, v_ahead_, w_ahead_);
}

// The local error of u over the tolerance, by the change of the acceleration (Zienkiewicz and Xie, Earthq. Eng.
// Struct. Dyn. 20, 1991, 871-887). Through the tangent, as motions faster than the steps would speak loudest, and u
// follows them by no more than they move.
double SecondOrder::estimate(double h) {
  auto phase = problem_.profile().phase("error estimate");
  steps_.need_tangent_at(u_1_);
  inertia_of(u_1_, product_);
  largest_ = std::max(state_.largest, std::sqrt(std::max(0.0, dot(u_1_, product_))));
  if (steps_.shows_scale(h) && std::isfinite(largest_)) state_.largest = largest_;
  copy(a_1_, work_);
  axpy(-1.0, a_, work_);
  axpby(0.0, work_, steps_.factor() * h * h * (method_.beta - 1.0 / 6), work_);
  inertia_of(work_, product_);
  steps_.filter(product_, work_);
  inertia_of(work_, product_);
  const double error = std::sqrt(std::max(0.0, dot(work_, product_)));
  return largest_ > 0 ? error / (problem_.options.tolerance * largest_) : error;
}

// Forces of the body and the loads, and of damping; product_ = M v. The residual r is that of u + b v.
void SecondOrder::find_forces(const Vector& u, const Vector& v, const Vector& r, Vector& inner, Vector& force,
                              Vector& drag) {
  loads_->inputs().set_time(equations_.time());
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

void SecondOrder::accept(const TimeStep&) {
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
  if (supports_.varies_in_time()) energy.by_supports += work_of_supports();
  if (equations_.facts().has_states) equations_.states().commit(u_1_);
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
double SecondOrder::work_of_supports() {
  find_acceleration(0.5, a_, a_1_, known_);
  axpy(0.5 * damping_.mass, v_, known_);
  axpy(0.5 * damping_.mass, v_1_, known_);
  inertia_of(known_, product_);
  axpy(0.5, r_, product_);
  axpy(0.5, r_1_, product_);
  supports_.gather(product_);
  supports_.keep_prescribed(product_);
  return dot(work_, product_);
}

// The acceleration after this part of a step: between those at its ends, which lag behind where unknowns are free.
void SecondOrder::find_acceleration(double part, const Vector& before, const Vector& after, Vector& result) {
  copy(before, product_);
  axpby(part, after, 1 - part, product_);
  supports_.keep_prescribed(product_);
  copy(before, result);
  axpby(part + method_.lag(), after, 1 - part - method_.lag(), result);
  motion_.put_rates(product_, result);
}

// At the begin the equations M (a + damping v) + r(w) = 0 give the acceleration.
Stage SecondOrder::present() {
  Stage stage{state_.time, state_.time - state_.dt, u_.host()};
  if (state_.steps > 0) return stage;
  find_w(u_, v_, w_);
  if (damping_.stiffness != 0) stage.residual_at = w_.host();
  copy(a_, work_);
  axpy(damping_.mass, v_, work_);
  stage.rates_at = work_.host();
  return stage;
}

SolutionView SecondOrder::view() {
  auto phase = problem_.profile().phase("reactions");
  find_acceleration(1, a_1_, a_, work_);  // a_1_ is that at the begin of the last step
  copy(work_, known_);
  axpy(damping_.mass, v_, known_);
  inertia_of(known_, product_);
  axpy(1.0, r_, product_);
  std::vector<double> mean_loads;
  if (const MeanSupports* const means = steps_.means()) {
    mean_loads = means->loads(u_, product_);
    means->remove_loads(mean_loads, product_);
  }
  supports_.gather(product_);
  supports_.eliminating().keep_prescribed(product_);
  reaction_ = equations_.forces_for_results(product_);
  return {.u = u_,
          .reaction = reaction_,
          .residual = state_.residual,
          .tolerance = problem_.options.newton.relative,
          .mean_loads = std::move(mean_loads),
          .time = state_.time,
          .velocity = &v_,
          .acceleration = &work_,
          .energy = &state_.energy};
}

MemoryNeeds second_order_vector_needs(Index unknowns) {
  constexpr Index vectors = 23;  // unknowns and forces at both ends, predicted, prescribed; beyond those of Newton
  return MemoryNeeds().array<double>("vectors", unknowns, vectors);
}

}  // namespace ritz
