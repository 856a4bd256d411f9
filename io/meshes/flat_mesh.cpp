#include "io/meshes/flat_mesh.hpp"

#include "mesh/facets.hpp"

#include <cmath>
#include <map>
#include <numeric>

#include <fmt/core.h>

namespace ritz {
namespace {

bool before(const FacetOfCell& a, const FacetOfCell& b) {
  return a.cell != b.cell ? a.cell < b.cell : a.facet < b.facet;
}

struct MatchedRegion {
  std::vector<FacetOfCell> facets;
  std::vector<Node> lost_nodes;
  Index lost = 0;
};

std::map<std::string, MatchedRegion> matched_regions(const MeshData& data, const std::vector<NamedCells>& surfaces) {
  std::vector<CellBlock> blocks;
  for (const NamedCells& surface : surfaces) blocks.push_back(surface.cells);
  Index unmatched = 0;
  const std::vector<FacetOfCell> facets = match_facets(data, blocks, unmatched);
  std::map<std::string, MatchedRegion> regions;
  std::size_t next = 0;
  for (const NamedCells& surface : surfaces) {
    const Index count = surface.cells.cell_count();
    for (const std::string& name : surface.names) {
      MatchedRegion& region = regions[name];
      for (Index i = 0; i < count; ++i) {
        const FacetOfCell facet = facets[next + static_cast<std::size_t>(i)];
        if (facet.cell >= 0) {
          region.facets.push_back(facet);
          continue;
        }
        ++region.lost;
        const std::span<const Node> nodes = surface.cells.cell(i);
        region.lost_nodes.insert(region.lost_nodes.end(), nodes.begin(), nodes.end());
      }
    }
    next += static_cast<std::size_t>(count);
  }
  return regions;
}

}  // namespace

bool is_body(const MeshData& data, CellKind kind) {
  const int dimension = traits(kind).dimension;
  return data.structural ? dimension > 0 : dimension == data.dimension;
}

void number_blocks(MeshData& data) {
  Index next = 0;
  for (CellBlock& block : data.blocks) {
    block.first_cell = next;
    next += block.cell_count();
  }
}

Index cell_count(const MeshData& data) {
  return data.blocks.empty() ? 0 : data.blocks.back().first_cell + data.blocks.back().cell_count();
}

void flatten_plane_mesh(MeshData& data, std::vector<std::string>& notices) {
  if (data.dimension != 2 || data.points.empty()) return;
  for (std::size_t i = 2; i < data.points.size(); i += 3)
    if (!std::isfinite(data.points[i]))
      throw Error(ErrorKind::mesh_contents,
                  fmt::format("node {} of '{}' has z = {}", i / 3, data.source, data.points[i]),
                  "a coordinate is a number", "write the mesh again");
  double least[3], greatest[3];
  for (std::size_t i = 0; i < 3; ++i) least[i] = greatest[i] = data.points[i];
  for (std::size_t i = 0; i < data.points.size(); ++i) {
    least[i % 3] = std::min(least[i % 3], data.points[i]);
    greatest[i % 3] = std::max(greatest[i % 3], data.points[i]);
  }
  const double extent = std::hypot(greatest[0] - least[0], greatest[1] - least[1]);
  const double thickness = greatest[2] - least[2];
  if (thickness > 1e-12 * std::max(extent, std::abs(greatest[2])))
    throw Error(
        ErrorKind::mesh_without_cells,
        fmt::format("'{}' holds surface cells only, and they are not parallel to the x-y plane: z runs from {} "
                    "to {}",
                    data.source, least[2], greatest[2]),
        "without volume cells the mesh must be plane, with one z for all points; ritz-structure takes shells in "
        "space",
        "mesh the volume (gmsh -3), or turn a plane part into the x-y plane");
  if (greatest[2] != 0) notices.push_back(fmt::format("the plane mesh at z = {} was moved to z = 0", greatest[2]));
  transform_points(data, [](std::span<double, 3> x) { x[2] = 0; });
}

Region& region_named(MeshData& data, const std::string& name, RegionKind kind) {
  for (Region& region : data.regions)
    if (region.kind == kind && region.name == name) return region;
  data.regions.push_back({name, kind, {}, {}, {}});
  return data.regions.back();
}

void add_facet_regions(MeshData& data, const std::vector<NamedCells>& surfaces, std::vector<std::string>& notices) {
  if (surfaces.empty()) return;
  for (auto& [name, matched] : matched_regions(data, surfaces)) {
    if (matched.lost > 0 && !matched.facets.empty())
      throw Error(ErrorKind::mesh_without_cells,
                  fmt::format("{} of the {} cells of surface '{}' in '{}' are not facets of any cell", matched.lost,
                              matched.lost + static_cast<Index>(matched.facets.size()), name, data.source),
                  fmt::format("the first of them is at ({}, {}, {})",
                              data.points[3 * static_cast<std::size_t>(matched.lost_nodes[0])],
                              data.points[3 * static_cast<std::size_t>(matched.lost_nodes[0]) + 1],
                              data.points[3 * static_cast<std::size_t>(matched.lost_nodes[0]) + 2]),
                  "mesh surface and volume together, so that they share their nodes (Coherence in Gmsh)");
    if (matched.lost > 0) {
      Region& region = region_named(data, name, RegionKind::nodes);
      region.nodes.insert(region.nodes.end(), matched.lost_nodes.begin(), matched.lost_nodes.end());
      sort_unique(region.nodes);
      notices.push_back(fmt::format("no cell of '{}' is a facet of the mesh: it became a region of nodes", name));
      continue;
    }
    Region& region = region_named(data, name, RegionKind::facets);
    region.facets.insert(region.facets.end(), matched.facets.begin(), matched.facets.end());
    std::sort(region.facets.begin(), region.facets.end(), before);
    region.facets.erase(std::unique(region.facets.begin(), region.facets.end()), region.facets.end());
  }
}

void add_region_all(MeshData& data) {
  const Index count = cell_count(data);
  for (const Region& region : data.regions)
    if (region.kind == RegionKind::cells && region.name == "all") {
      if (static_cast<Index>(region.cells.size()) == count) return;
      throw Error(ErrorKind::mesh_reference,
                  fmt::format("group 'all' of '{}' holds {} of {} cells", data.source, region.cells.size(), count),
                  "in Ritz the region 'all' is every cell", "give the group another name");
    }
  Region all{"all", RegionKind::cells, std::vector<Index>(static_cast<std::size_t>(count)), {}, {}};
  std::iota(all.cells.begin(), all.cells.end(), Index{0});
  data.regions.insert(data.regions.begin(), std::move(all));
}

}  // namespace ritz
