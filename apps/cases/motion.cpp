#include "apps/cases/motion.hpp"

#include "apps/cases/transient_analysis.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace ritz {
namespace {

using ValuesAtBegin = std::function<std::vector<double>(const FunctionSpace&)>;

// Formulas for `count` components from the first on; empty: zero.
struct PartOfState {
  std::vector<Formula> formulas;
  int first;
};

PartOfState read_part(const Case::Table& initial, const char* key, const char* about, int first, int count) {
  PartOfState part{{}, first};
  if (!initial.has(key)) return part;
  part.formulas = initial.formulas(key, about, count);
  for (const Formula& value : part.formulas)
    if (value.depends_on_time())
      initial.error(key, fmt::format("'{}' depends on t", value.text()), "the begin is one moment, t = 0",
                    "give a number, or a formula of the position");
  return part;
}

ValuesAtBegin values_of(std::vector<PartOfState> parts) {
  return [parts = std::move(parts)](const FunctionSpace& space) {
    const auto nodes = static_cast<std::size_t>(space.node_count()),
               components = static_cast<std::size_t>(space.components());
    std::vector<double> points, values(nodes), u(nodes * components, 0.0);
    for (std::size_t n = 0; n < nodes; ++n) {
      const Point x = space.point(static_cast<Node>(n));
      points.insert(points.end(), x.begin(), x.end());
    }
    for (const PartOfState& part : parts)
      for (std::size_t c = 0; c < part.formulas.size(); ++c) {
        part.formulas[c].at(points, values);
        for (std::size_t n = 0; n < nodes; ++n)
          u[n * components + static_cast<std::size_t>(part.first) + c] = values[n];
      }
    return u;
  };
}

}  // namespace

TransientInput read_motion(Run& run, int displacements, int rotations) {
  TransientInput input;
  input.options =
      read_steps(run.input().table("time", "the steps of an evolution in time, and its results"), TimeOrder::second);
  const Case::Table initial = run.input().table("initial", "the state at the begin; without it at rest and undeformed");
  const auto part = [&](const char* key, const char* about, bool turns) {
    return read_part(initial, key, about, turns ? displacements : 0, turns ? rotations : displacements);
  };
  std::vector<PartOfState> where = {part("displacement", "a number or a formula for each component [m]", false)},
                           how_fast = {part("velocity", "likewise [m/s]", false)};
  if (rotations > 0) {
    where.push_back(part("rotation", "likewise, about the axes [rad]", true));
    how_fast.push_back(part("angular_velocity", "likewise [rad/s]", true));
  }
  input.options.from_equilibrium =
      initial.flag("equilibrium", "begins with the displacement in static equilibrium with the loads at t = 0", false);
  if (input.options.from_equilibrium)
    for (const char* key : {"displacement", "rotation"})
      if (initial.has(key))
        initial.refuse(key, fmt::format("'{}' was given with equilibrium", key), "equilibrium finds the displacement",
                       "omit one of them");
  input.initial = values_of(std::move(where));
  input.velocity = values_of(std::move(how_fast));
  return input;
}

void read_damping(Case& input, Model& model) {
  const Case::Table t = input.table("damping", "Rayleigh damping: C = alpha M + beta K; without it there is none");
  if (!t.present()) return;
  if (t.has("rayleigh")) {
    for (const char* key : {"ratios", "frequencies"})
      if (t.has(key))
        t.refuse(key, fmt::format("'{}' was given with 'rayleigh'", key), "both say how much is damped",
                 "omit one of them");
    const std::vector<double> factors = t.vector("rayleigh", "[alpha in 1/s, beta in s]", {.size = 2, .minimum = 0});
    model.damping = {.mass = factors[0], .stiffness = factors[1]};
    return;
  }
  const std::vector<double> ratios = t.vector("ratios", "of the critical damping, at two frequencies", {.size = 2}),
                            frequencies = t.vector("frequencies", "[Hz]", {.size = 2, .above = 0});
  try {
    model.damping = rayleigh_through({ratios[0], frequencies[0]}, {ratios[1], frequencies[1]});
  } catch (const Error& error) { t.error("ratios", error.message(), error.why(), error.fix(), error.exit()); }
}

void report_motion(Run& run, const State& state, double spectral_radius) {
  const EnergyBalance& e = state.energy;
  run.log().line("time: {} steps to t = {:g} by generalised alpha, spectral radius {:g}{}; relative residual {:.1e}",
                 state.steps, state.time, spectral_radius,
                 state.rejected > 0 ? fmt::format(", {} more were too long and taken again", state.rejected) : "",
                 state.residual);
  run.log().line(
      "energy: {:.6g} at the begin + {:.6g} by loads + {:.6g} by supports = {:.6g} kinetic + {:.6g} strain + {:.6g} "
      "damped + {:.3g} lost in steps",
      e.begin, e.by_loads, e.by_supports, e.kinetic, e.strain, e.damped, e.lost());
  auto& facts = run.results().facts();
  facts["time_steps"] = fmt::format("{}", state.steps);
  facts["rejected_steps"] = fmt::format("{}", state.rejected);
  facts["residual_certificate"] = fmt::format("{:.3e}", state.residual);
  const std::pair<const char*, double> numbers[] = {
      {"energy_at_begin", e.begin},  {"kinetic_energy", e.kinetic},       {"strain_energy", e.strain},
      {"work_of_loads", e.by_loads}, {"work_of_supports", e.by_supports}, {"damped_energy", e.damped},
      {"lost_energy", e.lost()}};
  for (const auto& [name, value] : numbers) facts[name] = fmt::format("{:.10g}", value);
}

std::vector<std::pair<std::string, std::vector<double>>> energies_of(const SolutionView& s) {
  if (s.energy == nullptr) return {};
  const EnergyBalance& e = *s.energy;
  return {{"kinetic_energy", {e.kinetic}},       {"strain_energy", {e.strain}}, {"work_of_loads", {e.by_loads}},
          {"work_of_supports", {e.by_supports}}, {"damped_energy", {e.damped}}, {"lost_energy", {e.lost()}}};
}

}  // namespace ritz
