#include "fem/analysis/balance.hpp"

#include "fem/analysis/mean_supports.hpp"
#include "solvers/algebra/vectors.hpp"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {

Balance::Balance(const Equations& equations, const Supports& supports, std::shared_ptr<const Nonlinear> options,
                 const MessageSink& progress)
    : equations_(equations.shared()),
      supports_(supports.shared()),
      options_(std::move(options)),
      u_(equations.zeros()),
      prescribed_(equations.zeros()),
      start_(equations.zeros()),
      begin_(equations.zeros()) {
  auto phase = profile().phase("assembly");
  enter({.t = options_->time.begin});
  begin_at(options_->from);
  turned_ = options_->begin.turned.empty() ? options_->from.turned : options_->begin.turned;
  const LinearSolverOptions linear = linear_options();
  const Supports& held = options_->active != nullptr ? options_->active->constraints() : supports;
  system_ = tangent_system(equations, held, linear, {.whole = options_->whole});
  if (options_->ground != nullptr) system_->set_ground(options_->ground);
  if (options_->means != nullptr) system_->set_beside(options_->means->attached(), 1, 0);
  const NewtonOptions newton{.relative = options_->relative,
                             .rounding_error = options_->rounding_error,
                             .max_steps = options_->max_steps,
                             .least_linear = linear.relative,
                             .follows_loads = true};
  newton_.emplace(equations, supports, system_, newton, progress, options_->active);
  supports.set_values(prescribed_);
  whole_residual(u_, start_);
  if (!std::isfinite(norm2(start_)))
    throw Error(
        ErrorKind::not_finite,
        fmt::format("the residual at {} is not finite where the unknown is {}", not_finite_in(equations, start_),
                    options_->from.u.empty() ? "zero" : "that of the step before"),
        "a load, a coefficient or the form itself overflows there", "check the values of the case file and the form");
  leave_to_supports(options_->from.r);
  newton_->set_reference(options_->from.reference);
  if (options_->has_arc_length()) find_weights();
  if (!options_->finds_energies) return;
  energies_.emplace(equations);
  unbalanced_ = equations.zeros();
}

// Steps share no matrix. A run that has changed to a matrix keeps it.
LinearSolverOptions Balance::linear_options() const {
  LinearSolverOptions linear = options_->linear;
  linear.one_of_many = false;
  linear.slow_multigrid = !turned_.empty();
  if (linear.slow_multigrid) linear.operator_kind = OperatorKind::matrix;
  // The tangent is not definite beyond a limit point.
  if (options_->has_arc_length() && linear.promise == MatrixPromise::positive_definite)
    linear.promise = MatrixPromise::symmetric;
  return linear;
}

void Balance::begin_at(const State& from) {
  if (from.points.empty()) equations_->states().reset();
  else equations_->states().set(from.points);
  if (!from.u.empty()) u_ = Vector(equations_->device(), std::span<const double>(from.u), "vectors");
  else if (!values_in_time()) return;
  Vector without = equations_->zeros();
  copy(u_, without);
  supports().set_values(without, values_in_time() ? 1 : 0);
  excess_ = equations_->zeros();
  copy(u_, excess_);
  axpy(-1.0, without, excess_);
}

// Forces that the present supports exert at the begin are in balance there. Those of supports that are gone are not.
void Balance::leave_to_supports(const std::vector<double>& residual_before) {
  if (residual_before.empty()) return;
  Vector held(equations_->device(), std::span<const double>(residual_before), "vectors");
  supports().keep_constrained(held);
  axpy(-1.0, held, start_);
}

void Balance::remember() {
  copy(u_, begin_);
  part_before_ = part_;
  reference_before_ = newton_->reference();
  if (options_->active != nullptr) closed_before_ = options_->active->closed();
  if (!energies_) return;
  enter({.t = time_.t});
  energies_->begin(place_of_energies());
}

PathEnergies::Place Balance::place_of_energies() {
  residual(u_, unbalanced_);
  return {.u = u_, .unbalanced = unbalanced_, .part = part_};
}

void Balance::go_back() {
  copy(begin_, u_);
  part_ = part_before_;
  newton_->set_reference(reference_before_);  // forces of an attempt that failed are no measure
  if (options_->active != nullptr) {
    options_->active->set_closed(closed_before_);
    newton_->constraints_changed();
  }
}

void Balance::whole_residual(const Vector& u, Vector& r) const {
  equations_->residual(u, r);
  if (options_->means != nullptr) options_->means->add_springs(u, r);
  if (options_->forces != nullptr) axpy(-1.0, *options_->forces, r);
}

// The residual that is to vanish under this part of the loads: r(u) less the part of that at the begin, the loads, that
// is yet to come.
void Balance::residual(const Vector& u, Vector& r) const {
  whole_residual(u, r);
  if (part_ != 1) axpy(part_ - 1, start_, r);
}

void Balance::solve(const Try& attempt, PathConstraint* path) {
  const auto at_part = [this](const Vector& u, Vector& r) {
    if (entered_ != part_) enter(time_);  // along an arc Newton's method changes it
    residual(u, r);
  };
  newton_->solve({.residual = at_part,
                  .prescribed = prescribed_,
                  .part = part_,
                  .increment = attempt.increment,
                  .place = attempt.place,
                  .excess = excess_.empty() ? nullptr : &excess_,
                  .values_in_time = values_in_time(),
                  .predicted = attempt.predicted,
                  .path = path,
                  .full_steps = attempt.full_steps,
                  .can_fail = attempt.can_fail,
                  .ends_when_indefinite = attempt.ends_when_indefinite,
                  .in_time = attempt.time.dt > 0},
                 u_);
  if (turned_.empty()) turned_ = system_->turned();
}

void Balance::enter(const Time& time) {
  time_ = time;
  if (options_->enter) options_->enter(part_, time_);
  entered_ = part_;
}

void Balance::go_to(double part, const Try& attempt) {
  part_ = part;
  enter(attempt.time);
  solve(attempt, nullptr);
}

void Balance::go_along(PathConstraint& path, const Try& attempt) { solve(attempt, &path); }

void Balance::commit() {
  if (energies_) energies_->end(place_of_energies());
  if (equations_->facts().has_states) equations_->states().commit(u_);
  if (time_.dt > 0) enter({.t = time_.t});  // from the new state on no time has passed: results would creep once more
}

PointStates::Values Balance::points_after() const {
  const PointStates::Values before = points();
  equations_->states().commit(u_);
  PointStates::Values after = points();
  equations_->states().set(before);
  return after;
}

// Weights of the arc length: the diagonal of the tangent at the begin, so that each term is an energy whatever the
// units of the unknowns.
void Balance::find_weights() {
  std::vector<double> weights = equations_->diagonal(u_).host();
  for (double& each : weights) each = std::isfinite(each) ? std::abs(each) : 0;
  weights_ = Vector(equations_->device(), std::span<const double>(weights), "vectors");
}

Vector Balance::rate_of_loads() {
  Vector rate = equations_->zeros();
  copy(start_, rate);
  if (!options_->loads_turn) return rate;
  Vector here = equations_->zeros();
  const double part = part_;
  part_ = part + 1;
  enter(time_);
  residual(u_, rate);
  part_ = part;
  enter(time_);
  residual(u_, here);
  axpy(-1.0, here, rate);
  return rate;
}

PathConstraint Balance::path_constraint() {
  held_ = equations_->zeros();
  Vector without = equations_->zeros();
  supports().set_values(held_, 1);
  supports().set_values(without, 0);
  axpy(-1.0, without, held_);
  if (!excess_.empty()) axpy(-1.0, excess_, held_);
  Vector load = rate_of_loads();
  supports().gather(load);
  supports().set_zero(load);
  newton_->set_reference(std::max(newton_->reference(), options_->sizes.first * norm2(load)));
  PathConstraint path(start_, held_, weights_, part_);
  path.rate_varies = options_->loads_turn;
  return path;
}

// Uses the state at the beginning of the increment: the committed one may give other forces if time matters.
std::vector<double> Balance::residual_of_equations() const {
  Vector r = equations_->zeros();
  residual(u_, r);
  return r.host();
}

std::vector<double> Balance::reaction(const std::vector<double>& residual) const {
  Vector r(equations_->device(), std::span<const double>(residual), "vectors");
  if (options_->means != nullptr) options_->means->remove_loads(mean_loads(residual), r);
  supports().eliminating().keep_constrained(r);
  return equations_->forces_for_results(r);
}

std::vector<double> Balance::mean_loads(const std::vector<double>& residual) const {
  if (options_->means == nullptr) return {};
  return options_->means->loads(u_, Vector(equations_->device(), std::span<const double>(residual), "vectors"), part_);
}

void Balance::resume(const State& state) {
  u_ = Vector(equations_->device(), std::span<const double>(state.u), "vectors");
  part_ = state.part;
  newton_->set_reference(state.reference);
  newton_->set_steps(state.newton);
  if (!state.points.empty()) equations_->states().set(state.points);
  time_ = {.t = state.time};
  if (energies_) energies_->resume(state.energy);
  if (options_->active != nullptr && !state.closed.empty()) {
    options_->active->set_closed(state.closed);
    newton_->constraints_changed();
  }
}

void Balance::save(State& state) const {
  state.u = u_.host();
  state.points = equations_->states().values();
  state.turned = turned_;
  state.part = part_;
  state.reference = newton_->reference();
  state.newton = newton_->steps();
  if (energies_) state.energy = energies_->balance();
  if (options_->active != nullptr) state.closed = options_->active->closed();
}

}  // namespace ritz
