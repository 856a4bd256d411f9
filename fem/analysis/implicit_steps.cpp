#include "fem/analysis/implicit_steps.hpp"

#include "fem/analysis/mean_supports.hpp"
#include "fem/ranks/part_of_model.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

constexpr double part_that_shows_scale = 1e-3;

const WholeProblem* whole_of(const TransientModel& model) {
  return model.part != nullptr ? &model.part->whole() : nullptr;
}

LinearSolverOptions linear_options(const TimeProblem& problem) {
  LinearSolverOptions linear = problem.options.linear;
  linear.one_of_many = problem.linear;  // stages and steps share a matrix
  linear.slow_multigrid = !problem.state.turned.empty();
  if (linear.slow_multigrid) linear.operator_kind = OperatorKind::matrix;
  return linear;
}

NewtonOptions newton_options(const TimeProblem& problem) {
  NewtonOptions newton = problem.options.newton;
  newton.at_rest = true;
  newton.keeps_tangent = problem.linear;
  newton.rounding_error = std::max(newton.rounding_error, 1e-8);
  // A stage ends where its residual does: half of what is asked for, so that one linear solve is enough.
  newton.least_linear = std::min(newton.least_linear, 0.5 * newton.relative);
  if (problem.linear) newton.max_steps = 10;
  return newton;
}

}  // namespace

ImplicitSteps::ImplicitSteps(TimeProblem& problem, const TransientModel& model, const MessageSink& progress)
    : problem_(problem),
      system_(
          tangent_system(*problem.equations, *problem.supports, linear_options(problem), {.whole = whole_of(model)})),
      newton_(*problem.equations, *problem.supports, system_, newton_options(problem), progress),
      means_(model.means),
      attached_(attached_of(model)) {}

void ImplicitSteps::finish_try() {
  if (!system_->turned().empty()) problem_.state.turned = system_->turned();
  problem_.reference_in_step = newton_.reference();
}

void ImplicitSteps::add_solves(SolveReport& summary) const {
  const SolveReport& last = newton_.last_solve();
  summary.method = fmt::format("{} ({})", summary.method, last.method.empty() ? "nothing to solve" : last.method);
  summary.preconditioner = last.preconditioner;
  summary.choice = last.choice;
  summary.fallbacks = newton_.fallbacks();
  const std::string& turned = problem_.state.turned;
  if (!turned.empty()) summary.fallbacks.insert(summary.fallbacks.begin(), turned);
}

void ImplicitSteps::begin_step() {
  if (problem_.linear) return;
  system_->begin(fmt::format(" from t = {:g} on", problem_.state.time));
}

void ImplicitSteps::use(double factor, double dt) {
  problem_.dt_in_use = dt;
  if (factor == factor_) return;
  set_factor(factor);
  if (!problem_.linear) return;
  auto phase = problem_.profile().phase("assembly");
  system_->begin(fmt::format(" from t = {:g} on", problem_.state.time));
  system_->linearise(Vector());
}

void ImplicitSteps::make_tangent() {
  system_->begin();
  if (problem_.linear) system_->linearise(Vector());
}

void ImplicitSteps::need_tangent_at(const Vector& u) {
  if (!problem_.linear && newton_.steps().empty()) system_->linearise(u);
}

void ImplicitSteps::set_factor(double factor) {
  factor_ = factor;
  problem_.equations->inputs().set_factor_of_rates(factor);
  if (attached_->any()) system_->set_beside(attached_, 1, factor);
}

void ImplicitSteps::balance(const Residual& residual, const Vector& prescribed, const std::string& place, Vector& u) {
  if (problem_.linear) problem_.supports->set_values(u);
  newton_.solve({.residual = residual,
                 .prescribed = prescribed,
                 .increment = static_cast<int>(problem_.state.steps) + 1,
                 .place = place},
                u);
  ++problem_.state.solves;
}

std::string ImplicitSteps::place_of(const TimeStep& step) const {
  return fmt::format("the step from t = {:.9g} to {:.9g}", problem_.state.time, step.end);
}

bool ImplicitSteps::shows_scale(double dt) const { return dt <= part_that_shows_scale * problem_.options.end; }

void ImplicitSteps::filter(Vector& f, Vector& x) {
  const Supports& supports = *problem_.supports;
  supports.gather(f);
  supports.set_zero(f);
  fill(0.0, x);
  const SolveReport report = system_->solve(f, x, LinearTolerance{1e-3, 1e-2});
  if (!report.converged())
    throw Error(ErrorKind::not_converged,
                fmt::format("the linear solver ({}) stopped in the estimate of the error: {}", report.method,
                            name_of(report.reason)),
                report.where, advice_for(report.reason));
  supports.set_linear(x);
}

void ImplicitSteps::trace(Stage stage) {
  if (traced_ != nullptr) traced_->push_back(std::move(stage));
}

}  // namespace ritz
