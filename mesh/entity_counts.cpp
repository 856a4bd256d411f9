#include "mesh/entity_counts.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

// V - E + F of the boundary's surface, of the corners alone.
Index boundary_characteristic(const Mesh& mesh, const std::vector<FacetOfCell>& boundary) {
  std::vector<bool> seen(static_cast<std::size_t>(mesh.node_count()), false);
  Index vertices = 0, sides = 0;
  for (const FacetOfCell& f : boundary) {
    const CellTraits& cell = traits(mesh.kind_of(f.cell));
    const Facet& facet = cell.facets[static_cast<std::size_t>(f.facet)];
    const int corners = traits(facet.kind).corner_count;
    const std::span<const Node> nodes = mesh.nodes_of(f.cell);
    sides += corners;
    for (int i = 0; i < corners; ++i) {
      const auto node =
          static_cast<std::size_t>(nodes[static_cast<std::size_t>(facet.nodes[static_cast<std::size_t>(i)])]);
      vertices += seen[node] ? 0 : 1;
      seen[node] = true;
    }
  }
  return vertices - sides / 2 + std::ssize(boundary);  // every edge of a closed surface belongs to two of its facets
}

Index used_corners(const Mesh& mesh) {
  std::vector<bool> used(static_cast<std::size_t>(mesh.node_count()), false);
  Index count = 0;
  for (const CellBlock& block : mesh.blocks()) {
    const int n = traits(block.kind).node_count, corners = traits(block.kind).corner_count;
    for (std::size_t first = 0; first < block.nodes.size(); first += static_cast<std::size_t>(n))
      for (int i = 0; i < corners; ++i) {
        const auto node = static_cast<std::size_t>(block.nodes[first + static_cast<std::size_t>(i)]);
        count += used[node] ? 0 : 1;
        used[node] = true;
      }
  }
  return count;
}

// Facets of all cells, those between two cells twice.
void add_facets(CellKind kind, Index cells, Index& lines, Index& triangles, Index& quadrilaterals) {
  for (const Facet& facet : traits(kind).facets) {
    const int corners = traits(facet.kind).corner_count;
    (corners == 2 ? lines : corners == 3 ? triangles : quadrilaterals) += cells;
  }
}

}  // namespace

Index EntityCounts::cell_count() const {
  Index sum = 0;
  for (const auto& [kind, count] : cells) sum += count;
  return sum;
}

EntityCounts entity_counts(const Mesh& mesh) {
  EntityCounts counts;
  counts.dimension = mesh.dimension();
  counts.vertices = used_corners(mesh);
  Index lines = 0;
  for (const CellBlock& block : mesh.blocks()) {
    counts.cells[block.kind] += block.cell_count();
    add_facets(block.kind, block.cell_count(), lines, counts.triangles, counts.quadrilaterals);
  }
  const std::vector<FacetOfCell> boundary = boundary_facets(mesh);
  for (const FacetOfCell& f : boundary) {
    const int corners =
        traits(traits(mesh.kind_of(f.cell)).facets[static_cast<std::size_t>(f.facet)].kind).corner_count;
    ++(corners == 2 ? lines : corners == 3 ? counts.triangles : counts.quadrilaterals);
  }
  lines /= 2;
  counts.triangles /= 2;
  counts.quadrilaterals /= 2;
  if (counts.dimension < 3) {
    counts.edges = lines;
    return counts;
  }
  const Index characteristic = boundary_characteristic(mesh, boundary) / 2;
  counts.edges = counts.vertices + counts.triangles + counts.quadrilaterals - counts.cell_count() - characteristic;
  return counts;
}

EntityCounts typical_counts(CellKind kind, Index vertices) {
  const CellKind shape = traits(kind).linear;
  EntityCounts counts;
  counts.dimension = traits(kind).dimension;
  counts.vertices = vertices;
  double cells = 1;
  switch (shape) {
    case CellKind::tri3: cells = 2; break;
    case CellKind::tet4: cells = 5.6; break;
    case CellKind::prism6: cells = 2; break;
    case CellKind::pyramid5: cells = 3; break;  // six in a cube, with a vertex in its centre
    default: break;
  }
  counts.cells[kind] = static_cast<Index>(std::llround(cells * double(vertices)));
  Index lines = 0;
  add_facets(kind, counts.cells[kind], lines, counts.triangles, counts.quadrilaterals);
  lines /= 2;
  counts.triangles /= 2;
  counts.quadrilaterals /= 2;
  counts.edges =
      counts.dimension < 3 ? lines : counts.vertices + counts.triangles + counts.quadrilaterals - counts.cells[kind];
  return counts;
}

}  // namespace ritz
