#include "fem/sensitivity/step_adjoint.hpp"

#include "device/process/stop_request.hpp"
#include "fem/ranks/own_field.hpp"
#include "solvers/algebra/vectors.hpp"

#include <utility>

namespace ritz {
namespace {

// Transposed tangents are of one field.
const Operator& one_field(const Equations& equations) { return dynamic_cast<const Operator&>(equations); }

}  // namespace

StepAdjoint::StepAdjoint(const TransientModel& model, Transient options)
    : problem_(model, std::move(options)), part_(model.part != nullptr ? model.part->whole().one : nullptr) {
  problem_.judges = false;
}

std::pair<Stage, std::vector<TakenStep>> StepAdjoint::retrace(const State& from, std::span<const TimeStep> steps) {
  State& state = problem_.state;
  Integrator& method = integrator();
  state = from;
  if (state.steps == 0) {
    method.start();
  } else {
    problem_.set_time(state.time, state.time - state.dt);
    problem_.dt_in_use = state.dt;
    method.resume();
  }
  std::pair<Stage, std::vector<TakenStep>> result{present(), {}};
  for (const TimeStep& step : steps) {
    throw_if_stop_requested();
    this->steps().trace_to(&result.second.emplace_back(TakenStep{step, {}}).stages);
    method.begin_step();
    method.take(step);
    method.accept(step);
    ++state.steps;
    state.time = step.end;
    state.dt = step.dt;
  }
  this->steps().trace_to(nullptr);
  return result;
}

Vector StepAdjoint::transposed_action(const Equations& of, const Vector& u, const Vector& x) {
  Vector y = zeros();
  if (of.facts().symmetric) {
    of.action(u, x, y);
    return y;
  }
  std::optional<TransposedTangent>& transposed = &of == problem_.rates.get() ? transposed_rates_ : transposed_;
  if (!transposed) transposed.emplace(one_field(of), problem_.options.linear, part_);
  transposed->multiply(u, x, y);
  return y;
}

Vector StepAdjoint::solve_transposed(const Vector& u, const Vector& g) {
  const Supports& supports = *problem_.supports;
  Vector b = zeros(), x = zeros();
  copy(g, b);
  supports.gather(b);
  supports.set_zero(b);
  if (problem_.equations->facts().symmetric) {
    if (!problem_.linear) steps().system().linearise(u);
    throw_unless_converged(steps().system().solve(b, x));
  } else {
    if (!transposed_) transposed_.emplace(one_field(*problem_.equations), problem_.options.linear, part_);
    throw_unless_converged(transposed_->solve(u, dynamic_cast<const Constraints&>(supports), b, x));
  }
  supports.set_linear(x);
  return x;
}

void StepAdjoint::add_prescribed(Vector g, std::vector<double>& by_prescribed) const {
  problem_.supports->gather(g);
  problem_.supports->keep_prescribed(g);
  const std::vector<double> values = g.host();
  for (std::size_t i = 0; i < values.size(); ++i) by_prescribed[i] += values[i];
}

}  // namespace ritz
