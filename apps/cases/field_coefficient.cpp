#include "apps/cases/field_coefficient.hpp"

#include "fem/physics/mesh_field.hpp"
#include "io/meshes/mesh_reader.hpp"
#include "io/results/point_field.hpp"
#include "mesh/quality/quality.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace ritz {
namespace {

void check_scalar(const PointField& field, const std::string& name) {
  if (field.components != 1)
    throw Error(Exit::input,
                fmt::format("the field '{}' of '{}' has {} components", name, field.file, field.components),
                "one number is needed at a point", "name a field of one component");
  const auto wrong = std::ranges::find_if(field.values, [](double value) { return !std::isfinite(value); });
  if (wrong != field.values.end())
    throw Error(
        Exit::input,
        fmt::format("the field '{}' of '{}' is {} at point {}", name, field.file, *wrong, wrong - field.values.begin()),
        {}, "name a field with a number at every node");
}

bool is_on(const PointField& field, const Mesh& mesh) {
  const double tolerance = 1e-6 * bounding_box(mesh).diagonal();  // files may hold 32-bit numbers
  return std::ranges::equal(field.points, mesh.points(),
                            [tolerance](double a, double b) { return std::abs(a - b) <= tolerance; });
}

// On another mesh: that of the file itself.
Coefficient on_its_own_mesh(Run& run, PointField field, const std::string& name) {
  const auto source = std::make_shared<const Mesh>(read_mesh(field.file));
  if (source->node_count() != static_cast<Index>(field.values.size()))
    throw Error(
        Exit::input,
        fmt::format("'{}' has {} points, and its mesh {} nodes", field.file, field.values.size(), source->node_count()),
        {}, "name results with [output] cells = \"mesh\"");
  const Misfit off = misfit(run.mesh(), *source);
  run.log().line("'{}' of '{}': from {} nodes of another mesh{}", name, field.file, source->node_count(),
                 off.nodes == 0 ? ""
                                : fmt::format("; {} nodes lie outside of it, by at most {:.3g} m, and take the value "
                                              "at its nearest point",
                                              off.nodes, off.distance));
  return mesh_field(source, std::move(field.values));
}

}  // namespace

Coefficient read_field_coefficient(Run& run, const Case::Table& t, const std::string& name) {
  const std::string file =
      t.path("file", "a field of another run, on this mesh or another of the same part: its .pvd or .vtu",
             {.must_exist = true});
  const std::string chosen = t.text("field", "at the nodes, in that file", {.fallback = name});
  std::optional<double> time;
  if (t.has("time")) {
    time = t.number("time", "of the step in a .pvd; by default the last one");
    if (file.ends_with(".vtu"))
      t.refuse("time", "'time' was given with a .vtu", "it holds one step", "omit it, or name the .pvd");
  }
  std::error_code none;
  if (file.empty() || !std::filesystem::is_regular_file(file, none)) return 0;  // said before, or a survey
  try {
    PointField field = read_point_field(file, chosen, time);
    check_scalar(field, chosen);
    if (!is_on(field, run.mesh())) return on_its_own_mesh(run, std::move(field), chosen);
    const std::shared_ptr<const Mesh> own(std::shared_ptr<void>(), &run.mesh());
    return mesh_field(own, std::move(field.values));
  } catch (const Error& error) { t.error("file", error.message(), error.why(), error.fix(), error.exit()); }
  return 0;
}

}  // namespace ritz
