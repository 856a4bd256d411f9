#include "fem/space/entity_signs.hpp"

namespace ritz {

EntitySigns::EntitySigns(const FunctionSpace& space, Family family) {
  const Mesh& mesh = space.mesh();
  signs_.assign(static_cast<std::size_t>(mesh.cell_count() * most), 1);
  std::vector<bool> met(static_cast<std::size_t>(space.node_count()), false);
  FunctionSpace::CellNodes nodes_of(space);
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const auto nodes = nodes_of(cell);
    const auto corners = mesh.nodes_of(cell);
    const CellTraits& t = traits(mesh.kind_of(cell));
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      bool as_it_is = true;
      if (family == Family::facet) {
        as_it_is = !met[static_cast<std::size_t>(nodes[a])];
        met[static_cast<std::size_t>(nodes[a])] = true;
      } else {
        as_it_is = corners[static_cast<std::size_t>(t.edges[a][0])] < corners[static_cast<std::size_t>(t.edges[a][1])];
      }
      signs_[static_cast<std::size_t>(cell * most) + a] = as_it_is ? 1 : -1;
    }
  }
}

}  // namespace ritz
