#include "fem/multigrid/coarser_integrals.hpp"

#include "fem/cells/reference_element.hpp"
#include "mesh/cell_geometry.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ritz {
namespace {

// A node of the mesh between corners, with the parts of linear interpolation.
using Corners = std::vector<std::pair<Node, double>>;

// Those of the nodes that `coarse` lacks.
std::map<Node, Corners> corners_around(const std::vector<Integral>& integrals, const FunctionSpace& coarse) {
  std::map<Node, Corners> result;
  for (const Integral& each : integrals)
    for (const Node node : each.nodes)
      if (coarse.node_of(node) < 0) result.try_emplace(node);
  if (result.empty()) return result;
  const Mesh& mesh = coarse.mesh();
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const auto nodes = mesh.nodes_of(cell);
    const CellKind kind = mesh.kind_of(cell);
    for (auto a = static_cast<std::size_t>(traits(kind).corner_count); a < nodes.size(); ++a) {
      const auto found = result.find(nodes[a]);
      if (found == result.end() || !found->second.empty()) continue;
      const ReferenceElement linear = cell_element(traits(kind).linear);
      std::vector<double> parts(linear.nodes.size());
      std::vector<Point> gradients(linear.nodes.size());
      linear.evaluate(reference_nodes(kind)[a], parts, gradients);
      for (std::size_t c = 0; c < parts.size(); ++c)
        if (parts[c] > 1e-12) found->second.emplace_back(nodes[c], parts[c]);
    }
  }
  return result;
}

}  // namespace

std::vector<Integral> coarser_integrals(std::vector<Integral> integrals, const FunctionSpace& coarse) {
  for (Integral& each : integrals)
    if (!each.form.has_matrix) each.nodes.clear();
  const std::map<Node, Corners> around = corners_around(integrals, coarse);
  for (std::size_t i = 0, count = integrals.size(); i < count; ++i) {
    std::map<double, std::vector<Node>> at_corners;  // by their part
    std::erase_if(integrals[i].nodes, [&](Node node) {
      const auto found = around.find(node);
      if (found == around.end()) return false;
      for (const auto& [corner, part] : found->second) at_corners[part].push_back(corner);
      return true;
    });
    for (auto& [part, nodes] : at_corners) {
      Integral shared = Integral::at_nodes(integrals[i].form, std::move(nodes));
      shared.factor = part * integrals[i].factor;
      integrals.push_back(std::move(shared));
    }
  }
  return integrals;
}

}  // namespace ritz
