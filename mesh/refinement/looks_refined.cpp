#include "mesh/refinement/looks_refined.hpp"

#include "mesh/refinement/nested_cells.hpp"
#include "mesh/refinement/nested_graph.hpp"

#include <algorithm>

namespace ritz {
namespace {

// Cells of the plane or facets in space, with nodes numbered as they come.
class Surface {
 public:
  Surface(const Mesh& mesh, std::size_t corners)
      : corners_(corners), number_(static_cast<std::size_t>(mesh.node_count()), -1) {
    if (mesh.dimension() == 3)
      for (const FacetOfCell& facet : boundary_facets(mesh)) add(mesh, mesh.nodes_of(facet));
    else
      for (const CellBlock& block : mesh.blocks())
        for (Index position = 0; position < block.cell_count(); ++position) add(mesh, block.cell(position));
  }

  bool is_refined() const {
    return corners_ == 4 ? has_coarser_cells(2, cells_, node_count()) : has_coarser_triangles();
  }

 private:
  void add(const Mesh& mesh, std::span<const Node> nodes) {
    for (const Node node : nodes.first(corners_)) {
      Node& number = number_[static_cast<std::size_t>(node)];
      if (number < 0) {
        number = node_count();
        const auto place = mesh.point(node);
        places_.insert(places_.end(), place.begin(), place.end());
      }
      cells_.push_back(number);
    }
  }
  Node node_count() const { return static_cast<Node>(places_.size() / 3); }

  bool has_coarser_triangles() const {
    std::vector<Index> offsets(places_.size() / 3 + 1, 0);
    for (const Node node : cells_) offsets[static_cast<std::size_t>(node) + 1] += 2;
    for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
    std::vector<Node> neighbours(2 * cells_.size());  // those across an inner edge twice, which does no harm
    std::vector<Index> next(offsets.begin(), offsets.end() - 1);
    for (std::size_t i = 0; i < cells_.size(); ++i)
      for (const std::size_t step : {1, 2})
        neighbours[static_cast<std::size_t>(next[static_cast<std::size_t>(cells_[i])]++)] =
            cells_[i - i % 3 + (i % 3 + step) % 3];
    return coarser_graph(offsets, neighbours, places_, 3).has_value();
  }

  std::size_t corners_;
  std::vector<Node> number_;    // [node of the mesh], -1: not met
  std::vector<Node> cells_;     // [cell or facet][corner]
  std::vector<double> places_;  // [node][3]
};

}  // namespace

bool looks_refined(const Mesh& mesh) {
  if (mesh.structural() || mesh.dimension() < 2 || mesh.cell_count() == 0) return false;
  const bool solid = mesh.dimension() == 3;
  const CellKind shape = traits(mesh.kind_of(0)).linear;
  if (shape != CellKind::tri3 && shape != CellKind::quad4 && shape != CellKind::tet4 && shape != CellKind::hex8)
    return false;
  if (std::ranges::any_of(mesh.blocks(), [&](const CellBlock& block) { return traits(block.kind).linear != shape; }))
    return false;
  if (mesh.cell_count() % (solid ? 8 : 4) != 0) return false;
  return Surface(mesh, shape == CellKind::quad4 || shape == CellKind::hex8 ? 4 : 3).is_refined();
}

}  // namespace ritz
