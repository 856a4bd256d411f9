#include "python/bind/case_call.hpp"

#include "apps/analyses/mixed_analysis.hpp"
#include "apps/analyses/modal_analysis.hpp"
#include "apps/cases/elastic_case.hpp"
#include "apps/cases/form_case.hpp"
#include "apps/cases/heat_case.hpp"
#include "apps/cases/structures/structure_case.hpp"
#include "io/meshes/raw_mesh.hpp"

#include <utility>

namespace ritz::python {

Program program_named(const std::string& name) {
  if (name == "heat") return {{"ritz-heat", "", "", 1}, read_heat};
  if (name == "modal") return {{"ritz-modal", "", ""}, read_vibration};
  if (name == "structure") return {{"ritz-structure", "", ""}, read_structure};
  if (name == "solve") return {{"ritz-solve", "", ""}, read_form, run_form_case};
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

MeshArrays MeshArrays::of(const Mesh& mesh) {
  MeshArrays arrays;
  const auto all = mesh.points();
  arrays.points.assign(all.begin(), all.end());
  const auto block_of = [&](CellKind kind) -> std::vector<Node>& {
    for (auto& [of, nodes] : arrays.blocks)
      if (of == kind) return nodes;
    return arrays.blocks.emplace_back(kind, std::vector<Node>()).second;
  };
  // Position of each cell among those of its kind.
  std::vector<Index> position(static_cast<std::size_t>(mesh.cell_count()));
  for (const CellBlock& block : mesh.blocks()) {
    std::vector<Node>& nodes = block_of(block.kind);
    const auto width = static_cast<std::size_t>(traits(block.kind).node_count);
    for (Index c = 0; c < block.cell_count(); ++c)
      position[static_cast<std::size_t>(block.first_cell + c)] = static_cast<Index>(nodes.size() / width) + c;
    nodes.insert(nodes.end(), block.nodes.begin(), block.nodes.end());
  }
  for (const auto& [kind, nodes] : arrays.blocks)
    for (const CellBlock& block : mesh.blocks())
      for (Index c = 0; block.kind == kind && c < block.cell_count(); ++c) arrays.order.push_back(block.first_cell + c);
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
    options.mesh = [given = mesh](bool structural, double scale, std::vector<std::string>& notices) {
      return given->mesh(structural, scale, notices);
    };
  return options;
}

}  // namespace ritz::python
