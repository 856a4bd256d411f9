#include "mesh/mesh.hpp"

#include "mesh/checks.hpp"
#include "mesh/facets.hpp"
#include "mesh/hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ritz {
namespace {

Index number_cells(MeshData& data) {
  Index count = 0;
  for (CellBlock& block : data.blocks) {
    block.first_cell = count;
    count += block.cell_count();
  }
  return count;
}

// A mesh without groups can still be given a material: everything is one region.
void name_all_cells(MeshData& data, Index cell_count, std::vector<std::string>& notices) {
  const auto holds_cells = [](const Region& region) { return region.kind == RegionKind::cells; };
  if (std::any_of(data.regions.begin(), data.regions.end(), holds_cells)) return;
  Region all{"all", RegionKind::cells, std::vector<Index>(static_cast<std::size_t>(cell_count)), {}, {}};
  std::iota(all.cells.begin(), all.cells.end(), Index{0});
  all.has_all_cells = true;
  data.regions.push_back(std::move(all));
  notices.push_back(
      fmt::format("{} names no region of cells; all {} cells form the region 'all'", data.source, cell_count));
}

void check_orphans(const MeshData& data, std::span<const Node> orphans, bool allowed, std::vector<std::string>& notices,
                   ErrorList& errors) {
  if (orphans.empty()) return;
  const std::vector<Index> first(orphans.begin(), orphans.begin() + std::min<std::ptrdiff_t>(10, std::ssize(orphans)));
  const std::string text =
      fmt::format("{} of {} used by no cell", counted("node", std::ssize(orphans), first), data.source);
  if (allowed) notices.push_back(text + "; they carry no unknowns");
  else errors.add(Error(ErrorKind::mesh_contents, text, "", "remove them, or set MeshChecks::allow_orphan_nodes"));
}

}  // namespace

Mesh::Mesh(MeshData given, MeshChecks checks) {
  const auto contents = std::make_shared<Contents>(Contents{std::move(given)});
  auto& [data, cell_count, notices, orphan_nodes, boundary] = *contents;
  cell_count = number_cells(data);
  check_arrays(data);
  ErrorList errors;
  check_regions(data, errors);
  errors.throw_if_any();
  name_all_cells(data, cell_count, notices);
  orphan_nodes = find_orphan_nodes(data);
  check_orphans(data, orphan_nodes, checks.allow_orphan_nodes, notices, errors);
  ErrorList shapes;
  orient_cells(data, checks.fix_inverted, notices, shapes);
  errors.add(shapes);
  // Any number of beams and shells may meet, and two may share their nodes.
  if (shapes.empty())  // relies on the orientation
    boundary = data.structural ? survey_facets(data).boundary : check_facets(data, errors);
  errors.throw_if_any();
  for (const Region& region : data.regions)
    if (region.size() == 0) notices.push_back(fmt::format("region '{}' of {} is empty", region.name, data.source));
  contents_ = contents;
}

const CellBlock& Mesh::block_of(Index cell) const { return block_holding(data().blocks, cell); }

std::span<const Node> Mesh::nodes_of(Index cell) const {
  const CellBlock& block = block_of(cell);
  return block.cell(cell - block.first_cell);
}

std::vector<Node> Mesh::nodes_of(FacetOfCell facet) const {
  const auto cell = nodes_of(facet.cell);
  std::vector<Node> nodes;
  for (const int i : traits(kind_of(facet.cell)).facets[static_cast<std::size_t>(facet.facet)].nodes)
    nodes.push_back(cell[static_cast<std::size_t>(i)]);
  return nodes;
}

}  // namespace ritz
