#include "mesh/part_of_mesh.hpp"

#include "device/function_ref.hpp"
#include "mesh/facets.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace ritz {
namespace {

std::size_t as_size(Index i) { return static_cast<std::size_t>(i); }

// [node] 1: one of the cells has it.
std::vector<std::uint8_t> nodes_of_cells(const Mesh& mesh, const std::vector<Index>& cells) {
  std::vector<std::uint8_t> has(as_size(mesh.node_count()), 0);
  for (const Index cell : cells)
    for (const Node node : mesh.nodes_of(cell)) has[as_size(node)] = 1;
  return has;
}

int dimension_of_cell(const Mesh& mesh, Index cell) { return traits(mesh.kind_of(cell)).dimension; }

// Cells by number ascending, and their numbers in the part.
class PartOfMesh {
 public:
  PartOfMesh(const Mesh& whole, std::vector<Index> cells)
      : whole_(whole),
        cells_(std::move(cells)),
        place_(as_size(whole.cell_count()), -1),
        has_(nodes_of_cells(whole, cells_)) {
    for (std::size_t i = 0; i < cells_.size(); ++i) place_[as_size(cells_[i])] = static_cast<Index>(i);
    data_.source = whole.source();
    data_.points.assign(whole.points().begin(), whole.points().end());
    auto next = cells_.begin();
    for (const CellBlock& block : whole.blocks()) {
      const Index end = block.first_cell + block.cell_count();
      if (next == cells_.end() || *next >= end) continue;
      CellBlock& own = data_.blocks.emplace_back(CellBlock{.kind = block.kind, .nodes = {}});
      for (Index position = 0; next != cells_.end() && *next < end; ++next, ++position) {
        const std::span<const Node> nodes = block.cell(*next - block.first_cell);
        own.nodes.insert(own.nodes.end(), nodes.begin(), nodes.end());
        own.curved.append(block.curved, *next - block.first_cell, position);
      }
    }
    Index first = 0;
    for (CellBlock& block : data_.blocks) {
      block.first_cell = first;
      first += block.cell_count();
    }
  }

  MeshData& data() { return data_; }
  bool has(Node node) const { return has_[as_size(node)] != 0; }

  // use(region) of the part: cells, else facets or nodes that are named by `others`.
  void take_regions(FunctionRef<void(const Region&)> take_others) {
    for (const Region& region : whole_.regions()) {
      Region own{region.name, region.kind, {}, {}, {}};
      for (const Index cell : region.cells)
        if (place_[as_size(cell)] >= 0) own.cells.push_back(place_[as_size(cell)]);
      for (const FacetOfCell& facet : region.facets)
        if (place_[as_size(facet.cell)] >= 0) own.facets.push_back({place_[as_size(facet.cell)], facet.facet});
      for (const Node node : region.nodes)
        if (has(node)) own.nodes.push_back(node);
      if (own.size() > 0) add(std::move(own));
      else if (region.kind != RegionKind::nodes) take_others(region);
    }
  }
  void add(Region region) {
    const auto known = std::ranges::find_if(
        data_.regions, [&](const Region& r) { return r.name == region.name && r.kind == region.kind; });
    if (known == data_.regions.end() && region.size() > 0) data_.regions.push_back(std::move(region));
  }

  MeshPart made() && { return {Mesh(std::move(data_), {.fix_inverted = false}), std::move(cells_)}; }

 private:
  const Mesh& whole_;
  std::vector<Index> cells_, place_;  // place_: [cell of the whole] in cells_, -1
  std::vector<std::uint8_t> has_;
  MeshData data_;
};

}  // namespace

std::vector<double> MeshPart::in_whole(std::span<const double> values, int components, Index cell_count) const {
  const auto c = static_cast<std::size_t>(components);
  std::vector<double> all(as_size(cell_count) * c, 0.0);
  for (std::size_t i = 0; i < cells.size(); ++i)
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * c), c,
                all.begin() + static_cast<std::ptrdiff_t>(as_size(cells[i]) * c));
  return all;
}

MeshPart solids_of(const Mesh& whole) {
  std::vector<Index> cells;
  for (Index cell = 0; cell < whole.cell_count(); ++cell)
    if (dimension_of_cell(whole, cell) == 3) cells.push_back(cell);
  PartOfMesh part(whole, std::move(cells));
  // Facets are matched once, for all surfaces of the mesh.
  std::vector<CellBlock> surfaces;
  for (const CellBlock& block : whole.blocks())
    if (traits(block.kind).dimension == 2) surfaces.push_back(block);
  Index unmatched = 0;
  const std::vector<FacetOfCell> facets = match_facets(part.data(), surfaces, unmatched);
  std::vector<FacetOfCell> facet_of(as_size(whole.cell_count()), {-1, -1});
  std::size_t next = 0;
  for (const CellBlock& block : surfaces)
    for (Index i = 0; i < block.cell_count(); ++i) facet_of[as_size(block.first_cell + i)] = facets[next++];
  part.take_regions([&](const Region& region) {
    Region named{region.name, RegionKind::facets, {}, {}, {}}, nodes{region.name, RegionKind::nodes, {}, {}, {}};
    for (const Index cell : region.cells)
      if (facet_of[as_size(cell)].cell >= 0) named.facets.push_back(facet_of[as_size(cell)]);
    std::ranges::sort(named.facets, {}, [](const FacetOfCell& f) { return std::pair(f.cell, f.facet); });
    if (named.facets.empty())
      for (const Node node : nodes_in(whole, region))
        if (part.has(node)) nodes.nodes.push_back(node);
    part.add(named.facets.empty() ? std::move(nodes) : std::move(named));
  });
  return std::move(part).made();
}

MeshPart structure_of(const Mesh& whole, const std::vector<Index>& chosen) {
  const std::vector<std::uint8_t> has = nodes_of_cells(whole, chosen);
  std::vector<Index> cells = chosen, volumes;
  for (Index cell = 0; cell < whole.cell_count(); ++cell) {
    const int dimension = dimension_of_cell(whole, cell);
    if (dimension == 3) volumes.push_back(cell);
    if (dimension == 1 && std::ranges::all_of(whole.nodes_of(cell), [&](Node n) { return has[as_size(n)] != 0; }))
      cells.push_back(cell);
  }
  std::ranges::sort(cells);
  cells.erase(std::ranges::unique(cells).begin(), cells.end());
  const std::vector<std::uint8_t> of_volumes = nodes_of_cells(whole, volumes);
  PartOfMesh part(whole, std::move(cells));
  part.data().structural = true;
  part.take_regions([&](const Region& region) {
    Region nodes{region.name, RegionKind::nodes, {}, {}, {}};
    for (const Node node : nodes_in(whole, region))
      if (part.has(node) && of_volumes[as_size(node)] == 0) nodes.nodes.push_back(node);
    part.add(std::move(nodes));
  });
  return std::move(part).made();
}

}  // namespace ritz
