// Cases of the programs, called with text and arrays; python/ritz/_run.py is the caller.
#include "apps/analyses/analyses.hpp"
#include "apps/program/call.hpp"
#include "apps/results/result_writer.hpp"
#include "device/forks.hpp"
#include "io/case/foreign_case.hpp"
#include "io/meshes/mesh_reader.hpp"
#include "io/case/material_library.hpp"
#include "python/bind/case_call.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ritz::python {
namespace {

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
  py::dict result, probes, labels;  // names of components that do not follow from their number
  for (const auto* fields : {&step.nodal, &step.cells})
    for (const Field& field : *fields)
      if (!field.component_names.empty()) labels[py::str(field.name)] = field.component_names;
  result["time"] = step.time ? py::object(py::float_(*step.time)) : py::none();
  result["load_case"] = step.load_case;
  result["fields"] = arrays_of(step.nodal);
  result["cell_fields"] = arrays_of(step.cells);
  for (const auto& [name, values] : step.probes) probes[py::str(name)] = values;
  result["probes"] = probes;
  result["components"] = labels;
  return result;
}

// "heat": the program for the case, which is a text or else in the file, with these overrides.
std::string program_of(const std::string& path, const std::optional<std::string>& text,
                       const std::vector<std::string>& overrides) {
  CaseValue root = parse_case(text ? *text : text_of_case(path), path);
  for (const std::string& each : overrides) apply_override(root, each);
  return closest_program(root).substr(std::string_view("ritz-").size());
}

// The report as JSON, the steps, the mesh: points [node][3] and nodes of cells by their kinds, and the resolved case.
py::tuple run(const CaseCall& called, const std::string& output, bool check, bool overwrite,
              const py::object& progress) {
  RunOptions options = called.options();
  options.output = output;
  options.check = check;
  options.overwrite = overwrite;
  std::vector<SolvedStep> steps;
  options.take = [&](SolvedStep step) { steps.push_back(std::move(step)); };
  std::string report, resolved;
  MeshArrays mesh;
  without_the_lock(
      [&] {
        const Program program = program_named(called.program);
        report = to_json(call(program.info, options, [&](Run& running) {
          run_case(running, program.read);
          const CallerCells rows = called.cells(running.mesh());
          for (SolvedStep& step : steps)
            for (Field& field : step.cells) field.values = rows.out(field.values, field.components);
          mesh = MeshArrays::of(running.mesh(), rows);
          resolved = running.input().resolved();
        }));
      },
      progress);
  py::list shown;
  for (SolvedStep& step : steps) shown.append(dict_of(step));
  return py::make_tuple(report, shown, std::move(mesh), resolved);
}

py::dict regions_of(const MeshArrays& mesh) {
  py::dict regions;
  for (const MeshArrays::Group& group : mesh.groups) {
    py::dict parts = regions.contains(group.name) ? regions[py::str(group.name)].cast<py::dict>() : py::dict();
    for (const auto& [kind, cells] : group.cells)
      parts[py::str(std::string(traits(kind).name))] =
          py::array_t<Index>(static_cast<py::ssize_t>(cells.size()), cells.data());
    if (!group.nodes.empty())
      parts["nodes"] = py::array_t<Node>(static_cast<py::ssize_t>(group.nodes.size()), group.nodes.data());
    regions[py::str(group.name)] = parts;
  }
  return regions;
}

py::list blocks_of(const MeshArrays& mesh) {
  py::list blocks;
  for (const auto& [kind, nodes] : mesh.blocks) {
    const auto count = static_cast<py::ssize_t>(traits(kind).node_count);
    py::array_t<std::int64_t> array({static_cast<py::ssize_t>(nodes.size()) / count, count});
    std::copy(nodes.begin(), nodes.end(), array.mutable_data());
    blocks.append(py::make_tuple(std::string(traits(kind).name), array));
  }
  return blocks;
}

}  // namespace

void bind_runs(py::module_& module) {
  py::class_<MeshArrays>(module, "MeshArrays")
      .def(py::init(&mesh_arrays))
      .def_property_readonly(
          "points",
          [](const MeshArrays& mesh) {
            return adopt(std::vector<double>(mesh.points), {static_cast<py::ssize_t>(mesh.points.size()) / 3, 3});
          })
      .def_property_readonly("blocks", &blocks_of)
      .def_property(
          "order",
          [](const MeshArrays& mesh) {
            return py::array_t<Index>(static_cast<py::ssize_t>(mesh.order.size()), mesh.order.data());
          },
          [](MeshArrays& mesh, const Longs& order) {
            const auto span = span_of(order);
            mesh.order.assign(span.begin(), span.end());
          })
      .def_property_readonly("regions", &regions_of);
  py::class_<CaseCall>(module, "CaseCall")
      .def(py::init<std::string, std::string, std::optional<std::string>, std::vector<std::string>, const MeshArrays*,
                    const Arrays&, std::string, int, bool>(),
           py::keep_alive<1, 6>());
  module.def("run", &run);
  module.def("program_of", &program_of);
  module.def("materials", &materials_as_json);
  module.def("read_mesh", [](const std::string& file, double scale, bool structural) {
    MeshArrays mesh;
    threads_may_start();
    without_the_lock([&] { mesh = MeshArrays::of(read_mesh(file, {.scale = scale, .structural = structural})); });
    return mesh;
  });
}

}  // namespace ritz::python
