#include "apps/results/checkpoint_states.hpp"

#include <fmt/format.h>
#include <utility>

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

void put(const PointStates::Values& points, const std::string& prefix, CheckpointState& state) {
  for (std::size_t i = 0; i < points.size(); ++i)
    state.numbers[fmt::format("{}points.{}", prefix, i)] = numbers_of(points[i]);
}

PointStates::Values points_of(const CheckpointState& state, const std::string& prefix) {
  PointStates::Values points;
  for (auto found = state.numbers.find(prefix + "points.0"); found != state.numbers.end();
       found = state.numbers.find(fmt::format("{}points.{}", prefix, points.size())))
    points.push_back(*found->second);
  return points;
}

// Numbers that a state may lack: empty then.
std::vector<double> numbers_at(const CheckpointState& state, const std::string& name) {
  const auto found = state.numbers.find(name);
  return found == state.numbers.end() ? std::vector<double>{} : *found->second;
}

// `prefix`: what the names of its numbers begin with.
void put(const State& s, const std::string& prefix, CheckpointState& state) {
  std::vector<double> newton;
  for (const NewtonStep& each : s.newton)
    newton.insert(newton.end(), {double(each.increment), each.residual, each.relative, each.length});
  const std::pair<const char*, std::vector<double>> all[] = {
      {"u", s.u},
      {"newton",
       {double(s.increment), s.reference, s.part, s.at.at, s.at.size.next, double(s.at.size.successes), s.at.change,
        s.at.unit, s.at.is_unstable ? 1.0 : 0.0}},
      {"newton.change", s.change},
      {"newton.closed", {s.closed.begin(), s.closed.end()}},
      {"newton.steps", std::move(newton)},
      {"transient",
       {s.time, s.dt, s.control.size, s.control.error, s.control.dt, s.control.rejected ? 1.0 : 0.0, double(s.steps),
        double(s.rejected), double(s.solves), s.residual}},
      {"transient.r", s.r},
      {"transient.lowest", s.lowest},
      {"transient.highest", s.highest},
      {"transient.stored", s.balance.stored},
      {"transient.supplied", s.balance.supplied},
      {"transient.prescribed", s.balance.prescribed},
      {"transient.moved", s.balance.moved},
      {"motion.v", s.v},
      {"motion.a", s.a},
      {"motion",
       {s.energy.kinetic, s.energy.strain, s.energy.by_loads, s.energy.by_supports, s.energy.damped, s.energy.begin,
        s.largest, s.energy.inelastic, s.energy.inelastic_error}}};
  for (const auto& [name, numbers] : all)
    if (!numbers.empty()) state.numbers[prefix + name] = numbers_of(numbers);
  if (!s.turned.empty()) state.texts[prefix + "turned"] = {s.turned};
}

State state_at(const CheckpointState& state, const std::string& prefix) {
  State s{.u = numbers_at(state, prefix + "u")};
  if (const auto turned = state.texts.find(prefix + "turned"); turned != state.texts.end())
    s.turned = turned->second.at(0);
  const std::vector<double> newton = numbers_at(state, prefix + "newton"),
                            history = numbers_at(state, prefix + "newton.steps"),
                            t = numbers_at(state, prefix + "transient");
  s.increment = int(newton.at(0));
  s.reference = newton.at(1);
  s.part = newton.at(2);
  s.at = {.at = newton.at(3),
          .size = {.next = newton.at(4), .successes = int(newton.at(5))},
          .change = newton.at(6),
          .unit = newton.at(7),
          .is_unstable = newton.at(8) != 0};
  s.change = numbers_at(state, prefix + "newton.change");
  for (const double each : numbers_at(state, prefix + "newton.closed")) s.closed.push_back(each != 0);
  for (std::size_t i = 0; i + 3 < history.size(); i += 4)
    s.newton.push_back({int(history[i]), history[i + 1], history[i + 2], history[i + 3]});
  s.time = t.at(0);
  s.dt = t.at(1);
  s.control = {.size = t.at(2), .error = t.at(3), .dt = t.at(4), .rejected = t.at(5) != 0};
  s.steps = Index(t.at(6));
  s.rejected = Index(t.at(7));
  s.solves = Index(t.at(8));
  s.residual = t.at(9);
  s.r = numbers_at(state, prefix + "transient.r");
  s.lowest = numbers_at(state, prefix + "transient.lowest");
  s.highest = numbers_at(state, prefix + "transient.highest");
  s.balance = {numbers_at(state, prefix + "transient.stored"), numbers_at(state, prefix + "transient.supplied"),
               numbers_at(state, prefix + "transient.prescribed"), numbers_at(state, prefix + "transient.moved")};
  s.v = numbers_at(state, prefix + "motion.v");
  s.a = numbers_at(state, prefix + "motion.a");
  if (const std::vector<double> motion = numbers_at(state, prefix + "motion"); !motion.empty()) {
    s.energy = {.kinetic = motion.at(0),
                .strain = motion.at(1),
                .inelastic = motion.at(7),
                .inelastic_error = motion.at(8),
                .by_loads = motion.at(2),
                .by_supports = motion.at(3),
                .damped = motion.at(4),
                .begin = motion.at(5)};
    s.largest = motion.at(6);
  }
  return s;
}

std::string place_in_path(std::size_t place) { return fmt::format("path.{}.", place); }

}  // namespace

CheckpointState checkpoint_of(const State& s, int steps) {
  CheckpointState state{.where = s.place, .steps = steps};
  std::vector<double> which;
  for (const auto& [j, column] : s.columns) {
    const std::string name = fmt::format("column.{}", j);
    which.push_back(j);
    state.numbers[name + ".u"] = column.u;
    put(column.report, name, state);
  }
  if (!which.empty()) state.numbers["columns"] = numbers_of(std::move(which));
  put(s, "", state);
  put(s.points, "", state);
  put(s.rates, "rates.", state);
  return state;
}

void put(const StepProgress& progress, CheckpointState& state) {
  if (progress.number == 0) return;
  state.numbers["step"] = numbers_of({double(progress.number), progress.is_within ? 1.0 : 0.0});
  put(progress.from, "from.", state);
  put(progress.from.points, "from.", state);
  for (std::size_t i = 0; i < progress.done.size(); ++i) {
    const LoadCaseOutcome& done = progress.done[i];
    const std::string name = fmt::format("step.{}", i);
    state.texts[name] = {done.name, done.output, done.solve.method, done.solve.preconditioner, done.solve.reason};
    state.numbers[name] = numbers_of({double(done.solve.iterations), done.solve.true_relative_residual});
    for (const auto& [fact, value] : done.facts)
      for (const std::string& each : {fact, value}) state.texts[name + ".facts"].push_back(each);
    for (std::size_t k = 0; k < done.probes.size(); ++k) {
      state.texts[name + ".probes"].push_back(done.probes[k].first);
      state.numbers[fmt::format("{}.probe.{}", name, k)] = numbers_of(done.probes[k].second);
    }
  }
}

StepProgress step_progress_of(const CheckpointState& state) {
  const std::vector<double> place = numbers_at(state, "step");
  if (place.empty()) return {.is_within = true};
  StepProgress progress{.number = static_cast<std::size_t>(place.at(0)), .is_within = place.at(1) != 0};
  progress.from = state_at(state, "from.");
  progress.from.points = points_of(state, "from.");
  const auto texts = [&](const std::string& name) {
    const auto found = state.texts.find(name);
    return found == state.texts.end() ? std::vector<std::string>{} : found->second;
  };
  for (std::size_t i = 0; i < progress.number; ++i) {
    const std::string name = fmt::format("step.{}", i);
    const std::vector<std::string> words = texts(name), facts = texts(name + ".facts"),
                                   probes = texts(name + ".probes");
    const std::vector<double> numbers = numbers_at(state, name);
    LoadCaseOutcome& done = progress.done.emplace_back(LoadCaseOutcome{.name = words.at(0), .output = words.at(1)});
    done.solve = {.method = words.at(2),
                  .preconditioner = words.at(3),
                  .iterations = static_cast<std::int64_t>(numbers.at(0)),
                  .reason = words.at(4),
                  .true_relative_residual = numbers.at(1)};
    for (std::size_t k = 0; k + 1 < facts.size(); k += 2) done.facts[facts[k]] = facts[k + 1];
    for (std::size_t k = 0; k < probes.size(); ++k)
      done.probes.emplace_back(probes[k], numbers_at(state, fmt::format("{}.probe.{}", name, k)));
  }
  return progress;
}

void put(const Trajectory& path, CheckpointState& state) {
  std::vector<double> steps;
  for (const TimeStep& each : path.steps()) steps.insert(steps.end(), {each.dt, each.end});
  state.numbers["path"] = numbers_of({double(path.spacing()), double(path.states().size())});
  state.numbers["path.steps"] = numbers_of(std::move(steps));
  for (std::size_t i = 0; i < path.states().size(); ++i) put(path.states()[i], place_in_path(i), state);
}

Trajectory path_of(const CheckpointState& state) {
  const std::vector<double> facts = numbers_at(state, "path"), ends = numbers_at(state, "path.steps");
  if (facts.size() != 2)
    throw Error(ErrorKind::checkpoint_unusable, "the checkpoint has no states from which derivatives could go on", {},
                "start the run again, with --overwrite");
  std::vector<State> states;
  for (std::size_t i = 0; i < static_cast<std::size_t>(facts[1]); ++i)
    states.push_back(state_at(state, place_in_path(i)));
  std::vector<TimeStep> steps;
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) steps.push_back({ends[i], ends[i + 1]});
  return {Index(facts[0]), std::move(states), std::move(steps)};
}

State state_of(const CheckpointState& state) {
  State s = state_at(state, "");
  s.place = state.where;
  s.points = points_of(state, "");
  s.rates = points_of(state, "rates.");
  for (const double j : numbers_at(state, "columns")) {
    const std::string name = fmt::format("column.{}", int(j));
    s.columns[int(j)] = {state.numbers.at(name + ".u"), report_of(state, name)};
  }
  return s;
}

}  // namespace ritz
