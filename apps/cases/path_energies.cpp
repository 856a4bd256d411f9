#include "apps/cases/path_energies.hpp"

#include "apps/results/derived_fields.hpp"
#include "apps/results/region_integral.hpp"
#include "apps/show/units.hpp"
#include "fem/physics/material_law.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace ritz {
namespace {

constexpr int place_of_energy = 9;  // among the numbers of LawResults::deformation

// The energy that the elastic strain of materials with internal variables gives back. [J]
double recoverable_energy(Run& run, const Operator& equations, const ElasticBody& body, const Vector& u) {
  const Mesh& mesh = equations.space().mesh();
  std::vector<double> density(static_cast<std::size_t>(mesh.cell_count()), 0.0);
  bool any = false;
  for (const LawRecord* law : body.laws()) {
    if (!keeps_inelastic_strain(*law)) continue;
    const DerivedFields own = evaluate(run.results(), equations, u, law->name, LawResults::deformation);
    const auto width = static_cast<std::size_t>(own.components);
    any = any || !own.at_cells.empty();
    for (std::size_t cell = 0; cell < density.size() && !own.at_cells.empty(); ++cell)
      density[cell] += own.at_cells[cell * width + place_of_energy];
  }
  if (!any) return 0;
  std::vector<Index> cells(density.size());
  std::iota(cells.begin(), cells.end(), Index{0});
  const std::vector<double> sizes = sizes_of_cells(mesh, cells, body.measure());
  return std::inner_product(density.begin(), density.end(), sizes.begin(), 0.0);
}

void report(Run& run, const EnergyBalance& e, double strain, double dissipated) {
  constexpr double bound = 0.01;
  const std::string joule = units_of(run.report()).of(" J");
  run.log().line("energy{}: {:.6g} by loads + {:.6g} by supports = {:.6g} strain + {:.6g} dissipated + {:.3g} lost",
                 joule.empty() ? "" : " in" + joule, e.by_loads, e.by_supports, strain, dissipated, e.lost());
  const double size = std::max({std::abs(e.by_loads), std::abs(e.by_supports), std::abs(e.strain + e.inelastic)});
  if (std::abs(e.lost()) > bound * size)
    run.log().notice(
        fmt::format("the energies of the path miss {:.2g} % of the work: its increments are too long for them; "
                    "[newton] increments or largest_increment makes them shorter",
                    100 * std::abs(e.lost()) / size));
  if (e.inelastic_error > bound * size)
    run.log().notice(fmt::format(
        "the work of materials with internal variables is known to {:.2g} %, and so is what they dissipate: "
        "increments are too long for it; [newton] increments or largest_increment makes them shorter",
        100 * e.inelastic_error / size));
  if (dissipated < -bound * size)
    run.log().notice(
        fmt::format("{:.2g} % of the work is dissipated, less than nothing: increments are too long for the work of "
                    "materials that yield; [newton] increments or largest_increment makes them shorter",
                    100 * dissipated / size));
}

}  // namespace

std::string why_no_energies(const ElasticBody& body) {
  for (const LawRecord* law : body.laws()) {
    if (law->numbers.states().empty()) continue;
    if (!keeps_inelastic_strain(*law))
      return fmt::format("how much of its work the law '{}' gives back is not known", law->name);
    if (body.has_thermal_strain())
      return fmt::format("heating stores energy in '{}' that no force has put there", law->name);
    if (body.is_mixed())
      return fmt::format("the elastic energy of '{}' with formulation = \"mixed\" is not known", law->name);
  }
  return {};
}

std::vector<std::pair<std::string, std::vector<double>>> path_energies(Run& run, const Operator& equations,
                                                                       const ElasticBody& body, const SolutionView& s) {
  const EnergyBalance& e = *s.energy;
  const double given_back = recoverable_energy(run, equations, body, s.u), strain = e.strain + given_back,
               dissipated = e.inelastic - given_back;
  report(run, e, strain, dissipated);
  const std::pair<const char*, double> numbers[] = {{"strain_energy", strain},
                                                    {"work_of_loads", e.by_loads},
                                                    {"work_of_supports", e.by_supports},
                                                    {"dissipated_energy", dissipated},
                                                    {"lost_energy", e.lost()}};
  std::vector<std::pair<std::string, std::vector<double>>> columns;
  for (const auto& [name, value] : numbers) {
    run.results().facts()[name] = fmt::format("{:.10g}", value);
    columns.push_back({name, {value}});
  }
  return columns;
}

}  // namespace ritz
