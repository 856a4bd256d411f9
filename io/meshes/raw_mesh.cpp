#include "io/meshes/raw_mesh.hpp"

#include "io/meshes/collapsed_cells.hpp"
#include "io/meshes/flat_mesh.hpp"
#include "mesh/hash.hpp"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

namespace ritz {
namespace {

int highest_dimension(const RawMesh& raw, std::vector<std::string>& notices) {
  int dimension = -1;
  for (const CellKind kind : all_cell_kinds())
    if (raw.cell_count(kind) > 0) dimension = std::max(dimension, traits(kind).dimension);
  if (dimension < 1)
    throw Error(ErrorKind::mesh_without_cells, fmt::format("'{}' holds no volume, surface or line cells", raw.source),
                dimension < 0 ? "it holds no cells at all" : "it holds points only",
                "export the volume mesh, or the surface mesh of a plane part");
  if (raw.structural) return 3;
  if (dimension == 1) notices.push_back(fmt::format("'{}' holds lines only and is read as a mesh of bars", raw.source));
  return dimension;
}

void check_nodes(const RawMesh& raw) {
  if (raw.points.size() / 3 > static_cast<std::size_t>(std::numeric_limits<Node>::max()))
    throw Error(ErrorKind::mesh_too_large, fmt::format("'{}' holds {} points", raw.source, raw.points.size() / 3),
                "Ritz numbers nodes with 31 bits", "split the mesh");
  const auto node_count = static_cast<Node>(raw.points.size() / 3);
  for (const CellKind kind : all_cell_kinds()) {
    const std::vector<Node>& nodes = raw.nodes[static_cast<std::size_t>(kind)];
    const auto size = static_cast<Index>(nodes.size());
    Index first_bad = size;
#pragma omp parallel for schedule(static) reduction(min : first_bad) if (size > 100000)
    for (Index i = 0; i < size; ++i) {
      const Node node = nodes[static_cast<std::size_t>(i)];
      if (node < 0 || node >= node_count) first_bad = std::min(first_bad, i);
    }
    if (first_bad == size) continue;
    throw Error(ErrorKind::mesh_reference,
                fmt::format("{} {} of '{}' uses node {} (counted from 0)", traits(kind).name,
                            first_bad / file_node_count(raw.node_sets, kind), raw.source,
                            nodes[static_cast<std::size_t>(first_bad)]),
                fmt::format("there are {} nodes", node_count), "write the file again with the mesher");
  }
}

Index first_cell(const MeshData& data, CellKind kind) {
  for (const CellBlock& block : data.blocks)
    if (block.kind == kind) return block.first_cell;
  return 0;
}

void add_cells(const RawGroup& group, MeshData& data) {
  std::vector<Index> cells;
  for (const CellRun& run : group.cells) {
    if (!is_body(data, run.kind)) continue;
    const Index first = first_cell(data, run.kind) + run.first;
    for (Index i = 0; i < run.count; ++i) cells.push_back(first + i);
  }
  if (cells.empty()) return;
  sort_unique(cells);
  region_named(data, group.name, RegionKind::cells).cells = std::move(cells);
}

bool facet_before(const FacetOfCell& a, const FacetOfCell& b) {
  return a.cell != b.cell ? a.cell < b.cell : a.facet < b.facet;
}

void add_facets(const RawGroup& group, MeshData& data, std::vector<std::string>& notices) {
  std::vector<FacetOfCell> facets;
  for (const FacetPlace& place : group.facets)
    if (is_body(data, place.kind)) facets.push_back({first_cell(data, place.kind) + place.position, place.facet});
  if (const auto lost = group.facets.size() - facets.size(); lost > 0)
    notices.push_back(
        fmt::format("{} sides in '{}' belong to cells of a lower dimension and were not used", lost, group.name));
  if (facets.empty()) return;
  std::sort(facets.begin(), facets.end(), facet_before);
  facets.erase(std::unique(facets.begin(), facets.end()), facets.end());
  region_named(data, group.name, RegionKind::facets).facets = std::move(facets);
}

// Facets by their corners, ascending; those that occur once are free.
struct Seen {
  FewNodes corners;
  FacetOfCell facet;
};

std::vector<FacetOfCell> free_facets(const MeshData& data) {
  std::vector<Seen> seen;
  for (const CellBlock& block : data.blocks) {
    const CellTraits& t = traits(block.kind);
    for (Index c = 0; c < block.cell_count(); ++c)
      for (std::size_t f = 0; f < t.facets.size(); ++f) {
        Seen one{{}, {block.first_cell + c, static_cast<int>(f)}};
        const auto corner_count = static_cast<std::size_t>(traits(t.facets[f].kind).corner_count);
        for (std::size_t i = 0; i < corner_count; ++i)
          one.corners.insert(block.cell(c)[static_cast<std::size_t>(t.facets[f].nodes[i])]);
        seen.push_back(one);
      }
  }
  std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.corners < b.corners; });
  std::vector<FacetOfCell> facets;
  for (std::size_t i = 0, last; i < seen.size(); i = last) {
    for (last = i + 1; last < seen.size() && seen[last].corners == seen[i].corners;) ++last;
    if (last == i + 1) facets.push_back(seen[i].facet);
  }
  std::sort(facets.begin(), facets.end(), facet_before);
  return facets;
}

void add_free_facets(const RawMesh& raw, MeshData& data) {
  std::vector<FacetOfCell> free;
  for (const RawGroup& group : raw.groups) {
    if (group.free_facets_of.empty()) continue;
    if (free.empty()) free = free_facets(data);
    std::vector<std::uint8_t> member(static_cast<std::size_t>(cell_count(data)));
    for (const CellRun& run : group.free_facets_of)
      if (traits(run.kind).dimension == data.dimension)
        std::fill_n(member.begin() + first_cell(data, run.kind) + run.first, run.count, std::uint8_t{1});
    Region& region = region_named(data, group.name, RegionKind::facets);
    for (const FacetOfCell& facet : free)
      if (member[static_cast<std::size_t>(facet.cell)] != 0) region.facets.push_back(facet);
    std::sort(region.facets.begin(), region.facets.end(), facet_before);
    region.facets.erase(std::unique(region.facets.begin(), region.facets.end()), region.facets.end());
  }
}

void add_lower_cells(const RawMesh& raw, MeshData& data, std::vector<std::string>& notices) {
  std::vector<NamedCells> surfaces;
  for (const RawGroup& group : raw.groups) {
    Index line_count = 0;
    for (const CellRun& run : group.cells) {
      const CellTraits& t = traits(run.kind);
      if (is_body(data, run.kind)) continue;
      const auto width = static_cast<std::size_t>(t.node_count);
      const auto nodes =
          std::span(raw.nodes[static_cast<std::size_t>(run.kind)])
              .subspan(static_cast<std::size_t>(run.first) * width, static_cast<std::size_t>(run.count) * width);
      if (t.dimension > 0 && t.dimension == data.dimension - 1 && !data.structural) {
        surfaces.push_back({{group.name}, {run.kind, {nodes.begin(), nodes.end()}, 0}});
        continue;
      }
      Region& region = region_named(data, group.name, RegionKind::nodes);
      region.nodes.insert(region.nodes.end(), nodes.begin(), nodes.end());
      if (t.dimension > 0) line_count += run.count;
    }
    if (line_count > 0)
      notices.push_back(fmt::format("the {} lines of '{}' carry nothing in a solid mesh: they became a region of nodes",
                                    line_count, group.name));
  }
  add_facet_regions(data, surfaces, notices);
}

void report_unused(const RawMesh& raw, int dimension, std::vector<std::string>& notices) {
  std::string list;
  for (const CellKind kind : all_cell_kinds()) {
    if (traits(kind).dimension >= dimension || traits(kind).dimension == 0 || raw.cell_count(kind) == 0) continue;
    std::vector<std::uint8_t> named(static_cast<std::size_t>(raw.cell_count(kind)));
    for (const RawGroup& group : raw.groups)
      for (const CellRun& run : group.cells)
        if (run.kind == kind) std::fill_n(named.begin() + run.first, run.count, std::uint8_t{1});
    if (const auto unused = std::count(named.begin(), named.end(), 0); unused > 0)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", unused, traits(kind).name);
  }
  if (!list.empty())
    notices.push_back(
        fmt::format("not used, because they are of a lower dimension and in no group of '{}': {}", raw.source, list));
}

}  // namespace

RawGroup& RawMesh::group(const std::string& name) {
  const auto [found, is_new] = group_number_.try_emplace(name, groups.size());
  if (is_new) {
    groups.emplace_back();
    groups.back().name = name;
  }
  return groups[found->second];
}

void append(std::vector<CellRun>& runs, const CellRun& run) {
  if (run.count == 0) return;
  if (!runs.empty() && runs.back().kind == run.kind && runs.back().first + runs.back().count == run.first)
    runs.back().count += run.count;
  else runs.push_back(run);
}

std::optional<int> facet_with_corners(CellKind kind, std::span<const int> corners) {
  const CellTraits& t = traits(kind);
  for (std::size_t f = 0; f < t.facets.size(); ++f) {
    const auto own =
        std::span(t.facets[f].nodes).first(static_cast<std::size_t>(traits(t.facets[f].kind).corner_count));
    if (own.size() == corners.size() && std::is_permutation(own.begin(), own.end(), corners.begin()))
      return static_cast<int>(f);
  }
  return std::nullopt;
}

MeshData mesh_of(RawMesh raw, std::vector<std::string>& notices) {
  check_nodes(raw);
  LoweredCells lowered = lower_order(raw.nodes, raw.node_sets, raw.points,
                                     raw.structural ? KeepMaps::no : KeepMaps::where_they_differ, raw.source, notices);
  raw.node_sets = {};
  replace_collapsed_cells(raw, notices);
  MeshData data;
  data.source = raw.source;
  data.dimension = highest_dimension(raw, notices);
  data.structural = raw.structural;
  data.points = std::move(raw.points);
  for (const CellKind kind : all_cell_kinds())
    if (raw.cell_count(kind) > 0 && is_body(data, kind))
      data.blocks.push_back(
          {kind, std::move(raw.nodes_of(kind)), 0, std::move(lowered.curved[static_cast<std::size_t>(kind)])});
  number_blocks(data);
  flatten_plane_mesh(data, notices);
  for (const RawGroup& group : raw.groups) {
    add_cells(group, data);
    add_facets(group, data, notices);
    if (!group.nodes.empty()) region_named(data, group.name, RegionKind::nodes).nodes = group.nodes;
  }
  add_free_facets(raw, data);
  add_lower_cells(raw, data, notices);
  if (!data.structural) report_unused(raw, data.dimension, notices);
  for (Region& region : data.regions) sort_unique(region.nodes);
  drop_points(data, lowered.unneeded);
  if (data.regions.empty())
    notices.push_back(fmt::format("'{}' names no groups: its only region is 'all'", data.source));
  add_region_all(data);
  return data;
}

}  // namespace ritz
