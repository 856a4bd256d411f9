#include "python/bind/case_call.hpp"

#include "apps/cases/elastic_case.hpp"
#include "apps/cases/fields_case.hpp"
#include "apps/cases/heat_case.hpp"
#include "apps/cases/structures/structure_case.hpp"
#include "apps/cases/structures/vibration_case.hpp"
#include "io/meshes/raw_mesh.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ritz::python {

Program program_named(const std::string& name) {
  if (name == "heat") return {{"ritz-heat", "", "", 1}, read_heat};
  if (name == "modal") return {{"ritz-modal", "", ""}, read_vibration};
  if (name == "structure") return {{"ritz-structure", "", ""}, read_structure};
  if (name == "solve") return {{"ritz-solve", "", ""}, read_form_case};
  return {{"ritz-elasticity", "", ""}, read_elasticity};
}

Mesh MeshArrays::mesh(bool structural, double scale, std::vector<std::string>& notices) const {
  RawMesh raw;
  raw.source = "the caller's arrays";
  raw.structural = structural;
  for (const double x : points) raw.points.push_back(scale * x);
  for (const auto& [kind, nodes] : blocks)
    raw.nodes_of(kind).insert(raw.nodes_of(kind).end(), nodes.begin(), nodes.end());
  for (const Group& each : groups) {
    RawGroup& group = raw.group(each.name);
    for (const auto& [kind, cells] : each.cells)
      for (const Index cell : cells) append(group.cells, {kind, cell, 1});
    group.nodes = each.nodes;
  }
  return Mesh(mesh_of(std::move(raw), notices));
}

namespace {

int highest_dimension(const MeshArrays& arrays) {
  int highest = 0;
  for (const auto& [kind, nodes] : arrays.blocks)
    if (!nodes.empty()) highest = std::max(highest, traits(kind).dimension);
  return highest;
}

}  // namespace

// A mesh keeps its cells kind after kind in an order of its own.
CallerCells MeshArrays::cells(bool structural) const {
  const int highest = highest_dimension(*this);
  std::map<CellKind, std::pair<Index, Index>> body;  // first cell and count, block after block
  Index next = 0;
  for (const auto& [kind, nodes] : blocks) {
    const CellTraits& of = traits(kind);
    if (structural ? of.dimension == 0 : of.dimension != highest) continue;
    const Index count = static_cast<Index>(nodes.size()) / of.node_count;
    body[kind] = {next, count};
    next += count;
  }
  std::vector<Index> rows;
  for (const CellKind kind : all_cell_kinds())
    if (const auto found = body.find(kind); found != body.end())
      for (Index c = 0; c < found->second.second; ++c) {
        const Index cell = found->second.first + c;
        rows.push_back(order.empty() ? cell : order.at(static_cast<std::size_t>(cell)));
      }
  return CallerCells(std::move(rows));
}

bool MeshArrays::has_kinds_of(const Mesh& mesh) const {
  const int highest = highest_dimension(*this);
  std::map<CellKind, Index> difference;
  for (const auto& [kind, nodes] : blocks)
    if (mesh.structural() ? traits(kind).dimension > 0 : traits(kind).dimension == highest)
      difference[traits(kind).linear] += static_cast<Index>(nodes.size()) / traits(kind).node_count;
  for (const CellBlock& block : mesh.blocks()) difference[traits(block.kind).linear] -= block.cell_count();
  return std::ranges::all_of(difference, [](const auto& each) { return each.second == 0; });
}

MeshArrays MeshArrays::of(const Mesh& mesh, const CallerCells& rows) {
  MeshArrays arrays;
  const auto all = mesh.points();
  arrays.points.assign(all.begin(), all.end());
  const auto block_of = [&](CellKind kind) -> std::vector<Node>& {
    for (auto& [of, nodes] : arrays.blocks)
      if (of == kind) return nodes;
    return arrays.blocks.emplace_back(kind, std::vector<Node>()).second;
  };
  std::vector<const CellBlock*> own;  // in the order of the caller
  for (const CellBlock& block : mesh.blocks()) own.push_back(&block);
  std::ranges::stable_sort(own, {}, [&](const CellBlock* block) { return rows.row(block->first_cell); });
  // Position of each cell among those of its kind.
  std::vector<Index> position(static_cast<std::size_t>(mesh.cell_count()));
  for (const CellBlock* block : own) {
    std::vector<Node>& nodes = block_of(block->kind);
    const auto width = static_cast<std::size_t>(traits(block->kind).node_count);
    for (Index c = 0; c < block->cell_count(); ++c)
      position[static_cast<std::size_t>(block->first_cell + c)] = static_cast<Index>(nodes.size() / width) + c;
    nodes.insert(nodes.end(), block->nodes.begin(), block->nodes.end());
  }
  for (const auto& [kind, nodes] : arrays.blocks)
    for (const CellBlock* block : own)
      for (Index c = 0; block->kind == kind && c < block->cell_count(); ++c)
        arrays.order.push_back(rows.row(block->first_cell + c));
  const auto add = [](Group& group, CellKind kind, Index cell) {
    for (auto& [of, cells] : group.cells)
      if (of == kind) return cells.push_back(cell);
    group.cells.emplace_back(kind, std::vector<Index>{cell});
  };
  for (const Region& region : mesh.regions()) {
    Group& group = arrays.groups.emplace_back();
    group.name = region.name;
    group.nodes = region.nodes;
    for (const Index cell : region.cells) add(group, mesh.kind_of(cell), position[static_cast<std::size_t>(cell)]);
    if (mesh.structural() && !region.facets.empty()) {  // as cells their lines would be beams
      group.nodes = nodes_in(mesh, region);
      continue;
    }
    for (const FacetOfCell& facet : region.facets) {
      const CellKind kind = traits(mesh.kind_of(facet.cell)).facets[static_cast<std::size_t>(facet.facet)].kind;
      std::vector<Node>& nodes = block_of(kind);
      const std::vector<Node> own = mesh.nodes_of(facet);
      add(group, kind, static_cast<Index>(nodes.size() / own.size()));
      nodes.insert(nodes.end(), own.begin(), own.end());
    }
  }
  return arrays;
}

CaseCall::CaseCall(std::string program_name, std::string file_name, std::optional<std::string> case_text,
                   std::vector<std::string> settings, const MeshArrays* given, const Arrays& numbers,
                   std::string device_name, int thread_count, bool logs)
    : program(std::move(program_name)),
      file(std::move(file_name)),
      text(std::move(case_text)),
      overrides(std::move(settings)),
      mesh(given),
      device(std::move(device_name)),
      threads(thread_count),
      log(logs) {
  if (numbers.empty()) return;
  GivenArrays by_name;
  for (const auto& [name, at_nodes, values] : numbers) {
    const auto span = span_of(values);
    by_name[name] = {.values = {span.begin(), span.end()}, .at_nodes = at_nodes};
    if (!at_nodes && mesh != nullptr) by_name[name].values = mesh->cells(program == "structure").in(span);
  }
  arrays = std::make_shared<const GivenArrays>(std::move(by_name));
}

RunOptions CaseCall::options() const {
  RunOptions options;
  options.case_file = file;
  options.case_text = text;
  options.overrides = overrides;
  options.device = device;
  options.threads = threads;
  options.quiet = !log;
  options.arrays = arrays;
  options.take = [](const SolvedStep&) {};
  if (mesh != nullptr)
    options.mesh = [given = mesh, numbers = arrays](bool structural, double scale, std::vector<std::string>& notices) {
      Mesh made = given->mesh(structural, scale, notices);
      const bool in_cells =
          numbers && std::ranges::any_of(*numbers, [](const auto& each) { return !each.second.at_nodes; });
      if (in_cells && !given->has_kinds_of(made))
        throw Error(ErrorKind::other_input, "the cells of the mesh became others when it was read",
                    "arrays in cells no longer have their order", "give cells that need no repair, or arrays at nodes");
      return made;
    };
  return options;
}

CallerCells CaseCall::cells(const Mesh& of_the_run) const {
  return mesh != nullptr && mesh->has_kinds_of(of_the_run) ? mesh->cells(of_the_run.structural()) : CallerCells();
}

}  // namespace ritz::python
