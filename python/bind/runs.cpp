// Cases of the programs, called with text and arrays; python/ritz/_run.py is the caller.
#include "apps/analyses/analyses.hpp"
#include "apps/cases/elastic_case.hpp"
#include "apps/cases/form_case.hpp"
#include "apps/cases/heat_case.hpp"
#include "apps/analyses/modal_analysis.hpp"
#include "apps/cases/structures/structure_case.hpp"
#include "apps/program/call.hpp"
#include "io/meshes/raw_mesh.hpp"
#include "python/bind/guest.hpp"

#include <utility>

namespace ritz::python {
namespace {

struct Program {
  AppInfo info;
  void (*app)(Run&);
};

Program program_named(const std::string& name) {
  if (name == "heat") return {{"ritz-heat", "", "", 1}, [](Run& run) { run_case(run, read_heat(run)); }};
  if (name == "modal") return {{"ritz-modal", "", ""}, [](Run& run) { run_case(run, read_vibration(run)); }};
  if (name == "structure") return {{"ritz-structure", "", ""}, [](Run& run) { run_case(run, read_structure(run)); }};
  if (name == "solve") return {{"ritz-solve", "", ""}, [](Run& run) { run_case(run, read_form(run)); }};
  return {{"ritz-elasticity", "", ""}, [](Run& run) { run_case(run, read_elasticity(run)); }};
}

// Blocks of cells by the names of their kinds, and groups of those cells and of nodes.
struct MeshArrays {
  std::vector<double> points;  // [node][3]
  std::vector<std::pair<CellKind, std::vector<Node>>> blocks;
  struct Group {
    std::string name;
    std::vector<std::pair<CellKind, std::vector<Index>>> cells;
    std::vector<Node> nodes;
  };
  std::vector<Group> groups;

  Mesh mesh(bool structural, double scale, std::vector<std::string>& notices) const {
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
};

MeshArrays mesh_arrays(
    const Doubles& points, const std::vector<std::pair<std::string, Longs>>& blocks,
    const std::vector<std::tuple<std::string, std::vector<std::pair<std::string, Longs>>, Longs>>& groups) {
  MeshArrays arrays;
  arrays.points.assign(points.data(), points.data() + points.size());
  const auto nodes_of = [](const Longs& values) {
    std::vector<Node> nodes;
    for (const Index node : span_of(values)) nodes.push_back(static_cast<Node>(node));
    return nodes;
  };
  for (const auto& [kind, nodes] : blocks) arrays.blocks.emplace_back(cell_kind_named(kind), nodes_of(nodes));
  for (const auto& [name, cells, nodes] : groups) {
    MeshArrays::Group& group = arrays.groups.emplace_back();
    group.name = name;
    group.nodes = nodes_of(nodes);
    for (const auto& [kind, positions] : cells) {
      const auto span = span_of(positions);
      group.cells.emplace_back(cell_kind_named(kind), std::vector<Index>(span.begin(), span.end()));
    }
  }
  return arrays;
}

py::dict arrays_of(std::vector<Field>& fields) {
  py::dict result;
  for (Field& field : fields) {
    const auto entries = static_cast<py::ssize_t>(field.values.size()) / field.components;
    result[py::str(field.name)] =
        field.components == 1 ? adopt(std::move(field.values), {entries})
                              : adopt(std::move(field.values), {entries, static_cast<py::ssize_t>(field.components)});
  }
  return result;
}

py::dict dict_of(SolvedStep& step) {
  py::dict result, probes;
  result["time"] = step.time ? py::object(py::float_(*step.time)) : py::none();
  result["load_case"] = step.load_case;
  result["fields"] = arrays_of(step.nodal);
  result["cell_fields"] = arrays_of(step.cells);
  for (const auto& [name, values] : step.probes) probes[py::str(name)] = values;
  result["probes"] = probes;
  return result;
}

// The report as JSON, and the steps.
py::tuple run(const std::string& program, const std::string& file, const std::optional<std::string>& text,
              const std::vector<std::string>& overrides, const MeshArrays* mesh, const std::string& output,
              const std::string& device, int threads, bool check, bool log, bool overwrite) {
  RunOptions options;
  options.case_file = file;
  options.case_text = text;
  options.overrides = overrides;
  options.output = output;
  options.device = device;
  options.threads = threads;
  options.check = check;
  options.quiet = !log;
  options.overwrite = overwrite;
  std::vector<SolvedStep> steps;
  options.take = [&](SolvedStep step) { steps.push_back(std::move(step)); };
  if (mesh != nullptr)
    options.mesh = [mesh](bool structural, double scale, std::vector<std::string>& notices) {
      return mesh->mesh(structural, scale, notices);
    };
  std::string report;
  without_the_lock([&] {
    const Program called = program_named(program);
    report = to_json(call(called.info, options, called.app));
  });
  py::list shown;
  for (SolvedStep& step : steps) shown.append(dict_of(step));
  return py::make_tuple(report, shown);
}

}  // namespace

void bind_runs(py::module_& module) {
  py::class_<MeshArrays>(module, "MeshArrays").def(py::init(&mesh_arrays));
  module.def("run", &run);
}

}  // namespace ritz::python
