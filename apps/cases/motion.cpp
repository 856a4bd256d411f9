#include "apps/cases/motion.hpp"

#include "apps/cases/initial_values.hpp"
#include "apps/cases/time_input.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {

bool read_equilibrium(const Case::Table& initial, std::span<const std::string> keys) {
  const bool equilibrium =
      initial.flag("equilibrium", "begins with the displacement in static equilibrium with the loads at t = 0", false);
  if (equilibrium)
    for (const std::string& key : keys)
      if (initial.has(key))
        initial.refuse(ErrorKind::model_options, key, fmt::format("'{}' was given with equilibrium", key),
                       "equilibrium finds the displacement", "omit one of them");
  return equilibrium;
}

TransientInput read_motion(Run& run, std::span<const MotionKeys> parts) {
  TransientInput input;
  input.options = read_steps(run.input().table("time", "the steps of an evolution in time, and its results"),
                             TimeOrder::second, run.step().begin);
  input.initial = input.velocity = initial_values({});
  if (run.step().continues()) return input;
  const Case::Table initial = run.input().table("initial", "the state at the begin; without it at rest and undeformed");
  std::vector<InitialPart> where, how_fast;
  std::vector<std::string> keys;
  const auto add = [&](std::vector<InitialPart>& to, const std::string& key, const char* about,
                       const MotionKeys& part) {
    if (initial.has(key)) to.push_back(read_initial_part(initial, key, about, part.first, part.count));
  };
  for (const MotionKeys& part : parts) {
    keys.push_back(part.key);
    add(where, part.key, part.about, part);
    add(how_fast, part.rate, part.about_rate, part);
  }
  input.options.from_equilibrium = read_equilibrium(initial, keys);
  for (const auto& [given, key] : {std::pair(&where, &MotionKeys::key), std::pair(&how_fast, &MotionKeys::rate)}) {
    if (std::ranges::none_of(*given, &InitialPart::depends_on_position)) continue;
    input.begins_by_position = true;
    if (parts.size() > 1 && !initial.has(parts[1].*key))
      run.log().notice(
          fmt::format("[initial] {0} varies along the structure and has no {1}: the {1} begins as zero at all nodes, "
                      "which bends beams and shells; give [initial] {1}, too, unless that is meant",
                      parts[0].*key, parts[1].*key));
  }
  input.initial = initial_values(std::move(where));
  input.velocity = initial_values(std::move(how_fast));
  return input;
}

TransientInput read_motion(Run& run, int displacements, int rotations) {
  std::vector<MotionKeys> parts = {{.key = "displacement",
                                    .about = "a number or a formula for each component [m]",
                                    .rate = "velocity",
                                    .about_rate = "likewise [m/s]",
                                    .count = displacements}};
  if (rotations > 0)
    parts.push_back({.key = "rotation",
                     .about = "likewise, about the axes [rad]",
                     .rate = "angular_velocity",
                     .about_rate = "likewise [rad/s]",
                     .first = displacements,
                     .count = rotations});
  return read_motion(run, parts);
}

Case::Table damping_table(Case& input) {
  return input.table("damping", "damping of motion: C = alpha M + beta K, or that of modes; without it there is none");
}

RayleighDamping read_rayleigh(const Case::Table& t) {
  if (t.has("rayleigh")) {
    for (const char* key : {"ratios", "frequencies"})
      if (t.has(key))
        t.refuse(ErrorKind::model_options, key, fmt::format("'{}' was given with 'rayleigh'", key),
                 "both say how much is damped", "omit one of them");
    const std::vector<double> factors = t.vector("rayleigh", "[alpha in 1/s, beta in s]", {.size = 2, .minimum = 0});
    return {.mass = factors[0], .stiffness = factors[1]};
  }
  const std::vector<double> ratios = t.vector("ratios", "of the critical damping, at two frequencies", {.size = 2}),
                            frequencies = t.vector("frequencies", "[Hz]", {.size = 2, .above = 0});
  if (!t.has("frequencies")) return {};  // reported
  try {
    return rayleigh_through({ratios[0], frequencies[0]}, {ratios[1], frequencies[1]});
  } catch (const Error& error) { t.error("ratios", error); }
  return {};
}

void read_damping(Case& input, Model& model) {
  const Case::Table t = damping_table(input);
  if (t.present()) model.damping = read_rayleigh(t);
}

bool has_preload(Run& run) {
  const Case::Table t = run.input().table("modal", "number, method and output of the modes");
  const bool preload =
      t.flag("preload", "modes about the static equilibrium under the loads of the case, with the stress of that state",
             false);
  if (!preload || !run.step().continues()) return preload;
  t.error(ErrorKind::step, "preload", "a preload in a step after the first",
          "its modes are about the state of the step before", "omit it");
  return false;
}

bool has_nodal_diameters(Run& run) {
  return run.input().table("modal", "number, method and output of the modes").has("nodal_diameters");
}

void report_motion(Run& run, const State& state, const Transient& method) {
  const EnergyBalance& e = state.energy;
  if (method.central_differences)
    run.log().line("time: {} steps to t = {:g} by central differences, the last one of {:.4g}", state.steps, state.time,
                   state.dt);
  else
    run.log().line("time: {} steps to t = {:g} by generalised alpha, spectral radius {:g}{}; relative residual {:.1e}",
                   state.steps, state.time, method.spectral_radius,
                   state.rejected > 0 ? fmt::format(", {} more were too long and taken again", state.rejected) : "",
                   state.residual);
  const std::string joule = units_of(run.report()).of(" J");
  run.log().line(
      "energy{}: {:.6g} at the begin + {:.6g} by loads + {:.6g} by supports = {:.6g} kinetic + {:.6g} strain + "
      "{:.6g} damped + {:.3g} lost in steps",
      joule.empty() ? "" : " in" + joule, e.begin, e.by_loads, e.by_supports, e.kinetic, e.strain, e.damped, e.lost());
  const double given = std::abs(e.begin) + std::abs(e.by_loads) + std::abs(e.by_supports);
  if (-e.lost() > 0.1 * given)
    run.log().notice(
        fmt::format("steps have added {:.3g}{}, and what acts {:.3g}{}: they are too long for this motion; "
                    "shorten [time] step or tolerance",
                    -e.lost(), joule, given, joule));
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
