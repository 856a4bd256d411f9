#include "fem/space/region_nodes.hpp"

#include <algorithm>

namespace ritz {

RegionNodes::RegionNodes(const FunctionSpace& space, const Region& region)
    : mesh_(space.mesh()), nodes_(space.nodes_in(region)) {
  const Index none = mesh_.cell_count();
  std::vector<Index> first(static_cast<std::size_t>(space.node_count()), none);  // cell of a node
  std::vector<Node> of_cell;
  const auto add = [&](Index cell) {
    space.nodes_of(cell, of_cell);
    for (const Node node : of_cell) {
      Index& known = first[static_cast<std::size_t>(node)];
      known = std::min(known, cell);
    }
  };
  for (const Index cell : region.cells) add(cell);
  for (const FacetOfCell& facet : region.facets) add(facet.cell);
  if (region.kind == RegionKind::nodes)
    for (Index cell = 0; cell < none; ++cell) add(cell);
  for (const Node node : nodes_) {
    const Point x = space.point(node);
    x_.insert(x_.end(), x.begin(), x.end());
    cells_.push_back(first[static_cast<std::size_t>(node)]);
  }
}

}  // namespace ritz
