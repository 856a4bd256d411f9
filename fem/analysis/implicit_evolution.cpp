#include "fem/analysis/implicit_evolution.hpp"

#include "device/process/stop_request.hpp"
#include "fem/preconditioners/fields_system.hpp"
#include "fem/ranks/field_of_rank.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

// Adjoints are of one field.
const Operator& one_field(const Equations& equations) { return dynamic_cast<const Operator&>(equations); }
const Constraints& one_field(const Supports& supports) { return dynamic_cast<const Constraints&>(supports); }

const WholeProblem* whole_of(const TransientModel& model) {
  return model.part != nullptr ? &model.part->whole() : nullptr;
}

Attached attached_to(const TransientModel& model) {
  const Equations& all = model.part != nullptr ? model.part->equations_of_all() : model.equations;
  return attached_to(all, model.attached, model.supports, model.part);
}

}  // namespace

ImplicitEvolution::ImplicitEvolution(const TransientModel& model, Transient options, const Observer& observer,
                                     std::string method, int error_order)
    : Evolution(model, std::move(options), observer, std::move(method), error_order),
      system_(tangent_system(*equations_, *supports_, linear_options(), {.whole = whole_of(model)})),
      newton_(*equations_, *supports_, system_, newton_options(), observer.progress),
      attached_(std::make_shared<const Attached>(attached_to(model))),
      part_(model.part != nullptr ? model.part->whole().one : nullptr) {}

void ImplicitEvolution::finish_try() {
  if (!system_->turned().empty()) state_.turned = system_->turned();
  reference_in_step_ = newton_.reference();
}

void ImplicitEvolution::add_solves(SolveReport& summary) const {
  const SolveReport& last = newton_.last_solve();
  summary.method = fmt::format("{} ({})", summary.method, last.method.empty() ? "nothing to solve" : last.method);
  summary.preconditioner = last.preconditioner;
  summary.choice = last.choice;
  summary.fallbacks = newton_.fallbacks();
  if (!state_.turned.empty()) summary.fallbacks.insert(summary.fallbacks.begin(), state_.turned);
}

LinearSolverOptions ImplicitEvolution::linear_options() const {
  LinearSolverOptions linear = options_.linear;
  linear.one_of_many = linear_;  // stages and steps share a matrix
  linear.slow_multigrid = !state_.turned.empty();
  if (linear.slow_multigrid) linear.operator_kind = OperatorKind::matrix;
  return linear;
}

NewtonOptions ImplicitEvolution::newton_options() const {
  NewtonOptions newton = options_.newton;
  newton.at_rest = true;
  newton.keeps_tangent = linear_;
  newton.rounding_error = std::max(newton.rounding_error, 1e-8);
  // A stage ends where its residual does: half of what is asked for, so that one linear solve is enough.
  newton.least_linear = std::min(newton.least_linear, 0.5 * newton.relative);
  if (linear_) newton.max_steps = 10;
  return newton;
}

void ImplicitEvolution::begin_system() {
  if (linear_) return;
  system_->begin(fmt::format(" from t = {:g} on", state_.time));
}

void ImplicitEvolution::use(double factor, double dt) {
  dt_in_use_ = dt;
  if (factor == factor_) return;
  set_factors(factor);
  if (!linear_) return;
  auto phase = profile().phase("assembly");
  system_->begin(fmt::format(" from t = {:g} on", state_.time));
  system_->linearise(Vector());
}

void ImplicitEvolution::set_factors(double factor) {
  factor_ = factor;
  equations_->inputs().set_factor_of_rates(factor);
  if (attached_->any()) system_->set_beside(attached_, factor);
}

void ImplicitEvolution::balance(const Residual& residual, const Vector& prescribed, const std::string& place,
                                Vector& u) {
  if (linear_) supports_->set_values(u);
  newton_.solve(
      {.residual = residual, .prescribed = prescribed, .increment = static_cast<int>(state_.steps) + 1, .place = place},
      u);
  ++state_.solves;
}

std::string ImplicitEvolution::place_of(const TimeStep& step) const {
  return fmt::format("the step from t = {:.9g} to {:.9g}", state_.time, step.end);
}

void ImplicitEvolution::filter(Vector& f, Vector& x) {
  supports_->gather(f);
  supports_->set_zero(f);
  fill(0.0, x);
  const SolveReport report = system_->solve(f, x, LinearTolerance{1e-3, 1e-2});
  if (!report.converged())
    throw Error(ErrorKind::not_converged,
                fmt::format("the linear solver ({}) stopped in the estimate of the error: {}", report.method,
                            name_of(report.reason)),
                report.where, advice_for(report.reason));
  supports_->set_linear(x);
}

std::pair<ImplicitEvolution::Stage, std::vector<ImplicitEvolution::Taken>> ImplicitEvolution::retrace(
    const State& from, std::span<const TimeStep> steps) {
  state_ = from;
  judges_ = false;
  if (state_.steps == 0) {
    start();
  } else {
    set_time(state_.time, state_.time - state_.dt);
    dt_in_use_ = state_.dt;
    resume();
  }
  std::pair<Stage, std::vector<Taken>> result{present(), {}};
  for (const TimeStep& step : steps) {
    throw_if_stop_requested();
    traced_ = &result.second.emplace_back(Taken{step, {}}).stages;
    begin_step();
    take(step);
    accept(step);
    ++state_.steps;
    state_.time = step.end;
    state_.dt = step.dt;
  }
  traced_ = nullptr;
  return result;
}

void ImplicitEvolution::trace(Stage stage) {
  if (traced_ != nullptr) traced_->push_back(std::move(stage));
}

Vector ImplicitEvolution::transposed_action(const Equations& of, const Vector& u, const Vector& x) {
  Vector y = equations_->zeros();
  if (of.facts().symmetric) {
    of.action(u, x, y);
    return y;
  }
  std::optional<TransposedTangent>& transposed = &of == rates_.get() ? transposed_rates_ : transposed_;
  if (!transposed) transposed.emplace(one_field(of), options_.linear, part_);
  transposed->multiply(u, x, y);
  return y;
}

Vector ImplicitEvolution::solve_transposed(const Vector& u, const Vector& g) {
  Vector b = equations_->zeros(), x = equations_->zeros();
  copy(g, b);
  supports_->gather(b);
  supports_->set_zero(b);
  if (equations_->facts().symmetric) {
    if (!linear_) system_->linearise(u);
    throw_unless_converged(system_->solve(b, x));
  } else {
    if (!transposed_) transposed_.emplace(one_field(*equations_), options_.linear, part_);
    throw_unless_converged(transposed_->solve(u, one_field(*supports_), b, x));
  }
  supports_->set_linear(x);
  return x;
}

void ImplicitEvolution::add_prescribed(Vector g, std::vector<double>& by_prescribed) const {
  supports_->gather(g);
  supports_->keep_prescribed(g);
  const std::vector<double> values = g.host();
  for (std::size_t i = 0; i < values.size(); ++i) by_prescribed[i] += values[i];
}

Vector ImplicitEvolution::on_device(const std::vector<double>& values) const {
  return Vector(equations_->device(), std::span<const double>(values), "vectors");
}

}  // namespace ritz
