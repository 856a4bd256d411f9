#include "apps/cases/fields_shown.hpp"

#include "apps/cases/fields_of_case.hpp"
#include "apps/cases/model.hpp"
#include "apps/cases/motion.hpp"
#include "apps/results/field_results.hpp"
#include "fem/results/curl_results.hpp"
#include "mesh/cell_geometry.hpp"
#include "mesh/curved_cells.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ritz {
namespace {

std::vector<double> sizes_of(const Field& field) {
  const auto components = static_cast<std::size_t>(field.components);
  std::vector<double> sizes(field.values.size() / components);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    double sum = 0;
    for (std::size_t c = 0; c < components; ++c)
      sum += field.values[i * components + c] * field.values[i * components + c];
    sizes[i] = std::sqrt(sum);
  }
  return sizes;
}

void report_range(Run& run, const Mesh& mesh, const Field& field) {
  if (field.components == 1) return print_range(run, mesh, field.name, field.values);
  print_peak(run, mesh, field.name, sizes_of(field));
}

void report_peak_in_cells(Run& run, const Mesh& mesh, const Field& field) {
  const std::vector<double> sizes = sizes_of(field);
  const auto most = std::ranges::max_element(sizes);
  const Index cell = most - sizes.begin();
  const Point x = CellMap(mesh, cell).at(reference_centroid(mesh.kind_of(cell)));
  run.log().line("peak {}: {:.6g} at ({:.4g}) m", field.name, *most,
                 fmt::join(x.begin(), x.begin() + mesh.dimension(), ", "));
}

// The size of the sums in the equations of a field, of terms that may cancel: those of the other fields, with signs
// that are thrown.
double flows_into(const FieldsOperator& equations, int field, const Vector& u) {
  const auto equations_at = [&](const Vector& at) {
    Vector r = equations.zeros();
    equations.residual(at, r);
    return equations.layout().part(r, field).host();
  };
  std::vector<double> thrown = u.host();
  for (std::size_t i = 0; i < thrown.size(); ++i)
    if ((i * 0x9E3779B97F4A7C15u) >> 63 != 0) thrown[i] = -thrown[i];
  Vector flows(u.device(), thrown, "vectors");
  Vector own = equations.layout().part(flows, field);
  own.fill_zero();
  equations.layout().put(own, field, flows);
  const std::vector<double> with = equations_at(flows), without = equations_at(equations.zeros());
  double size = 0;
  for (std::size_t i = 0; i < with.size(); ++i) size += std::abs(with[i] - without[i]) + std::abs(without[i]);
  return size;
}

// A scalar field that is prescribed in one place alone has a free level there, unless the prescribed values and loads
// of the other fields are not in balance: then that place gives or takes the rest.
void report_imbalance(Run& run, const FieldsOfModel& fields, const SolutionView& s) {
  const FieldsOperator& equations = *fields.equations;
  for (int k = 0; k < equations.field_count(); ++k) {
    const FunctionSpace& space = equations.space(k);
    const Constraints& held = (*fields.supports)[k];
    const bool in_cells = equations.terms().family(k) == Family::cell;
    const Index one = in_cells ? space.unknown_count() / std::max<Index>(1, space.mesh().cell_count()) : 1;
    if (space.components() != 1 || held.count() == 0 || held.count() > one) continue;
    if (!in_cells && equations.terms().family(k) != Family::lagrange) continue;
    const auto first = s.reaction.begin() + equations.layout().first(k);
    double taken = 0;
    for (const double each : std::span(first, first + equations.layout().size(k))) taken += each;
    if (std::abs(taken) <= std::max(1e-5, 1e4 * s.residual) * flows_into(equations, k, s.u)) continue;
    run.log().notice(
        fmt::format("'{}' is prescribed in one place, which takes {:.6g} there: the prescribed values and loads of the "
                    "other fields "
                    "are not in balance, and the solution is that of a source in this place",
                    equations.terms().field_name(k), taken));
  }
}

void add_curl_results(Run& run, const FieldFacts& facts, CurlResults results, std::vector<Field>& cells) {
  const int components = run.mesh().dimension() == 3 ? 3 : 1;
  cells.push_back({facts.name, 3, std::move(results.values)});
  for (auto& [name, values] : {std::pair{curl_name(facts), &results.curls}, {curl_flux_name(facts), &results.fluxes}}) {
    cells.push_back({name, components, std::move(*values)});
    report_peak_in_cells(run, run.mesh(), cells.back());
  }
}

// Energies of magnetostatics.
void report_works(Run& run, const FieldsOperator& equations, const Vector& u) {
  const Works of = works(equations, u);
  run.log().line("energy u.K u / 2: {:.6g}, work u.f of the loads: {:.6g}", of.energy, of.of_loads);
  run.results().facts()["energy"] = fmt::format("{:.10g}", of.energy);
  run.results().facts()["work_of_loads"] = fmt::format("{:.10g}", of.of_loads);
}

// Facts of a state of rest. Those of an evolution are in its own report.
void report_rest(Run& run, const std::vector<FieldFacts>& facts, const FieldsOfModel& fields, const SolutionView& s) {
  const FieldsOperator& equations = *fields.equations;
  if (equations.facts().linear && equations.facts().symmetric && std::ranges::any_of(facts, has_curl))
    report_works(run, equations, s.u);
  run.log().line("relative residual {:.1e}", s.residual);
  if (!s.notice.empty()) run.log().notice(s.notice);
  if (equations.facts().linear) report_imbalance(run, fields, s);
  run.results().facts()["residual_certificate"] = fmt::format("{:.3e}", s.residual);
}

}  // namespace

void show_fields(Run& run, const std::vector<FieldFacts>& facts, const std::vector<int>& moving,
                 const FieldsOfModel& fields, const SolutionView& s) {
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  const FieldsOperator& equations = *fields.equations;
  std::vector<Field> nodal, cells;
  for (int k = 0; k < equations.field_count(); ++k) {
    const FieldFacts& field = facts[static_cast<std::size_t>(k)];
    if (field.family == Family::lagrange) {
      nodal.push_back(field_result(run.results(), equations, k, s.u, field.name));
      report_range(run, run.mesh(), nodal.back());
      nodal.push_back({.name = std::string("reaction_") + field.name,
                       .components = field.components,
                       .values = field_forces(equations, k, s.reaction),
                       .forces = true});
    } else if (has_curl(field)) {
      add_curl_results(run, field, curl_results(equations, k, s.u), cells);
    } else {
      cells.push_back(field_result(run.results(), equations, k, s.u, field.name));
    }
  }
  for (const int k : moving) {
    const FieldFacts& field = facts[static_cast<std::size_t>(k)];
    for (const auto& [rate, values] : {std::pair{"velocity", s.velocity}, {"acceleration", s.acceleration}})
      if (values != nullptr)
        (field.family == Family::lagrange ? nodal : cells)
            .push_back(field_result(run.results(), equations, k, *values, rate_name(rate, field)));
  }
  if (!s.time) report_rest(run, facts, fields, s);
  phase.reset();
  run.results().write(std::move(nodal), std::move(cells), s.time, energies_of(s));
}

}  // namespace ritz
