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

void put(const Operator::PointStates& points, CheckpointState& state) {
  for (std::size_t i = 0; i < points.size(); ++i) state.numbers[fmt::format("points.{}", i)] = numbers_of(points[i]);
}

Operator::PointStates points_of(const CheckpointState& state) {
  Operator::PointStates points;
  for (auto found = state.numbers.find("points.0"); found != state.numbers.end();
       found = state.numbers.find(fmt::format("points.{}", points.size())))
    points.push_back(*found->second);
  return points;
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
  put(points, state);
  if (!solution.turned.empty()) state.texts["newton.turned"] = {solution.turned};
  return state;
}

NonlinearState nonlinear_state_of(const CheckpointState& state) {
  const std::vector<double>&newton = *state.numbers.at("newton"), &history = *state.numbers.at("newton.steps");
  NonlinearState result{.increment = int(newton.at(0)), .u = *state.numbers.at("u"), .reference = newton.at(1)};
  for (std::size_t i = 0; i + 3 < history.size(); i += 4)
    result.steps.push_back({int(history[i]), history[i + 1], history[i + 2], history[i + 3]});
  result.state = points_of(state);
  if (const auto turned = state.texts.find("newton.turned"); turned != state.texts.end())
    result.turned = turned->second.at(0);
  return result;
}

CheckpointState state_of(const TransientState& t, double end, int steps) {
  CheckpointState state{.where = fmt::format("t = {:g} of {:g}", t.time, end), .steps = steps};
  state.numbers = {{"u", numbers_of(t.u)},
                   {"transient.r", numbers_of(t.r)},
                   {"transient", numbers_of({t.time, t.dt, t.control.size, t.control.error, t.control.dt,
                                             t.control.rejected ? 1.0 : 0.0, double(t.steps), double(t.rejected),
                                             double(t.solves), t.residual})},
                   {"transient.lowest", numbers_of(t.lowest)},
                   {"transient.highest", numbers_of(t.highest)},
                   {"transient.stored", numbers_of(t.balance.stored)},
                   {"transient.supplied", numbers_of(t.balance.supplied)},
                   {"transient.prescribed", numbers_of(t.balance.prescribed)},
                   {"transient.moved", numbers_of(t.balance.moved)}};
  std::erase_if(state.numbers, [](const auto& entry) { return entry.second->empty(); });
  put(t.points, state);
  if (!t.turned.empty()) state.texts["transient.turned"] = {t.turned};
  return state;
}

TransientState transient_state_of(const CheckpointState& state) {
  const auto numbers = [&](const char* name) {  // before the first step some are empty
    const auto found = state.numbers.find(name);
    return found == state.numbers.end() ? std::vector<double>{} : *found->second;
  };
  const std::vector<double> n = numbers("transient");
  TransientState t{
      .time = n.at(0), .u = numbers("u"), .r = numbers("transient.r"), .points = points_of(state), .dt = n.at(1)};
  t.control = {.size = n.at(2), .error = n.at(3), .dt = n.at(4), .rejected = n.at(5) != 0};
  t.steps = Index(n.at(6));
  t.rejected = Index(n.at(7));
  t.solves = Index(n.at(8));
  t.residual = n.at(9);
  t.lowest = numbers("transient.lowest");
  t.highest = numbers("transient.highest");
  t.balance = {numbers("transient.stored"), numbers("transient.supplied"), numbers("transient.prescribed"),
               numbers("transient.moved")};
  if (const auto turned = state.texts.find("transient.turned"); turned != state.texts.end())
    t.turned = turned->second.at(0);
  return t;
}

}  // namespace ritz
