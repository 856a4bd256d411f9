#include "apps/analyses/gradient.hpp"

#include "apps/results/probes.hpp"
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

std::optional<LinearProbe> probe_of(Run& run, const CaseModel& read) {
  return linear_probe(run.input(), read.space(), read.gradient->table, "probe", read.gradient->probe,
                      read.nodal_results.front(), run.results().measure());
}

bool is_prescribed(std::string_view key) {
  return std::ranges::any_of(std::array{"displacement.", "temperature."}, [key](std::string_view table) {
    const auto at = key.find(table);
    return at == 0 || (at != std::string_view::npos && key[at - 1] == '.');
  });
}

void check_keys(Run& run, const GradientInput& gradient) {
  for (const std::string& key : gradient.keys) {
    const auto wrong = [&](const std::string& why) {
      gradient.table.error("by", fmt::format("no gradient by '{}'", key), why,
                           "name a key that may be a formula of the position and is a number here, such as "
                           "material.0.young; components of a list as traction.0.value.2");
    };
    if (is_prescribed(key)) wrong("prescribed values belong to nodes, not to cells");
    else if (!run.arrays().contains(key)) wrong("the case has no such number, or it is a formula, a table or a total");
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

Adjoint adjoint_of(LinearStatics& statics, const LinearProbe& probe) {
  const FunctionSpace& space = statics.equations().space();
  Vector w(space.device(), std::span<const double>(probe.weights), "vectors");
  if (!probe.of_reactions) {
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

void tell(Run& run, const GradientInput& gradient, const std::vector<Field>& fields) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const double sum = std::accumulate(fields[i].values.begin(), fields[i].values.end(), 0.0);
    run.log().line("gradient of '{}'{} by {}: {:.8g}; in each cell: field '{}'", gradient.probe,
                   gradient.over_time           ? ", its integral over time,"
                   : gradient.load_case.empty() ? ""
                                                : fmt::format(" in '{}'", gradient.load_case),
                   gradient.keys[i], sum, fields[i].name);
    run.results().facts()["gradient " + gradient.keys[i]] = fmt::format("{:.10g}", sum);
  }
}

std::vector<Field> gradient_of_statics(Run& run, const CaseModel& read, std::span<const double> factors,
                                       const Vector& u, const LinearSolverOptions& linear) {
  auto phase = run.phase("gradient");
  run.log().progress("gradient");
  const LinearProbe probe = *probe_of(run, read);
  const Model model = model_of(read.model, factors);
  LinearStatics statics(model, accurate(linear));
  const Adjoint adjoint = adjoint_of(statics, probe);
  const Vector by_prescribed = statics.by_prescribed(adjoint.g, adjoint.direction);
  std::vector<Field> fields = gradient_fields(read);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& key = read.gradient->keys[i];
    fields[i].values = by_array(statics, run.arrays().at(key), key, u, adjoint.direction, by_prescribed);
  }
  run.log().end_progress();
  tell(run, *read.gradient, fields);
  return fields;
}

std::vector<Field> no_values(const CaseModel& read) {
  std::vector<Field> fields = gradient_fields(read);
  for (Field& each : fields)
    each.values.assign(static_cast<std::size_t>(read.space().mesh().cell_count()),
                       std::numeric_limits<double>::quiet_NaN());
  return fields;
}

// The solution waits for its gradient, so that one matrix goes before the other comes.
void solve_static(Run& run, const CaseModel& read, const Static& analysis, Observer observer,
                  const Prepared& prepared) {
  const auto show = std::exchange(observer.show, [](const SolutionView&) {});
  const StaticSolution solution = solve(read.model, analysis, observer, prepared);
  run.results().carry_in_cells(gradient_of_statics(run, read, {}, solution.u, analysis.linear));
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
    run.results().carry_in_cells(
        name != read.gradient->load_case
            ? no_values(read)
            : gradient_of_statics(run, read, *factors_of(read, analysis), s.u, analysis.linear));
    show(s);
  };
  solve(read.model, analysis, observer, prepared);
}

// Follows an evolution, and takes the gradient at its end.
class GradientInTime {
 public:
  GradientInTime(Run& run, const CaseModel& read, const Transient& options)
      : run_(run), read_(read), options_(options), weights_(probe_of(run, read)->weights) {
    options_.linear = accurate(options_.linear);
    options_.newton.least_linear = std::min(options_.newton.least_linear, options_.linear.relative);
    if (is_linear_in_time(read.model)) options_.newton.relative = options_.linear.relative;
  }

  Observer following(Observer observer) {
    observer.keep = [this, keep = observer.keep](const State& s) {
      if (!is_over_) path_.keep(s);
      if (!is_over_ && s.steps > 0) values_.push_back(value_of(s.u));
      if (keep) keep(s);
    };
    observer.step = [this, step = observer.step](const AnalysisStep& s) {
      if (s.accepted) last_ = {s.dt, s.time};
      if (step) step(s);
    };
    observer.show = [this, show = observer.show](const SolutionView& s) {
      is_over_ = *s.time == options_.end;
      if (values_.empty() || is_over_) values_.push_back(value_of(s.u.host()));
      if (is_over_) path_.finish(last_);
      run_.results().carry_in_cells(is_over_ ? take() : no_values(read_));
      show(s);
    };
    return observer;
  }

 private:
  double value_of(const std::vector<double>& u) const {
    return std::inner_product(u.begin(), u.end(), weights_.begin(), 0.0);
  }

  // Half of the steps beside it: the trapezoidal rule.
  double weight_of(Index step) const {
    if (!read_.gradient->over_time) return step == path_.step_count() ? 1 : 0;
    const auto time = [this](Index at) { return at == 0 ? path_.begin() : path_.end_of(at - 1); };
    return 0.5 * (time(std::min(step + 1, path_.step_count())) - time(std::max<Index>(step - 1, 0)));
  }

  std::vector<Field> take() {
    auto phase = run_.phase("gradient");
    run_.log().progress("gradient");
    std::vector<DifferentiatedArray> arrays;
    for (const std::string& key : read_.gradient->keys) arrays.push_back({key, &run_.arrays().at(key)});
    const TransientDerivatives d = differentiate(
        read_.model, options_, path_,
        [this](Index step, std::vector<double>& g) {
          const double weight = weight_of(step);
          for (std::size_t i = 0; i < g.size(); ++i) g[i] += weight * weights_[i];
        },
        arrays);
    std::vector<Field> fields = gradient_fields(read_);
    for (std::size_t i = 0; i < fields.size(); ++i) fields[i].values = d.arrays[i];
    run_.log().end_progress();
    tell_value(d);
    tell(run_, *read_.gradient, fields);
    return fields;
  }

  void tell_value(const TransientDerivatives& d) const {
    run_.log().line("gradient of {} steps backwards in time: states on the host took {} at most", path_.step_count(),
                    text_of_bytes(d.bytes));
    if (!read_.gradient->over_time) return;
    double integral = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) integral += weight_of(static_cast<Index>(i)) * values_[i];
    run_.log().line("integral of '{}' over time: {:.8g}", read_.gradient->probe, integral);
    run_.results().facts()["integral " + read_.gradient->probe] = fmt::format("{:.12g}", integral);
  }

  Run& run_;
  const CaseModel& read_;
  Transient options_;
  const std::vector<double> weights_;
  Trajectory path_;
  std::vector<double> values_;  // [step] of the probe, 0: at the begin
  TimeStep last_{};
  bool is_over_ = false;
};

void solve_in_time(Run& run, const CaseModel& read, const Transient& analysis, Observer observer,
                   const Prepared& prepared, const std::function<void(const TransientResult&)>& conclude) {
  if (run.results().resumed())
    throw Error(Exit::input, "no gradient of an evolution that resumes",
                "its steps before are needed, and are not kept", "start it anew, without --resume");
  if (run.options().time_limit > 0)
    run.log().notice("derivatives need all steps of one run: when the time is over, this one must be started anew");
  GradientInTime gradient(run, read, analysis);
  conclude(solve(read.model, analysis, gradient.following(std::move(observer)), prepared));
}

}  // namespace

std::vector<Field> gradient_fields(const CaseModel& read) {
  std::vector<Field> fields;
  for (const std::string& key : read.gradient->keys) fields.push_back({gradient_field(key), 1});
  return fields;
}

void check_gradient(Run& run, const CaseModel& read, const Analysis& analysis) {
  const GradientInput& gradient = *read.gradient;
  const auto wrong = [&](const char* key, const std::string& of, const std::string& why, const std::string& fix) {
    gradient.table.error(key, fmt::format("no gradient of {}", of), why, fix);
  };
  check_keys(run, gradient);
  const auto* const cases = std::get_if<LoadCases>(&analysis);
  const auto* const evolution = std::get_if<Transient>(&analysis);
  if ((cases == nullptr && evolution == nullptr && !std::holds_alternative<Static>(analysis)) ||
      !read.model.means.empty())
    return wrong("probe", "this analysis", "it is taken of linear statics and of heat that evolves in time",
                 "leave out prescribed means and what makes the equations nonlinear; Python differentiates nonlinear "
                 "statics (docs/python.md)");
  if (evolution != nullptr && read.model.capacity.empty())
    return wrong("probe", "an evolution of second order", "the adjoint of its steps is not known",
                 "omit [time], or [gradient]");
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
  const std::optional<LinearProbe> probe = probe_of(run, read);
  if (!probe || !probe->of_reactions) return;
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
