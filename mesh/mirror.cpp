#include "mesh/mirror.hpp"

#include "mesh/cell_geometry.hpp"

#include <algorithm>
#include <set>

namespace ritz {
namespace {

struct Mirror {
  std::vector<int> nodes, facets;
};

Mirror make_mirror(CellKind kind) {
  const CellTraits& t = traits(kind);
  const auto points = reference_nodes(kind);
  Mirror mirror;
  for (const Point& p : points) {
    const Point image = t.dimension == 1 ? Point{-p[0], 0, 0} : Point{p[1], p[0], p[2]};
    mirror.nodes.push_back(static_cast<int>(std::find(points.begin(), points.end(), image) - points.begin()));
  }
  const auto node_set = [&](const Facet& facet, bool mirrored) {
    std::set<int> set;
    for (const int i : facet.nodes) set.insert(mirrored ? mirror.nodes[static_cast<std::size_t>(i)] : i);
    return set;
  };
  for (const Facet& facet : t.facets)
    for (std::size_t other = 0; other < t.facets.size(); ++other)
      if (node_set(facet, true) == node_set(t.facets[other], false)) mirror.facets.push_back(static_cast<int>(other));
  return mirror;
}

const Mirror& mirror_of(CellKind kind) {
  static const std::vector<Mirror> all = [] {
    std::vector<Mirror> list;
    for (const CellKind k : all_cell_kinds()) list.push_back(make_mirror(k));
    return list;
  }();
  return all[static_cast<std::size_t>(kind)];
}

}  // namespace

std::span<const int> mirrored_nodes(CellKind kind) { return mirror_of(kind).nodes; }
std::span<const int> mirrored_facets(CellKind kind) { return mirror_of(kind).facets; }

}  // namespace ritz
