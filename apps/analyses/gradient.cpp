#include "apps/analyses/gradient.hpp"

#include "apps/cases/case_number.hpp"
#include "apps/results/checkpoint_states.hpp"
#include "apps/results/probes.hpp"
#include "fem/analysis/derived_work.hpp"
#include "fem/analysis/linear_statics.hpp"
#include "fem/analysis/transient_adjoint.hpp"
#include "io/files/byte_size.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>

namespace ritz {
namespace {

bool moves(const CaseModel& read) { return read.time && read.time->velocity; }

std::vector<DifferentiableField> differentiable_fields(const CaseModel& read) {
  std::vector<DifferentiableField> fields = {{.field = read.nodal_results.front()}};
  if (moves(read)) fields.push_back({.field = {"velocity", read.space().components()}});
  for (const DerivedResult& each : read.derived_results)
    fields.push_back({.field = each.field, .is_bent = !each.is_linear(), .is_in_cells = each.is_in_cells});
  return fields;
}

std::optional<ProbeWeights> probe_of(Run& run, const CaseModel& read) {
  return probe_weights(run.input(), read.space(), read.gradient->table, "probe", read.gradient->probe,
                       differentiable_fields(read), run.results().measure());
}

// nullptr: of the unknown, its rate or reactions.
const DerivedResult* derived_of(const CaseModel& read, const ProbeWeights& probe) {
  const auto found = std::ranges::find_if(read.derived_results,
                                          [&](const DerivedResult& each) { return each.field.name == probe.field; });
  return found == read.derived_results.end() || probe.of_reactions ? nullptr : &*found;
}

// [unknown]
std::vector<double> weights_of_unknowns(const FunctionSpace& space, const ProbeWeights& probe) {
  const auto components = static_cast<std::size_t>(space.components());
  std::vector<double> weights(probe.weights.size() * components, 0.0);
  for (std::size_t i = 0; i < probe.weights.size(); ++i)
    weights[i * components + static_cast<std::size_t>(probe.component)] = probe.weights[i];
  return weights;
}

// Parts that add up to the derived fields of the results: the equations, and load cases with their factors.
std::vector<DerivedPart> derived_parts(const Model& model, std::span<const double> factors) {
  std::vector<DerivedPart> parts = {{model.equations}};
  for (std::size_t i = 0; i < factors.size(); ++i) parts.push_back({model.load_cases[i].loads, factors[i]});
  return parts;
}

// The probe of a derived field as a function of what forms derive, at this solution.
DerivedWork derived_work(const CaseModel& read, const DerivedResult& of, const ProbeWeights& probe,
                         std::span<const double> factors, const Time& time, const Vector& u) {
  const FunctionSpace& space = read.space();
  const std::vector<DerivedPart> parts = derived_parts(read.model, factors);
  const DerivedValues derived = derived_values(space, parts, of.form, time, u);
  const auto components = static_cast<std::size_t>(of.field.components);
  std::vector<double> by_values(probe.weights.size() * components, 0.0);
  for (std::size_t i = 0; i < probe.weights.size(); ++i)
    by_values[i * components + static_cast<std::size_t>(probe.component)] = probe.weights[i];
  DerivedWeights weights{.components = derived.components};
  (probe.in_cells ? weights.in_cells : weights.at_nodes) =
      back(of, probe.in_cells ? derived.in_cells : derived.at_nodes, derived.components, by_values);
  DerivedWork work(space, parts, of.form, weights);
  work.set_time(time);
  return work;
}

// Adds what the number changes in the probe at a fixed solution.
void add_derived(DerivedWork& work, const DifferentiatedNumber& number, const Model& model,
                 std::span<const double> factors, const std::vector<double>& u, std::vector<double>& sum) {
  if (number.array != nullptr) return add_by_array(work, *number.array, u, sum);
  add_by_number(
      work, *number.number, [&](const Model& other) { return derived_parts(other, factors); },
      derived_parts(model, factors), u, sum);
}

// [key]
std::vector<Field> gradient_fields(const CaseModel& read) {
  std::vector<Field> fields;
  for (const std::string& key : read.gradient->keys)
    fields.push_back({gradient_field(key), key == positions_key ? 3 : 1});
  return fields;
}

SplitFields split(const CaseModel& read, std::vector<Field> fields) {
  SplitFields result;
  for (std::size_t i = 0; i < fields.size(); ++i)
    (read.gradient->keys[i] == positions_key ? result.nodal : result.cells).push_back(std::move(fields[i]));
  return result;
}

bool is_prescribed(std::string_view key) {
  return std::ranges::any_of(std::array{"displacement.", "temperature."}, [key](std::string_view table) {
    const auto at = key.find(table);
    return at == 0 || (at != std::string_view::npos && key[at - 1] == '.');
  });
}

// The keys as variables: arrays where they may be formulas, else numbers with which the case is read again.
class GradientNumbers {
 public:
  GradientNumbers(Run& run, const CaseModel& read) {
    own_.reserve(read.gradient->keys.size());
    for (const std::string& key : read.gradient->keys) {
      if (key == positions_key) {
        all_.push_back({.name = key, .positions = true});
        continue;
      }
      const auto array = run.arrays().find(key);
      if (array == run.arrays().end()) own_.push_back(*number_of_case(run, read, key));
      all_.push_back({key, array == run.arrays().end() ? nullptr : &array->second,
                      array == run.arrays().end() ? &own_.back() : nullptr});
    }
  }
  GradientNumbers(const GradientNumbers&) = delete;
  GradientNumbers& operator=(const GradientNumbers&) = delete;
  std::span<const DifferentiatedNumber> all() const { return all_; }

 private:
  std::vector<ModelNumber> own_;
  std::vector<DifferentiatedNumber> all_;
};

void check_keys(Run& run, const CaseModel& read) {
  const GradientInput& gradient = *read.gradient;
  for (const std::string& key : gradient.keys) {
    const auto wrong = [&](const std::string& why) {
      gradient.table.error(
          "by", fmt::format("no gradient by '{}'", key), why,
          "name a number of a material, an orientation or [thermal], or of a load that may be a formula "
          "of the position, such as material.0.young; components of a list as traction.0.value.2; or \"points\"");
    };
    if (key == positions_key) {
      if (const auto refused = not_differentiable_by_positions(run, read))
        gradient.table.error("by", fmt::format("no gradient by '{}' of {}", key, refused->of), refused->why,
                             refused->fix);
      continue;
    }
    if (is_prescribed(key)) wrong("prescribed values belong to nodes, not to cells");
    else if (!run.arrays().contains(key) && !number_of_case(run, read, key))
      wrong("the case has no such number, or it is a formula, a table or a total");
  }
}

// The factor of each load case in the solution of which the gradient is taken; nullopt: there is none of this name.
std::optional<std::vector<double>> factors_of(const CaseModel& read, const LoadCases& analysis) {
  const std::vector<ModelLoadCase>& cases = read.model.load_cases;
  std::vector<double> factors(cases.size(), 0.0);
  for (std::size_t i = 0; i < cases.size(); ++i)
    if (cases[i].name == read.gradient->load_case) {
      factors[i] = 1;
      return factors;
    }
  for (const LoadCombination& each : analysis.combinations)
    if (each.name == read.gradient->load_case) return each.factors;
  return std::nullopt;
}

// The model of one solution: what acts in all load cases, and these parts of their loads. Prescribed are the unknowns
// that a load case prescribes; their values play no part in an adjoint.
Model model_of(const Model& model, std::span<const double> factors) {
  Model one = model;
  one.load_cases.clear();
  for (std::size_t i = 0; i < factors.size(); ++i)
    for (Integral load : model.load_cases[i].loads) {
      load.factor *= factors[i];
      one.equations.push_back(std::move(load));
    }
  if (model.load_cases.empty()) return one;
  for (const PrescribedValue& each : model.load_cases.front().prescribed) {
    std::erase_if(one.supports, [&](const PrescribedValue& other) {
      return other.region == each.region && other.component == each.component;
    });
    one.supports.push_back(each);
  }
  return one;
}

// The work on lambda of each cell's residual differs from that of the gradient of a reaction by the weights themselves:
// d(w . R)/dp = (w - lambda) . dR/dp with K lambda = K w where u is free.
struct Adjoint {
  Vector g, direction;
};

Adjoint adjoint_of(LinearStatics& statics, const std::vector<double>& weights, bool of_reactions) {
  const FunctionSpace& space = statics.equations().space();
  Vector w(space.device(), std::span<const double>(weights), "vectors");
  if (!of_reactions) {
    Vector lambda = statics.adjoint(w);
    return {std::move(w), std::move(lambda)};
  }
  Vector g = space.zeros();
  statics.equations().action(space.zeros(), w, g);
  Vector lambda = statics.adjoint(g);
  axpy(-1, w, lambda);
  return {std::move(g), std::move(lambda)};
}

LinearSolverOptions accurate(LinearSolverOptions options) {
  options.relative = std::min(options.relative, 1e-10);
  return options;
}

std::string which_probe(const GradientInput& gradient) {
  return fmt::format("'{}'{}", gradient.probe,
                     gradient.over_time           ? ", its integral over time,"
                     : gradient.load_case.empty() ? ""
                                                  : fmt::format(" in '{}'", gradient.load_case));
}

void tell_positions(Run& run, const GradientInput& gradient, const Field& field) {
  double largest = 0;
  std::size_t at = 0;
  for (std::size_t n = 0; n < field.values.size(); n += 3)
    if (const double length = std::hypot(field.values[n], field.values[n + 1], field.values[n + 2]); length > largest) {
      largest = length;
      at = n / 3;
    }
  const auto x = run.mesh().point(static_cast<Node>(at));
  run.log().line(
      "gradient of {} by positions of nodes: at most {:.8g}, at ({:g}, {:g}, {:g}); at each node: field '{}'",
      which_probe(gradient), largest, x[0], x[1], x[2], field.name);
  run.results().facts()[fmt::format("gradient {}", positions_key)] = fmt::format("{:.10g}", largest);
}

void tell(Run& run, const GradientInput& gradient, const std::vector<Field>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (gradient.keys[i] == positions_key) {
      tell_positions(run, gradient, fields[i]);
      continue;
    }
    const double sum = std::accumulate(fields[i].values.begin(), fields[i].values.end(), 0.0);
    run.log().line("gradient of {} by {}: {:.8g}; in each cell: field '{}'", which_probe(gradient), gradient.keys[i],
                   sum, fields[i].name);
    run.results().facts()["gradient " + gradient.keys[i]] = fmt::format("{:.10g}", sum);
  }
}

std::vector<Field> gradient_of_statics(Run& run, const CaseModel& read, std::span<const double> factors,
                                       const Vector& u, const LinearSolverOptions& linear) {
  auto phase = run.phase("gradient");
  run.log().progress("gradient");
  const ProbeWeights probe = *probe_of(run, read);
  const DerivedResult* const field = derived_of(read, probe);
  const Model model = model_of(read.model, factors);
  LinearStatics statics(model, accurate(linear));
  std::optional<DerivedWork> derived;
  if (field != nullptr) derived.emplace(derived_work(read, *field, probe, factors, {}, u));
  const std::vector<double> at = u.host();
  const Adjoint adjoint = adjoint_of(
      statics, derived ? derived->by_unknowns(at) : weights_of_unknowns(read.space(), probe), probe.of_reactions);
  const Vector by_prescribed = statics.by_prescribed(adjoint.g, adjoint.direction);
  std::vector<Field> fields = gradient_fields(read);
  const GradientNumbers numbers(run, read);
  const auto own_model = [&](const Model& of_case) { return model_of(of_case, factors); };
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const DifferentiatedNumber& each = numbers.all()[i];
    if (each.positions) fields[i].values = by_positions(statics, u, adjoint.direction);
    else if (each.array != nullptr)
      fields[i].values = by_array(statics, *each.array, each.name, u, adjoint.direction, by_prescribed);
    else fields[i].values = by_number(statics, *each.number, own_model, u, adjoint.direction);
    if (derived) add_derived(*derived, each, read.model, factors, at, fields[i].values);
  }
  run.log().end_progress();
  tell(run, *read.gradient, fields);
  return fields;
}

// With the values at the begin, where the case is sound.
Transient with_begin(Run& run, const CaseModel& read, Transient evolution) {
  if (run.input().sound() && read.time->initial) evolution.begin.u = read.time->initial(read.space());
  return evolution;
}

std::vector<Field> no_values(const CaseModel& read) {
  std::vector<Field> fields = gradient_fields(read);
  const Mesh& mesh = read.space().mesh();
  for (Field& each : fields)
    each.values.assign(static_cast<std::size_t>(each.components == 3 ? 3 * mesh.node_count() : mesh.cell_count()),
                       std::numeric_limits<double>::quiet_NaN());
  return fields;
}

// Results have them from here on: those by positions at nodes, others in cells.
void carry(Run& run, const CaseModel& read, std::vector<Field> fields) {
  SplitFields all = split(read, std::move(fields));
  std::ranges::copy(read.model_fields, std::back_inserter(all.nodal));
  run.results().carry(std::move(all.nodal));
  run.results().carry_in_cells(std::move(all.cells));
}

// The solution waits for its gradient, so that one matrix goes before the other comes.
void solve_static(Run& run, const CaseModel& read, const Static& analysis, Observer observer,
                  const Prepared& prepared) {
  const auto show = std::exchange(observer.show, [](const SolutionView&) {});
  const StaticSolution solution = solve(read.model, analysis, observer, prepared);
  carry(run, read, gradient_of_statics(run, read, {}, solution.u, analysis.linear));
  show(view_of(solution, analysis.linear.relative));
}

void solve_load_cases(Run& run, const CaseModel& read, const LoadCases& analysis, Observer observer,
                      const Prepared& prepared) {
  std::string name;
  observer.enter = [&name, enter = observer.enter](const std::string& which, bool combination) {
    name = which;
    if (enter) enter(which, combination);
  };
  observer.show = [&, show = observer.show](const SolutionView& s) {
    carry(run, read,
          name != read.gradient->load_case
              ? no_values(read)
              : gradient_of_statics(run, read, *factors_of(read, analysis), s.u, analysis.linear));
    show(s);
  };
  solve(read.model, analysis, observer, prepared);
}

// The part of a gradient in time that a checkpoint has: the way so far, and where the way back has begun, how far it
// has come.
struct WayThereAndBack {
  Trajectory path;
  std::vector<double> values;  // [step] of the probe, 0: at the begin; where its integral is asked for
  AdjointState adjoint;
  std::vector<std::vector<double>> direct;  // [key][cell] by what the probe takes of the numbers directly

  void put_into(CheckpointState& state) const {
    const auto add = [&](const std::string& name, std::vector<double> numbers) {
      state.numbers[name] = std::make_shared<const std::vector<double>>(std::move(numbers));
    };
    put(path, state);
    add("gradient.values", values);
    if (adjoint.parts < 0) return;
    add("gradient.parts", {static_cast<double>(adjoint.parts)});
    for (const auto& [name, numbers] : adjoint.numbers) add(of_adjoint + name, numbers);
    for (std::size_t i = 0; i < direct.size(); ++i) add(fmt::format("gradient.direct.{}", i), direct[i]);
  }
  // The analysis goes on from the state of the checkpoint, which may lie before the last step.
  void resume(const CheckpointState& state, std::size_t keys) {
    path = path_of(state);
    path.cut(state_of(state).steps);
    if (const auto found = state.numbers.find("gradient.values"); found != state.numbers.end()) values = *found->second;
    values.resize(std::min(values.size(), static_cast<std::size_t>(path.step_count()) + 1));
    const auto parts = state.numbers.find("gradient.parts");
    if (parts == state.numbers.end()) return;
    adjoint.parts = static_cast<Index>(parts->second->at(0));
    for (const auto& [name, numbers] : state.numbers)
      if (name.starts_with(of_adjoint)) adjoint.numbers[name.substr(of_adjoint.size())] = *numbers;
    for (std::size_t i = 0; i < keys; ++i) direct.push_back(*state.numbers.at(fmt::format("gradient.direct.{}", i)));
  }

 private:
  inline static const std::string of_adjoint = "gradient.adjoint.";
};

// Follows an evolution, and takes the gradient at its end.
class GradientInTime {
 public:
  GradientInTime(Run& run, const CaseModel& read, const Transient& options)
      : run_(run), read_(read), options_(options), probe_(*probe_of(run, read)), field_(derived_of(read, probe_)) {
    if (field_ == nullptr) weights_ = weights_of_unknowns(read.space(), probe_);
    options_.linear = accurate(options_.linear);
    options_.newton.least_linear = std::min(options_.newton.least_linear, options_.linear.relative);
    if (is_linear_in_time(read.model)) options_.newton.relative = options_.linear.relative;
    if (const std::optional<CheckpointState>& resumed = run.results().resumed()) {
      kept_->resume(*resumed, read.gradient->keys.size());
      has_begun_ = resumed->steps > 0;
    }
    // It may be written after this has gone, where the run is stopped.
    run.results().keep_beside([kept = kept_](CheckpointState& state) { kept->put_into(state); });
  }

  Observer following(Observer observer) {
    observer.keep = [this, keep = observer.keep](const State& s) {
      if (!is_over_) kept_->path.keep(s);
      if (!is_over_ && s.steps > 0) add_value({s.time, s.dt}, s.u, s.v);
      if (keep) keep(s);
    };
    observer.step = [this, step = observer.step](const AnalysisStep& s) {
      if (s.accepted) last_ = {s.dt, s.time};
      if (step) step(s);
    };
    observer.show = [this, show = observer.show](const SolutionView& s) {
      is_over_ = *s.time == options_.end;
      if (!has_begun_ || is_over_)
        add_value({*s.time, is_over_ ? last_.dt : 0}, s.u.host(),
                  s.velocity != nullptr ? s.velocity->host() : std::vector<double>());
      has_begun_ = true;
      if (is_over_) kept_->path.finish(last_);
      carry(run_, read_, is_over_ ? take() : no_values(read_));
      show(s);
    };
    return observer;
  }

 private:
  // The way there is kept before the way back begins, so that it is not lost.
  void keep_way_back(const std::string& where, Results::Writing writing) {
    run_.results().keep_again(fmt::format("t = {:g}, {}", kept_->path.end_of(kept_->path.step_count() - 1), where),
                              writing);
  }

  bool of_velocity() const { return field_ == nullptr && probe_.field == "velocity"; }

  // Values of the probe after each step, where its integral is asked for.
  void add_value(const Time& time, const std::vector<double>& u, const std::vector<double>& v) {
    if (!read_.gradient->over_time) return;
    if (field_ != nullptr) return kept_->values.push_back(work_at(time, u).value(u));
    const std::vector<double>& x = of_velocity() ? v : u;
    kept_->values.push_back(std::inner_product(x.begin(), x.end(), weights_.begin(), 0.0));
  }

  // Over time the probe is linear in what is derived: its weights stay.
  DerivedWork& work_at(const Time& time, const std::vector<double>& u) {
    if (!work_)
      work_.emplace(derived_work(read_, *field_, probe_, {}, time,
                                 Vector(read_.space().device(), std::span<const double>(u), "vectors")));
    work_->set_time(time);
    return *work_;
  }

  // Half of the steps beside it: the trapezoidal rule.
  double weight_of(Index step) const {
    if (!read_.gradient->over_time) return step == kept_->path.step_count() ? 1 : 0;
    const auto time = [this](Index at) { return at == 0 ? kept_->path.begin() : kept_->path.end_of(at - 1); };
    return 0.5 * (time(std::min(step + 1, kept_->path.step_count())) - time(std::max<Index>(step - 1, 0)));
  }

  std::vector<Field> take() {
    auto phase = run_.phase("gradient");
    run_.log().progress("gradient");
    const GradientNumbers numbers(run_, read_);
    if (kept_->direct.empty())
      for (const DifferentiatedNumber& each : numbers.all())
        kept_->direct.emplace_back(each.size(read_.space().mesh()), 0.0);
    if (kept_->adjoint.parts < 0) keep_way_back("before the way back of the gradient", Results::Writing::at_once);
    const TransientDerivatives d = differentiate(
        read_.model, options_, kept_->path,
        [&](const ReachedState& s, const StateDerivative& g) { add_derivative(s, g, numbers.all()); }, numbers.all(),
        {.begin = kept_->adjoint, .keep = [this](const AdjointState& s) {
           kept_->adjoint = s;
           run_.log().detail("gradient: {} of {} parts of the way back to go", s.parts, kept_->path.part_count());
           keep_way_back(
               fmt::format("{} of {} parts of the way back of the gradient to go", s.parts, kept_->path.part_count()),
               Results::Writing::now_and_then);
         }});
    std::vector<Field> fields = gradient_fields(read_);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      fields[i].values = kept_->direct[i];
      for (std::size_t k = 0; k < d.numbers[i].size(); ++k) fields[i].values[k] += d.numbers[i][k];
    }
    run_.log().end_progress();
    tell_value(d);
    tell(run_, *read_.gradient, fields);
    return fields;
  }

  void add_derivative(const ReachedState& s, const StateDerivative& g, std::span<const DifferentiatedNumber> numbers) {
    const double weight = weight_of(s.step);
    if (weight == 0) return;
    const auto add = [weight](const std::vector<double>& values, std::vector<double>& sum) {
      for (std::size_t i = 0; i < values.size(); ++i) sum[i] += weight * values[i];
    };
    if (field_ == nullptr) return add(weights_, of_velocity() ? g.by_v : g.by_u);
    DerivedWork& work = work_at(s.time, s.u);
    add(work.by_unknowns(s.u), g.by_u);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::vector<double> direct(kept_->direct[i].size(), 0.0);
      add_derived(work, numbers[i], read_.model, {}, s.u, direct);
      add(direct, kept_->direct[i]);
    }
  }

  void tell_value(const TransientDerivatives& d) const {
    run_.log().line("gradient of {} steps backwards in time: states on the host took {} at most",
                    kept_->path.step_count(), text_of_bytes(d.bytes));
    if (!read_.gradient->over_time) return;
    double integral = 0;
    for (std::size_t i = 0; i < kept_->values.size(); ++i)
      integral += weight_of(static_cast<Index>(i)) * kept_->values[i];
    run_.log().line("integral of '{}' over time: {:.8g}", read_.gradient->probe, integral);
    run_.results().facts()["integral " + read_.gradient->probe] = fmt::format("{:.12g}", integral);
  }

  Run& run_;
  const CaseModel& read_;
  Transient options_;
  const ProbeWeights probe_;
  const DerivedResult* field_;       // of the probe; null: the unknown or its rate
  std::vector<double> weights_;      // [unknown] of these
  std::optional<DerivedWork> work_;  // of a derived field
  bool has_begun_ = false;
  const std::shared_ptr<WayThereAndBack> kept_ = std::make_shared<WayThereAndBack>();
  TimeStep last_{};
  bool is_over_ = false;
};

void solve_in_time(Run& run, const CaseModel& read, const Transient& analysis, Observer observer,
                   const Prepared& prepared, const std::function<void(const TransientResult&)>& conclude) {
  GradientInTime gradient(run, read, analysis);
  conclude(solve(read.model, analysis, gradient.following(std::move(observer)), prepared));
}

}  // namespace

SplitFields gradient_results(const CaseModel& read) { return split(read, gradient_fields(read)); }

void check_gradient(Run& run, const CaseModel& read, const Analysis& analysis) {
  const GradientInput& gradient = *read.gradient;
  const auto wrong = [&](const char* key, const std::string& of, const std::string& why, const std::string& fix) {
    gradient.table.error(key, fmt::format("no gradient of {}", of), why, fix);
  };
  check_keys(run, read);
  const auto* const cases = std::get_if<LoadCases>(&analysis);
  const auto* const evolution = std::get_if<Transient>(&analysis);
  if ((cases == nullptr && evolution == nullptr && !std::holds_alternative<Static>(analysis)) ||
      !read.model.means.empty())
    return wrong("probe", "this analysis", "it is taken of linear statics and of evolutions in time",
                 "leave out prescribed means and what makes the equations nonlinear; Python differentiates nonlinear "
                 "statics (docs/python.md)");
  if (evolution != nullptr)
    if (const auto refused = not_differentiable(read.model, with_begin(run, read, *evolution)))
      return wrong("probe", refused->of, refused->why, refused->fix);
  const auto is_symmetric = [](const Integral& each) { return each.form.symmetric || !each.form.has_matrix; };
  if (evolution == nullptr && !std::ranges::all_of(read.model.equations, is_symmetric))
    return wrong("probe", "a model whose tangent is not symmetric", "its adjoint has a matrix of its own",
                 "take forms that are symmetric");
  if (cases != nullptr && !factors_of(read, *cases))
    return wrong(
        gradient.load_case.empty() ? "probe" : "load_case",
        gradient.load_case.empty() ? "several load cases" : fmt::format("a load case '{}'", gradient.load_case),
        gradient.load_case.empty() ? "each has a solution of its own" : "there is none of this name",
        "name a load case or a combination in load_case");
  if (cases == nullptr && !gradient.load_case.empty())
    return wrong("load_case", fmt::format("a load case '{}'", gradient.load_case), "the case has no load cases",
                 "omit load_case");
  if (evolution == nullptr && gradient.over_time)
    return wrong("over", "an integral over time", "the case has no [time]", "omit over");
  const std::optional<ProbeWeights> probe = probe_of(run, read);
  if (!probe) return;
  if (std::ranges::count(gradient.keys, positions_key) > 0) {
    if (derived_of(read, *probe) != nullptr)
      return wrong("by", fmt::format("'{}' by positions of nodes", probe->field), "it depends on positions, too",
                   "take a probe of the unknown");
    if (probe->of_areas)
      return wrong("by", "a mean or integral over cells or facets by positions of nodes",
                   "its weights are areas, which they change",
                   "take a probe at a point, or the mean of a region of nodes");
  }
  if (const DerivedResult* field = derived_of(read, *probe);
      field != nullptr && !field->is_linear() && gradient.over_time)
    return wrong("over", fmt::format("an integral of '{}' over time", field->field.name),
                 "it is no linear function of the stress", "take a component of the stress, or omit over");
  if (!probe->of_reactions) return;
  const Case::Table root = run.input().root();
  if (evolution != nullptr)
    wrong("probe", "reactions in time", "they are means over the last step", "take the unknown in place of a reaction");
  else if (cases != nullptr)
    wrong("probe", "reactions of load cases", "the loads on supports differ",
          "take the unknown, or one load case alone");
  else if (read.supports->common().dependent() != nullptr || root.has("foundation") || root.has("spring"))
    wrong("probe", "reactions beside elastic ground, ties or other relations", "they carry a part of them",
          "take the unknown in place of a reaction");
}

void solve_with_gradient(Run& run, const CaseModel& read, const Analysis& analysis, Observer observer,
                         const Prepared& prepared, const std::function<void(const TransientResult&)>& conclude) {
  if (const auto* const linear = std::get_if<Static>(&analysis))
    return solve_static(run, read, *linear, std::move(observer), prepared);
  if (const auto* const cases = std::get_if<LoadCases>(&analysis))
    return solve_load_cases(run, read, *cases, std::move(observer), prepared);
  solve_in_time(run, read, std::get<Transient>(analysis), std::move(observer), prepared, conclude);
}

}  // namespace ritz
