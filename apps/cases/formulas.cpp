#include "apps/cases/formulas.hpp"

namespace ritz {
namespace {

void add_centre(const Mesh& mesh, std::span<const Node> nodes, std::vector<double>& centres) {
  double sum[3] = {};
  for (const Node node : nodes)
    for (std::size_t d = 0; d < 3; ++d) sum[d] += mesh.point(node)[d];
  for (const double s : sum) centres.push_back(s / static_cast<double>(nodes.size()));
}

std::vector<double> centres_of(const Mesh& mesh, const Region& region) {
  std::vector<double> centres;
  for (const Index cell : region.cells) add_centre(mesh, mesh.nodes_of(cell), centres);
  for (const FacetOfCell& facet : region.facets) add_centre(mesh, mesh.nodes_of(facet), centres);
  for (const Node& node : region.nodes) add_centre(mesh, {&node, 1}, centres);
  return centres;
}

}  // namespace

std::vector<double> at_centres(const Formula& formula, const Mesh& mesh, const Region& region) {
  const std::vector<double> centres = centres_of(mesh, region);
  std::vector<double> values(centres.size() / 3);
  formula.at(centres, values);
  return values;
}

void check_formulas(Case& input, const Mesh& mesh, const Region& region, std::span<const Formula> formulas) {
  if (all_numbers(formulas)) return;
  const std::vector<double> centres = centres_of(mesh, region);
  std::vector<double> values(centres.size() / 3);
  for (const Formula& formula : formulas) {
    try {
      formula.at(centres, values);
    } catch (const Error& error) { input.add_error(error); }
  }
}

}  // namespace ritz
