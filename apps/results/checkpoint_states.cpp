#include "apps/results/checkpoint_states.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

Numbers numbers_of(std::vector<double> values) {
  return std::make_shared<const std::vector<double>>(std::move(values));
}

void put(const SolveReport& r, const std::string& name, CheckpointState& state) {
  state.numbers[name + ".report"] =
      numbers_of({double(static_cast<int>(r.reason)), double(r.iterations), r.true_relative_residual, r.error_estimate,
                  double(r.memory_needed), double(r.memory_used), double(r.restarts), double(r.entry)});
  state.numbers[name + ".history"] = numbers_of(r.history);
  std::vector<double> steps;
  for (const SolveReport::Step& step : r.steps)
    steps.insert(steps.end(), {step.length, step.product, step.next_product});
  state.numbers[name + ".steps"] = numbers_of(std::move(steps));
  state.texts[name + ".report"] = {r.method, r.preconditioner, r.choice, r.error_norm, r.where};
  state.texts[name + ".fallbacks"] = r.fallbacks;
}

SolveReport report_of(const CheckpointState& state, const std::string& name) {
  const std::vector<double>&n = *state.numbers.at(name + ".report"), &steps = *state.numbers.at(name + ".steps");
  const std::vector<std::string>& t = state.texts.at(name + ".report");
  SolveReport r{.method = t.at(0), .preconditioner = t.at(1), .choice = t.at(2)};
  if (const auto found = state.texts.find(name + ".fallbacks"); found != state.texts.end()) r.fallbacks = found->second;
  r.error_norm = t.at(3);
  r.where = t.at(4);
  r.reason = static_cast<StopReason>(int(n.at(0)));
  r.iterations = int(n.at(1));
  r.true_relative_residual = n.at(2);
  r.error_estimate = n.at(3);
  r.memory_needed = Index(n.at(4));
  r.memory_used = Index(n.at(5));
  r.restarts = int(n.at(6));
  r.entry = Index(n.at(7));
  r.history = *state.numbers.at(name + ".history");
  for (std::size_t i = 0; i + 2 < steps.size(); i += 3) r.steps.push_back({steps[i], steps[i + 1], steps[i + 2]});
  return r;
}

}  // namespace

CheckpointState state_of(const SolvedColumns& columns, std::size_t count) {
  CheckpointState state{.where = fmt::format("{} of {} load cases", columns.size(), count)};
  std::vector<double> which;
  for (const auto& [j, column] : columns) {
    const std::string name = fmt::format("column.{}", j);
    which.push_back(j);
    state.numbers[name + ".u"] = column.u;
    put(column.report, name, state);
  }
  state.numbers["columns"] = numbers_of(std::move(which));
  return state;
}

SolvedColumns solved_columns_of(const CheckpointState& state) {
  SolvedColumns columns;
  for (const double j : *state.numbers.at("columns")) {
    const std::string name = fmt::format("column.{}", int(j));
    columns[int(j)] = {state.numbers.at(name + ".u"), report_of(state, name)};
  }
  return columns;
}

CheckpointState state_of(const NonlinearSolution& solution, const Operator::PointStates& points, int increments,
                         int steps) {
  CheckpointState state{.where = fmt::format("increment {} of {}", solution.increment, increments), .steps = steps};
  std::vector<double> history;
  for (const NonlinearStep& s : solution.steps)
    history.insert(history.end(), {double(s.increment), s.residual, s.relative, s.length});
  state.numbers = {{"u", numbers_of(solution.u.host())},
                   {"newton", numbers_of({double(solution.increment), solution.reference})},
                   {"newton.steps", numbers_of(std::move(history))}};
  for (std::size_t i = 0; i < points.size(); ++i) state.numbers[fmt::format("points.{}", i)] = numbers_of(points[i]);
  if (!solution.turned.empty()) state.texts["newton.turned"] = {solution.turned};
  return state;
}

NonlinearState nonlinear_state_of(const CheckpointState& state) {
  const std::vector<double>&newton = *state.numbers.at("newton"), &history = *state.numbers.at("newton.steps");
  NonlinearState result{.increment = int(newton.at(0)), .u = *state.numbers.at("u"), .reference = newton.at(1)};
  for (std::size_t i = 0; i + 3 < history.size(); i += 4)
    result.steps.push_back({int(history[i]), history[i + 1], history[i + 2], history[i + 3]});
  for (auto found = state.numbers.find("points.0"); found != state.numbers.end();
       found = state.numbers.find(fmt::format("points.{}", result.state.size())))
    result.state.push_back(*found->second);
  if (const auto turned = state.texts.find("newton.turned"); turned != state.texts.end())
    result.turned = turned->second.at(0);
  return result;
}

}  // namespace ritz
