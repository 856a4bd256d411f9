#include "apps/analyses/gradient.hpp"

#include "apps/analyses/gradient_parts.hpp"
#include "solvers/algebra/vectors.hpp"

#include <utility>

namespace ritz {
namespace {

// The model of one solution: what acts in all load cases, and these parts of their loads. Prescribed are the unknowns
// that a load case prescribes; their values play no part in an adjoint.
Model model_of(const Model& model, std::span<const double> factors) {
  Model one = model;
  one.load_cases.clear();
  const auto add = [](auto loads, double factor, auto& to) {
    for (auto& load : loads) {
      load.factor *= factor;
      to.push_back(std::move(load));
    }
  };
  for (std::size_t i = 0; i < factors.size(); ++i) {
    add(model.load_cases[i].loads, factors[i], one.equations);
    add(model.load_cases[i].loads_of_fields, factors[i], one.of_fields.equations);
  }
  if (model.load_cases.empty()) return one;
  for (const PrescribedValue& each : model.load_cases.front().prescribed) {
    std::erase_if(one.supports, [&](const PrescribedValue& other) {
      return other.region == each.region && other.component == each.component && other.field == each.field;
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
  Vector w(statics.equations().device(), std::span<const double>(weights), "vectors");
  if (!of_reactions) {
    Vector lambda = statics.adjoint(w);
    return {std::move(w), std::move(lambda)};
  }
  Vector g = statics.forces_of(w);
  Vector lambda = statics.adjoint(g);
  axpy(-1, w, lambda);
  return {std::move(g), std::move(lambda)};
}

std::vector<Field> gradient_of_statics(Run& run, const CaseModel& read, std::span<const double> factors,
                                       const Vector& u, const LinearSolverOptions& linear) {
  auto phase = run.phase("gradient");
  run.log().progress("gradient");
  const ProbeWeights probe = *probe_of(run, read);
  const DerivedResult* const field = derived_of(read, probe);
  const Model model = model_of(read.model, factors);
  LinearStatics statics(model, accurate_adjoint(linear));
  std::optional<DerivedWork> derived;
  if (field != nullptr) derived.emplace(derived_work(read, *field, probe, factors, {}, u));
  const std::vector<double> at = u.host();
  const Adjoint adjoint =
      adjoint_of(statics, derived ? derived->by_unknowns(at) : weights_of_unknowns(read, probe), probe.of_reactions);
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
    add_by_areas(read, each, field, probe, factors, {}, at, fields[i].values);
  }
  run.log().end_progress();
  report_gradient(run, *read.gradient, fields);
  return fields;
}

}  // namespace

// The solution waits for its gradient, so that one matrix goes before the other comes.
void solve_with_gradient(Run& run, const CaseModel& read, const Static& analysis, Observer observer,
                         const Prepared& prepared) {
  const auto show = std::exchange(observer.show, [](const SolutionView&) {});
  const StaticSolution solution = solve(read.model, analysis, observer, prepared);
  carry_gradient(run, read, gradient_of_statics(run, read, {}, solution.u, analysis.linear));
  show(view_of(solution, analysis.linear.relative));
}

void solve_with_gradient(Run& run, const CaseModel& read, const LoadCases& analysis, Observer observer,
                         const Prepared& prepared) {
  std::string name;
  observer.enter = [&name, enter = observer.enter](const std::string& which, bool combination) {
    name = which;
    if (enter) enter(which, combination);
  };
  observer.show = [&, show = observer.show](const SolutionView& s) {
    carry_gradient(run, read,
                   name != read.gradient->load_case
                       ? gradient_without_values(read)
                       : gradient_of_statics(run, read, *factors_of(read, analysis), s.u, analysis.linear));
    show(s);
  };
  solve(read.model, analysis, observer, prepared);
}

}  // namespace ritz
