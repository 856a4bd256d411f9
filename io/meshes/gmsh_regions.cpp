// From the runs of a Gmsh file to a mesh: which cells carry the physics, and what the physical groups name.
#include "io/meshes/flat_mesh.hpp"
#include "io/meshes/gmsh_contents.hpp"
#include "io/meshes/gmsh_kinds.hpp"
#include "mesh/facets.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/core.h>

namespace ritz {
namespace {

int dimension_of(const GmshRun& run) { return traits(run.kind).dimension; }

int highest_dimension(const GmshContents& contents, const std::string& path, std::vector<std::string>& notices) {
  int dimension = -1;
  for (const GmshRun& run : contents.runs) dimension = std::max(dimension, dimension_of(run));
  const char* const remedy =
      "mesh the volume (gmsh -3) or the surface of a plane part (gmsh -2), and put it into a physical group: "
      "with groups Gmsh writes only what is in one";
  if (dimension < 1)
    throw Error(ErrorKind::mesh_without_cells, fmt::format("'{}' holds no volume, surface or line cells", path),
                dimension < 0 ? "it holds no elements at all" : "it holds points only", remedy);
  if (contents.structural) return 3;
  if (dimension == 1)
    notices.push_back(
        fmt::format("'{}' holds lines only and is read as a mesh of bars; for anything else, {}", path, remedy));
  return dimension;
}

void require_supported_contents(const GmshContents& contents, const std::string& path) {
  if (contents.unsupported.empty()) return;
  std::string list;
  bool mixed = false;
  for (const auto& [type, count] : contents.unsupported) {
    mixed = mixed || gmsh_kind(type) != nullptr;
    list += fmt::format("{}{} elements of {}", list.empty() ? "" : ", ", count, gmsh_type_name(type));
  }
  throw Error(ErrorKind::mesh_order, fmt::format("'{}' holds {}", path, list),
              mixed ? "beside others of the same shape and of another order; cells of order 3 and more are taken at "
                      "order 2, and then they must be all of one order"
                    : supported_gmsh_types(),
              "mesh again with order 1 or 2 (gmsh -order 2)");
}

std::string group_name(const GmshContents& contents, int dimension, std::int64_t tag) {
  const auto found = contents.group_names.find({dimension, tag});
  if (found != contents.group_names.end()) return found->second;
  constexpr std::array names{"point", "curve", "surface", "volume"};
  return fmt::format("{}_{}", names[static_cast<std::size_t>(dimension)], tag);
}

// Names of the groups that a run is in.
std::vector<std::string> groups_of(const GmshContents& contents, const GmshRun& run) {
  std::vector<std::string> names;
  const int dimension = dimension_of(run);
  if (!contents.groups_by_entity) {
    if (run.physical != 0) names.push_back(group_name(contents, dimension, run.physical));
    return names;
  }
  const auto found = contents.groups_of_entity.find({dimension, run.entity});
  if (found != contents.groups_of_entity.end())
    for (const std::int64_t tag : found->second) names.push_back(group_name(contents, dimension, tag));
  return names;
}

// Number of the first cell of a run of cells in the mesh.
Index first_cell(const MeshData& data, const GmshRun& run) {
  for (const CellBlock& block : data.blocks)
    if (block.kind == run.kind) return block.first_cell + run.first;
  return run.first;
}

// MSH 2 writes an entity of two groups twice: the second copy is the same cell.
void merge_copies(const GmshContents& contents, MeshData& data, std::vector<std::string>& notices) {
  std::map<std::pair<CellKind, std::int64_t>, std::set<std::int64_t>> groups;
  bool suspicious = false;
  for (const GmshRun& run : contents.runs)
    if (!contents.groups_by_entity && is_body(data, run.kind)) {
      std::set<std::int64_t>& of_entity = groups[{run.kind, run.entity}];
      of_entity.insert(run.physical);
      suspicious = suspicious || of_entity.size() > 1;
    }
  if (!suspicious) return;
  const auto pairs = duplicate_cells(data);
  if (pairs.empty()) return;
  std::vector<Index> number(static_cast<std::size_t>(cell_count(data)), 0);
  for (const auto& [first, second] : pairs) number[static_cast<std::size_t>(second)] = -1 - first;
  Index next = 0;
  for (CellBlock& block : data.blocks) {
    const auto width = traits(block.kind).node_count;
    const Index count = block.cell_count();
    auto kept = block.nodes.begin();
    CurvedCells curved;
    const Index old_first = block.first_cell;
    block.first_cell = next;
    for (Index cell = 0; cell < count; ++cell) {
      Index& mine = number[static_cast<std::size_t>(old_first + cell)];
      if (mine < 0) {
        mine = number[static_cast<std::size_t>(-1 - mine)];
        continue;
      }
      curved.append(block.curved, cell, next - block.first_cell);
      mine = next++;
      kept = std::copy_n(block.nodes.begin() + cell * width, width, kept);
    }
    block.nodes.erase(kept, block.nodes.end());
    block.curved = std::move(curved);
  }
  for (Region& region : data.regions) {
    for (Index& cell : region.cells) cell = number[static_cast<std::size_t>(cell)];
    sort_unique(region.cells);
  }
  notices.push_back(fmt::format("{} cells that '{}' lists once per group were merged", pairs.size(), data.source));
}

void add_cell_regions(const GmshContents& contents, MeshData& data) {
  for (const GmshRun& run : contents.runs) {
    if (!is_body(data, run.kind)) continue;
    const Index first = first_cell(data, run);
    for (const std::string& name : groups_of(contents, run)) {
      std::vector<Index>& cells = region_named(data, name, RegionKind::cells).cells;
      const std::size_t old_size = cells.size();
      cells.resize(old_size + static_cast<std::size_t>(run.count));
      for (Index i = 0; i < run.count; ++i) cells[old_size + static_cast<std::size_t>(i)] = first + i;
    }
  }
  for (Region& region : data.regions) sort_unique(region.cells);
}

std::span<const Node> nodes_of(const GmshContents& contents, const GmshRun& run) {
  const auto width = static_cast<std::size_t>(traits(run.kind).node_count);
  return std::span(contents.nodes[static_cast<std::size_t>(run.kind)])
      .subspan(static_cast<std::size_t>(run.first) * width, static_cast<std::size_t>(run.count) * width);
}

void add_lower_regions(const GmshContents& contents, MeshData& data, std::vector<std::string>& notices) {
  std::vector<NamedCells> surfaces;
  for (const GmshRun& run : contents.runs) {
    const int dimension = dimension_of(run);
    if (is_body(data, run.kind)) continue;
    const std::vector<std::string> names = groups_of(contents, run);
    if (names.empty()) continue;
    const std::span<const Node> nodes = nodes_of(contents, run);
    if (dimension > 0 && dimension == data.dimension - 1 && !data.structural) {
      surfaces.push_back({names, {run.kind, {nodes.begin(), nodes.end()}, 0}});
      continue;
    }
    for (const std::string& name : names) {
      Region& region = region_named(data, name, RegionKind::nodes);
      region.nodes.insert(region.nodes.end(), nodes.begin(), nodes.end());
    }
  }
  add_facet_regions(data, surfaces, notices);
  for (Region& region : data.regions) sort_unique(region.nodes);
}

}  // namespace

std::vector<std::string> point_groups(const GmshContents& contents) {
  std::vector<std::string> points;
  std::set<std::string> others;
  for (const GmshRun& run : contents.runs)
    for (const std::string& name : groups_of(contents, run)) {
      if (dimension_of(run) == 0) points.push_back(name);
      else others.insert(name);
    }
  std::erase_if(points, [&](const std::string& name) { return others.contains(name); });
  return points;
}

MeshData mesh_of(GmshContents contents, const std::string& path, std::vector<std::string>& notices) {
  require_supported_contents(contents, path);
  MeshData data;
  data.source = path;
  data.dimension = highest_dimension(contents, path, notices);
  data.structural = contents.structural;
  NodeSets node_sets;
  for (std::size_t kind = 0; kind < cell_kind_count; ++kind) node_sets[kind] = gmsh_node_set(contents.types[kind]);
  LoweredCells lowered = lower_order(contents.nodes, node_sets, contents.points,
                                     data.structural ? KeepMaps::no : KeepMaps::where_they_differ, path, notices);
  data.points = std::move(contents.points);
  for (std::size_t kind = 0; kind < cell_kind_count; ++kind) {  // in the order of CellKind, whatever the file's
    std::vector<Node>& nodes = contents.nodes[kind];
    if (!nodes.empty() && is_body(data, static_cast<CellKind>(kind)))
      data.blocks.push_back({static_cast<CellKind>(kind), std::move(nodes), 0, std::move(lowered.curved[kind])});
  }
  number_blocks(data);
  flatten_plane_mesh(data, notices);
  add_cell_regions(contents, data);
  merge_copies(contents, data, notices);
  add_lower_regions(contents, data, notices);
  drop_points(data, lowered.unneeded);
  if (data.regions.empty())
    notices.push_back(fmt::format("'{}' names no physical groups: its only region is 'all'", path));
  add_region_all(data);
  return data;
}

}  // namespace ritz
