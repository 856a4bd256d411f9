#include "apps/cases/initial_values.hpp"

#include "io/files/input_file.hpp"
#include "io/results/file_field.hpp"
#include "mesh/quality/quality.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <memory>
#include <optional>

namespace ritz {
namespace {

// Throws Error: Exit::input where the field is none of this mesh.
void check_mesh(const FileField& field, const Mesh& mesh) {
  const char* fix = "name results on the same mesh, with [output] cells = \"mesh\"";
  const auto count = static_cast<Index>(field.count());
  if (field.in_cells || count != mesh.node_count())
    throw Error(ErrorKind::initial_values,
                fmt::format("'{}' has {} {}, and the mesh has {} nodes", field.file, count,
                            field.in_cells ? "cells" : "points", mesh.node_count()),
                "initial values are taken at the nodes of the mesh", fix);
  if (!field.mesh) return;
  const double tolerance = 1e-6 * bounding_box(mesh).diagonal();  // files may hold 32-bit numbers
  for (Index node = 0; node < count; ++node) {
    const auto x = mesh.point(node);
    const double* y = field.mesh->points.data() + 3 * node;
    if (std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]) > tolerance)
      throw Error(
          ErrorKind::initial_values,
          fmt::format("'{}' has point {} at ({:g}, {:g}, {:g}), and the mesh has its node at ({:g}, {:g}, {:g})",
                      field.file, node, y[0], y[1], y[2], x[0], x[1], x[2]),
          "initial values are taken at the nodes of the mesh", fix);
  }
}

void check_field(const FileField& field, const std::string& name, int components) {
  if (field.components != components)
    throw Error(ErrorKind::initial_values,
                fmt::format("the field '{}' of '{}' has {} components", name, field.file, field.components),
                fmt::format("the unknown has {}", components), "name a field of the unknown's kind");
  const auto wrong = std::ranges::find_if(field.values, [](double value) { return !std::isfinite(value); });
  if (wrong != field.values.end())
    throw Error(ErrorKind::initial_values,
                fmt::format("the field '{}' of '{}' is {} at point {}", name, field.file, *wrong,
                            (wrong - field.values.begin()) / components),
                {}, "name a field with a number at every node");
}

InitialValues values_of_file(Run& run, const Case::Table& initial, const std::string& unknown, int components) {
  const std::string file = initial.path(
      "file", "the values are a field of another run on the same mesh: its .pvd, .vtu or .pvtu", {.must_exist = true});
  const std::string name = initial.text("field", "at the nodes, in that file", {.fallback = unknown});
  std::optional<double> time;
  if (initial.has("time")) time = initial.number("time", "of the step in a .pvd; by default the last one");
  if (file.empty() || is_outside(file) || !lack_of_input(file).empty()) return {};  // said before, or a survey
  try {
    FileField field = read_file_field(file, {.name = name, .place = FieldPlace::nodes, .time = time});
    run.input().add_file(field.file);
    put_in_order_of(run.mesh(), field);
    check_mesh(field, run.mesh());
    check_field(field, name, components);
    const auto values = std::make_shared<const std::vector<double>>(std::move(field.values));
    return [values](const Model& model) { return model.space.from_mesh(*values).host(); };
  } catch (const Error& error) { initial.error("file", error); }
  return {};
}

}  // namespace

InitialPart read_initial_part(const Case::Table& initial, const std::string& key, const std::string& about, int first,
                              int count) {
  InitialPart part{initial.formulas(key, about, count), first};
  for (const Formula& value : part.formulas)
    if (value.depends_on_time())
      initial.error(ErrorKind::wrong_value, key, fmt::format("'{}' depends on t", value.text()),
                    "the start is one moment, t = 0", "give a number, or a formula of the position");
  return part;
}

std::vector<double> values_at_nodes(const std::vector<InitialPart>& parts, const FunctionSpace& space) {
  const auto nodes = static_cast<std::size_t>(space.node_count()),
             components = static_cast<std::size_t>(space.components());
  std::vector<double> points, values(nodes), u(nodes * components, 0.0);
  for (std::size_t n = 0; n < nodes; ++n) {
    const Point x = space.point(static_cast<Node>(n));
    points.insert(points.end(), x.begin(), x.end());
  }
  for (const InitialPart& part : parts)
    for (std::size_t c = 0; c < part.formulas.size() && static_cast<std::size_t>(part.first) + c < components; ++c) {
      part.formulas[c].at(points, values);
      for (std::size_t n = 0; n < nodes; ++n) u[n * components + static_cast<std::size_t>(part.first) + c] = values[n];
    }
  return u;
}

InitialValues initial_values(std::vector<InitialPart> parts) {
  return [parts = std::move(parts)](const Model& model) {
    std::vector<double> all;
    for (const FunctionSpace& space : model.spaces()) {
      const std::vector<double> own = values_at_nodes(parts, space);
      all.insert(all.end(), own.begin(), own.end());
    }
    return all;
  };
}

ReadInitialValues read_initial(Run& run, const std::string& key, const std::string& field, int components) {
  const Case::Table initial = run.input().table("initial", "the state at the start");
  if (initial.has("file")) {
    if (initial.has(key))
      initial.refuse(ErrorKind::model_options, key, fmt::format("'{}' was given with a file", key),
                     "both are initial values", "omit one of them");
    return {values_of_file(run, initial, field, components)};
  }
  const char* about = components == 1 ? "a number or a formula" : "a number or a formula for each component";
  InitialPart all = read_initial_part(initial, key, about, 0, components);
  if (key != field) initial.open_to_plugins(key);  // whose unknown may be a plugin's
  const bool by_position = all.depends_on_position();
  return {initial_values({std::move(all)}), by_position};
}

}  // namespace ritz
