#include "apps/analyses/mixed_analysis.hpp"

#include "apps/analyses/analyses.hpp"
#include "apps/cases/model.hpp"
#include "fem/analysis/divided_system.hpp"
#include "fem/analysis/mixed_statics.hpp"
#include "fem/results/vector_field.hpp"
#include "io/files/byte_size.hpp"
#include "mesh/cell_geometry.hpp"

#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace ritz {
namespace {

// Does nothing without --check or --estimate.
void forecast(Run& run, const MixedCase& read) {
  const RunOptions& options = run.options();
  if (!options.check || options.describe || !run.input().sound()) return;
  const Device& device = run.device();
  const MemoryNeeds needs = mixed_statics_needs(*read.equations);
  const Index available = device.memory().available();
  RunForecast& one = run.report().forecast.emplace_back();
  one.path = "direct";
  one.device_peak = device.memory().live() + needs.total();
  one.by_tag.assign(needs.by_tag().begin(), needs.by_tag().end());
  one.fits = needs.total() <= available;
  run.log().line("forecast: {} unknowns, {} on the device without the factor; {} has {} for it{}",
                 read.equations->layout().total(), text_of_bytes(needs.total()), device.info().name,
                 text_of_bytes(available), one.fits ? "" : ", too little");
  if (!options.estimate) return;
  for (const auto& [tag, bytes] : needs.by_tag()) run.log().line("  {}: {}", tag, text_of_bytes(bytes));
  run.log().line("the factor is counted by its analysis, when the case is solved");
}

// [cell][component] at the centroids.
std::vector<double> values_in_cells(const FunctionSpace& space, const Vector& u) {
  const std::vector<double> values = u.host();
  const Mesh& mesh = space.mesh();
  const auto components = static_cast<std::size_t>(space.components());
  std::vector<double> result(static_cast<std::size_t>(mesh.cell_count()) * components, 0.0);
  std::vector<Node> nodes;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const ReferenceElement& element = space.element(mesh.kind_of(cell));
    space.nodes_of(cell, nodes);
    std::vector<double> N(nodes.size());
    std::vector<Point> gradients(nodes.size());
    element.evaluate(reference_centroid(mesh.kind_of(cell)), N, gradients);
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t c = 0; c < components; ++c)
        result[static_cast<std::size_t>(cell) * components + c] +=
            N[a] * values[static_cast<std::size_t>(nodes[a]) * components + c];
  }
  return result;
}

void tell_range(Run& run, const Mesh& mesh, const Field& field) {
  if (field.components == 1) return print_range(run, mesh, field.name, field.values);
  const auto components = static_cast<std::size_t>(field.components);
  std::vector<double> sizes(field.values.size() / components);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    double sum = 0;
    for (std::size_t c = 0; c < components; ++c)
      sum += field.values[i * components + c] * field.values[i * components + c];
    sizes[i] = std::sqrt(sum);
  }
  print_peak(run, mesh, field.name, sizes);
}

void show(Run& run, const MixedCase& read, const MixedSolution& s) {
  std::optional<Profile::Phase> phase(std::in_place, run.device().profile(), "fields");
  const MixedOperator& equations = *read.equations;
  const Mesh& mesh = run.mesh();
  std::vector<Field> nodal, cells;
  bool closely = true;  // the field whose own polynomials probes and files have: the first one at nodes
  for (int k = 0; k < equations.field_count(); ++k) {
    const FieldFacts& facts = read.fields[static_cast<std::size_t>(k)];
    const FunctionSpace& space = equations.space(k);
    const Vector u = equations.layout().part(s.u, k), reaction = equations.layout().part(s.reaction, k);
    if (facts.family == Family::lagrange) {
      nodal.push_back(closely ? run.results().fields().of(facts.name, space, u)
                              : Field{facts.name, space.components(), space.to_mesh(u)});
      closely = false;
      tell_range(run, mesh, nodal.back());
      nodal.push_back({.name = std::string("reaction_") + facts.name,
                       .components = space.components(),
                       .values = space.forces_to_mesh(reaction),
                       .forces = true});
    } else if (facts.family == Family::cell) {
      cells.push_back({facts.name, space.components(), values_in_cells(space, u)});
    } else {
      cells.push_back({facts.name, 3, VectorField(equations, k, s.u).in_cells()});
    }
  }
  run.log().line("relative residual {:.1e}", s.residual);
  run.results().facts()["residual_certificate"] = fmt::format("{:.3e}", s.residual);
  phase.reset();
  run.results().write(std::move(nodal), std::move(cells));
}

}  // namespace

void run_mixed_case(Run& run, const MixedCase& read) {
  if (run.options().ranks != nullptr)
    refuse_ranks(*run.options().ranks, "a form of several fields",
                 "start one process, without mpirun or with srun -n 1");
  if (read.equations) forecast(run, read);
  run.checked({read.nodal_results, read.cell_results});
  const MixedSolution s = solve(*read.equations, *read.supports, read.solver);
  run.results().record(s.report, s.u.size());
  show(run, read, s);
}

void run_form_case(Run& run) {
  const FormOfCase form = read_form_name(run);
  if (form.has_several_fields()) return run_mixed_case(run, read_mixed(run, form));
  run_case(run, read_form(run, form));
}

}  // namespace ritz
