#include "fem/analysis/active_constraints.hpp"
#include "fem/analysis/attached.hpp"
#include "fem/analysis/load_samples.hpp"
#include "fem/analysis/mean_supports.hpp"
#include "fem/analysis/of_all_unknowns.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/operator/space_needs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace ritz {

namespace {

// An explicit step divides by masses of nodes.
void check_explicit(const Model& model, const Transient& analysis) {
  const auto refuse = [](const std::string& what, const char* why) {
    throw Error(ErrorKind::explicit_steps, "central differences " + what, why, "take the generalised-alpha method");
  };
  if (!is_of_second_order(model)) refuse("in an evolution of first order", "they integrate accelerations");
  if (!model.of_fields.equations.empty()) refuse("of forms of several fields", "some have no mass");
  if (!model.means.empty()) refuse("of a model with prescribed mean motions", "they join masses of nodes");
  if (model.damping.stiffness > 0)
    refuse("with damping in proportion to the stiffness", "it shortens the stable step to almost nothing");
  if (analysis.from_equilibrium) refuse("from a static equilibrium", "they solve no equations to find it");
  if (const double part = analysis.central_differences->part; !(part > 0 && part <= 1))
    throw Error(ErrorKind::explicit_steps, fmt::format("steps of {:g} times the longest stable one", part),
                "longer ones let the motion grow without bound", "give a number above 0 and up to 1");
}

}  // namespace

void check(const Model& model, const Transient& analysis) {
  require_no_inequalities(model, "time");
  if (analysis.central_differences) check_explicit(model, analysis);
  if (!is_of_second_order(model)) require_no_prescribed_means(model, "an evolution of first order");
  if (rates_of(model).empty() && rates_among_fields(model).empty())
    throw Error(ErrorKind::analysis, "an evolution in time of a model without capacity or inertia",
                "nothing says what the body stores",
                "give the materials a density, and a specific heat for heat; in ritz-solve add [[capacity]]");
  if (!model.load_cases.empty())
    throw Error(ErrorKind::time_options, "load cases of an evolution in time",
                "each load case is a state of its own, and here one state follows the other",
                "omit [time] or the load cases; loads may be formulas of t");
  if (std::ranges::any_of(model.attached, [&](const AttachedMotion& each) {
        return each.stiffness != 0 || !is_of_second_order(model);
      }))
    throw Error(ErrorKind::analysis, "an evolution in time of a model with springs at reference points",
                "of attached motions inertia alone takes part in motion", "give the spring as a prescribed mean");
  if (!is_of_second_order(model)) return;
  if (analysis.forces != nullptr)
    throw Error(ErrorKind::analysis, "given forces at nodes in an evolution of second order",
                "its energies know the loads of the equations alone", "write them as loads of the model");
  if (!(analysis.spectral_radius >= 0 && analysis.spectral_radius <= 1))
    throw Error(ErrorKind::analysis, fmt::format("a spectral radius at infinity of {:g}", analysis.spectral_radius),
                "the part of the fastest motions that a step leaves is between 0 and 1", "give a number in between");
  if (!(model.damping.mass >= 0 && model.damping.stiffness >= 0))
    throw Error(ErrorKind::analysis,
                fmt::format("Rayleigh damping of {:g} M + {:g} K", model.damping.mass, model.damping.stiffness),
                "negative damping feeds energy in", "give factors of zero or more");
  if (model.damping.stiffness > 0 &&
      std::ranges::any_of(model.equations, [](const Integral& i) { return !i.form.state_start.empty(); }))
    throw Error(ErrorKind::damping, "damping proportional to the stiffness of a model with internal variables",
                "their forces are not those of a stiffness", "damp in proportion to the mass alone");
}

std::vector<Integral> with_rates(const Model& model) {
  std::vector<Integral> all = model.equations;
  for (Integral each : rates_of(model)) {
    each.is_rate = true;
    all.push_back(std::move(each));
  }
  return all;
}

std::vector<MixedIntegral> rates_among_fields(const Model& model) {
  std::vector<MixedIntegral> rates = is_of_second_order(model) ? model.of_fields.inertia : model.of_fields.capacity;
  for (MixedIntegral& each : rates) each.is_rate = true;
  return rates;
}

bool is_linear_in_time(const Model& model) {
  const auto is_linear = [](const auto& integral) { return integral.form.linear; };
  return model.linear && std::ranges::all_of(rates_of(model), is_linear) &&
         std::ranges::all_of(rates_among_fields(model), is_linear);
}

TransientResult solve(const Model& model, Transient analysis, const Observer& observer, const Prepared& prepared) {
  check(model, analysis);
  const auto held = analysis.from_equilibrium ? Setup::Held::required : Setup::Held::not_needed;
  const Setup setup(model, prepared, held, Setup::Rates::among, &analysis.linear);
  analysis.linear.ranks = nullptr;
  if (analysis.begin.u.empty()) analysis.begin.u = uniform_state(model, model.start).u;
  analysis.linear = promised(analysis.linear, model);
  std::shared_ptr<const LoadSamples> samples;
  // From zero on also where the analysis resumes, so that its steps are the same.
  if (analysis.fixed_step == 0)
    samples =
        std::make_shared<const LoadSamples>(model, std::min(0.0, analysis.begin.time), analysis.end, analysis.instants);
  const std::shared_ptr<MeanSupports> means = mean_supports(model, setup);
  const TransientModel parts{.equations = setup.any_equations(),
                             .rates = setup.any_rates(),
                             .supports = means ? static_cast<Supports&>(*means) : setup.any_supports(),
                             .second_order = is_of_second_order(model),
                             .damping = model.damping,
                             .attached = model.attached,
                             .samples = samples,
                             .part = setup.part(),
                             .means = means};
  const Observer checking = without_reversed_cells(model, within_ranges_in_time(model, observer));
  PartOfModel* const part = setup.part();
  if (part == nullptr) return solve_transient(parts, std::move(analysis), checking);
  analysis.begin = own_state(*part, std::move(analysis.begin));
  if (analysis.forces != nullptr) analysis.forces = std::make_shared<const Vector>(part->own(*analysis.forces));
  TransientResult result = solve_transient(parts, std::move(analysis), of_all_unknowns(*part, checking));
  result.state = state_of_all(*part, std::move(result.state));
  return result;
}

TransientResult solve(PartOfModel& part, Transient analysis, const Observer& observer) {
  if (part.supports_of_all().varies_in_time() && !part.supports().varies_in_time())
    throw Error(ErrorKind::internal, "supports of a part that do not follow those of the whole mesh in time");
  if (analysis.begin.u.empty())
    analysis.begin.u.assign(static_cast<std::size_t>(part.equations().layout().total()), 0.0);
  return solve_transient(
      {.equations = part.equations(), .rates = part.rates(), .supports = part.supports(), .part = &part},
      std::move(analysis), observer);
}

// For a smooth solution the error of a step grows with the power order + 1 of its length.
double expected_steps(const Transient& analysis) {
  const double whole = analysis.end - analysis.begin.time;
  if (analysis.fixed_step > 0) return std::ceil(whole / analysis.fixed_step * (1 - 1e-9));
  const bool second = analysis.method->order > 1;
  const double controlled = second ? 2 * std::pow(analysis.tolerance, -1.0 / 3) : std::pow(analysis.tolerance, -0.5);
  const double longest = analysis.largest_step > 0 ? whole / analysis.largest_step : 0;
  return std::ceil(std::max({controlled, longest, static_cast<double>(analysis.output.size())}));
}

namespace {

// No system, but evaluations of the forces: vectors, and what residuals and actions take.
Forecast forecast_explicit(const Model& model, const Transient& analysis) {
  constexpr Index vectors = 26;
  const Operator equations = counted(model, with_rates(model)), rates = counted(model, rates_of(model));
  const SpaceNeeds needs = needs_of(model.space, 1, false);
  ForecastPath path{.path = SolverPath::explicit_steps, .moment = "iteration"};
  path.peak = needs.standing + needs.vectors(vectors) +
              OperatorNeeds(equations).of({Operator::Task::residual, Operator::Task::action}) +
              OperatorNeeds(rates).of({Operator::Task::residual, Operator::Task::diagonal});
  path.at_assembly = path.at_solve = path.at_results = path.peak.total();
  path.bytes_moved = expected_steps(analysis) * 8.0 * double(model.space.unknown_count()) * vectors;
  return {.paths = {std::move(path)},
          .host_of_elements = OperatorNeeds(equations).host_bytes(),
          .results = 2,
          .solver_stays = true};
}

}  // namespace

Forecast forecast(const Model& model, const Transient& analysis, const Prepared&) {
  if (analysis.central_differences) return forecast_explicit(model, analysis);
  LinearSolverOptions linear = analysis.linear;
  linear.one_of_many = is_linear_in_time(model);
  const Operator rates = counted(model, rates_of(model));
  // Each stage is a solution, and so is the estimate of the error of first order; steps that are controlled change
  // their length ten times or so.
  const bool controlled = analysis.fixed_step == 0, second = is_of_second_order(model);
  const double stages = second ? 1 : analysis.method->stages - 1;
  const double solves =
      expected_steps(analysis) * (linear.one_of_many ? stages + (controlled && !second ? 1 : 0) : 3 * stages);
  return forecast_of(model, with_rates(model), linear,
                     {.results = 2,
                      .stages = 1,
                      .tangents = !linear.one_of_many ? solves
                                  : controlled        ? 10.0
                                                      : 1.0,
                      .solves = solves,
                      .shows_stages = true,
                      .beside = transient_vector_needs(model.space.unknown_count(), second) +
                                attached_needs(model.space, std::ssize(model.attached) + std::ssize(model.means)) +
                                OperatorNeeds(rates).of(Operator::Task::residual)});
}

}  // namespace ritz
