// Regions: their checks, and finding them by name.
#include "mesh/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace ritz {
namespace {

std::string_view name_of(RegionKind kind) {
  return kind == RegionKind::cells ? "cells" : kind == RegionKind::facets ? "facets" : "nodes";
}

template <class T, class Less>
void sort_unique(std::vector<T>& list, Less less) {
  if (std::is_sorted(list.begin(), list.end(), less) && std::adjacent_find(list.begin(), list.end()) == list.end())
    return;
  std::sort(list.begin(), list.end(), less);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void check_range(const MeshData& data, const Region& region, Index lowest, Index highest, Index limit,
                 std::string_view what, ErrorList& errors) {
  if (lowest >= 0 && highest < limit) return;
  errors.add(Error(ErrorKind::mesh_reference,
                   fmt::format("region '{}' of {} names {} {}, outside 0..{}", region.name, data.source, what,
                               lowest < 0 ? lowest : highest, limit - 1),
                   "it refers to entities that do not exist", "write the mesh again"));
}

void check_facet_numbers(const MeshData& data, const Region& region, ErrorList& errors) {
  for (const FacetOfCell& f : region.facets)
    for (const CellBlock& block : data.blocks) {
      if (f.cell < block.first_cell || f.cell >= block.first_cell + block.cell_count()) continue;
      const auto facet_count = static_cast<int>(traits(block.kind).facets.size());
      if (f.facet >= 0 && f.facet < facet_count) continue;
      errors.add(Error(ErrorKind::mesh_reference,
                       fmt::format("region '{}' of {} names facet {} of cell {}, but a {} has facets 0..{}",
                                   region.name, data.source, f.facet, f.cell, traits(block.kind).name, facet_count - 1),
                       "", "write the mesh again"));
      return;
    }
}

}  // namespace

Index Region::size() const {
  switch (kind) {
    case RegionKind::cells: return static_cast<Index>(cells.size());
    case RegionKind::facets: return static_cast<Index>(facets.size());
    default: return static_cast<Index>(nodes.size());
  }
}

void check_regions(MeshData& data, ErrorList& errors) {
  Index cell_count = 0;
  for (const CellBlock& block : data.blocks) cell_count += block.cell_count();
  const auto node_count = static_cast<Index>(data.points.size() / 3);
  std::set<std::pair<RegionKind, std::string>> seen;
  for (Region& region : data.regions) {
    if (region.name.empty())
      errors.add(Error(ErrorKind::mesh_reference,
                       fmt::format("a region of {} in {} has no name", name_of(region.kind), data.source),
                       "regions are found by their names", "name it"));
    if (!seen.emplace(region.kind, region.name).second)
      errors.add(
          Error(ErrorKind::mesh_reference,
                fmt::format("two regions of {} in {} are named '{}'", name_of(region.kind), data.source, region.name),
                "names must tell regions of a kind apart", "rename or join them"));
    sort_unique(region.cells, std::less<>());
    sort_unique(region.nodes, std::less<>());
    sort_unique(region.facets, [](const FacetOfCell& a, const FacetOfCell& b) {
      return std::tie(a.cell, a.facet) < std::tie(b.cell, b.facet);
    });
    region.has_all_cells = std::ssize(region.cells) == cell_count;
    if (!region.cells.empty())
      check_range(data, region, region.cells.front(), region.cells.back(), cell_count, "cell", errors);
    if (!region.nodes.empty())
      check_range(data, region, region.nodes.front(), region.nodes.back(), node_count, "node", errors);
    if (!region.facets.empty()) {
      check_range(data, region, region.facets.front().cell, region.facets.back().cell, cell_count, "cell", errors);
      check_facet_numbers(data, region, errors);
    }
  }
}

bool Mesh::has_region(std::string_view name) const {
  return std::any_of(data().regions.begin(), data().regions.end(), [name](const Region& r) { return r.name == name; });
}

const Region& Mesh::region(std::string_view name) const {
  const Region* best = nullptr;
  for (const Region& region : data().regions)
    if (region.name == name && (best == nullptr || region.kind < best->kind)) best = &region;
  if (best != nullptr) return *best;
  std::vector<std::string> described;
  for (const Region& r : data().regions)
    described.push_back(fmt::format("'{}' ({} {})", r.name, r.size(), name_of(r.kind)));
  const std::string nearest = nearest_match(name, region_names());
  const std::string list = described.empty() ? "none" : fmt::to_string(fmt::join(described, ", "));
  throw Error(ErrorKind::unknown_region, fmt::format("{} has no region named '{}'", data().source, name),
              nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest), "its regions are " + list);
}

std::vector<std::string> Mesh::region_names() const {
  std::vector<std::string> names;
  for (const Region& region : data().regions)
    if (std::find(names.begin(), names.end(), region.name) == names.end()) names.push_back(region.name);
  return names;
}

std::vector<Node> nodes_in(const Mesh& mesh, const Region& region) {
  if (region.kind == RegionKind::nodes) return region.nodes;
  std::vector<Node> nodes;
  if (region.kind == RegionKind::cells && region.size() > mesh.node_count() / 64) {  // large: mark instead of sort
    std::vector<std::uint8_t> marked(static_cast<std::size_t>(mesh.node_count()));
    for (const Index cell : region.cells)
      for (const Node node : mesh.nodes_of(cell)) marked[static_cast<std::size_t>(node)] = 1;
    for (std::size_t i = 0; i < marked.size(); ++i)
      if (marked[i] != 0) nodes.push_back(static_cast<Node>(i));
    return nodes;
  }
  for (const Index cell : region.cells) {
    const auto of_cell = mesh.nodes_of(cell);
    nodes.insert(nodes.end(), of_cell.begin(), of_cell.end());
  }
  for (const FacetOfCell& facet : region.facets) {
    const auto of_cell = mesh.nodes_of(facet.cell);
    for (const int i : traits(mesh.kind_of(facet.cell)).facets[static_cast<std::size_t>(facet.facet)].nodes)
      nodes.push_back(of_cell[static_cast<std::size_t>(i)]);
  }
  sort_unique(nodes, std::less<>());
  return nodes;
}

Mesh with_regions(Mesh mesh, std::vector<Region> regions) {
  if (mesh.contents_.use_count() > 1) mesh.contents_ = std::make_shared<Mesh::Contents>(*mesh.contents_);
  std::vector<Region>& own = mesh.contents_->data.regions;
  for (Region& region : regions) {
    const auto old = std::ranges::find_if(
        own, [&](const Region& other) { return other.name == region.name && other.kind == region.kind; });
    if (old != own.end()) *old = std::move(region);
    else own.push_back(std::move(region));
  }
  ErrorList errors;
  check_regions(mesh.contents_->data, errors);
  errors.throw_if_any();
  return mesh;
}

}  // namespace ritz
