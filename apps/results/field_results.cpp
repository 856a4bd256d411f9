#include "apps/results/field_results.hpp"

#include "fem/results/vector_field.hpp"
#include "mesh/cell_geometry.hpp"
#include "mesh/curved_cells.hpp"

#include <span>
#include <utility>

namespace ritz {
namespace {

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

bool is_first_at_nodes(const FieldsOperator& equations, int field) {
  for (int k = 0; k < field; ++k)
    if (equations.terms().family(k) == Family::lagrange) return false;
  return true;
}

}  // namespace

const std::vector<FieldFacts>& facts_of(const Model& model) { return model.of_fields.equations.front().form.fields; }

Field field_result(Results& results, const FieldsOperator& equations, int field, const Vector& u, std::string name) {
  const FunctionSpace& space = equations.space(field);
  const Family family = equations.terms().family(field);
  if (family == Family::facet || family == Family::edge)
    return {std::move(name), 3, VectorField(equations, field, u).in_cells()};
  const Vector part = equations.layout().part(u, field);
  if (family == Family::cell) return {std::move(name), space.components(), values_in_cells(space, part)};
  if (is_first_at_nodes(equations, field)) return results.fields().of(name, space, part);
  return {std::move(name), space.components(), space.to_mesh(part)};
}

std::vector<double> field_forces(const FieldsOperator& equations, int field, const std::vector<double>& forces) {
  const Layout& layout = equations.layout();
  const auto part = std::span(forces).subspan(static_cast<std::size_t>(layout.first(field)),
                                              static_cast<std::size_t>(layout.size(field)));
  return equations.space(field).forces_to_mesh(Vector(equations.device(), part, "vectors"));
}

}  // namespace ritz
