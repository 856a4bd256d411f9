#include "apps/cases/field_coefficient.hpp"

#include "apps/cases/shared_model.hpp"
#include "fem/physics/mesh_field.hpp"
#include "io/files/byte_size.hpp"
#include "io/files/input_file.hpp"
#include "io/results/file_field.hpp"
#include "mesh/quality/quality.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace ritz {
namespace {

// One number of each node or cell.
std::vector<double> component_of(const FileField& field, const std::string& name, std::int64_t component) {
  if (component >= field.components || (component < 0 && field.components != 1))
    throw Error(ErrorKind::initial_values,
                fmt::format("the field '{}' of '{}' has {} components", name, field.file, field.components),
                "one number is needed at a point",
                fmt::format("give component = 0{}, or name another field",
                            field.components > 1 ? fmt::format(" ... {}", field.components - 1) : ""));
  std::vector<double> result(field.count());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = field.values[i * static_cast<std::size_t>(field.components) +
                             static_cast<std::size_t>(std::max<std::int64_t>(component, 0))];
  return result;
}

bool has_mesh(const Mesh& mesh, const MeshData& data) {
  return std::ranges::equal(data.points, mesh.points()) &&
         std::ranges::equal(data.blocks, mesh.blocks(), [](const CellBlock& a, const CellBlock& b) {
           return a.kind == b.kind && a.nodes == b.nodes && a.curved.cells == b.curved.cells &&
                  a.curved.points == b.curved.points;
         });
}

// The same points, and the same cells: files may hold 32-bit numbers.
bool is_same(const Mesh& mesh, const MeshData& other, bool cells_too) {
  const double tolerance = 1e-6 * bounding_box(mesh).diagonal();
  if (!std::ranges::equal(other.points, mesh.points(),
                          [tolerance](double a, double b) { return std::abs(a - b) <= tolerance; }))
    return false;
  return !cells_too || std::ranges::equal(other.blocks, mesh.blocks(), [](const CellBlock& a, const CellBlock& b) {
    return a.kind == b.kind && a.nodes == b.nodes;
  });
}

// A field on the mesh of this run, from HDF5: its rows are counted.
MeshField on_this_mesh(const FileField& field, std::vector<double> values, FieldPlace place, const Mesh& mesh) {
  const auto count = static_cast<Index>(values.size());
  const bool fits = (place != FieldPlace::cells && count == mesh.node_count()) ||
                    (place != FieldPlace::nodes && count == mesh.cell_count());
  if (!fits)
    throw Error(ErrorKind::initial_values,
                fmt::format("'{}' has {} points, and its mesh {} nodes and {} cells", field.file, count,
                            mesh.node_count(), mesh.cell_count()),
                "a dataset has one row for each node or cell of the case's mesh", "name a field on this mesh");
  const auto is_of_one_kind = [&](const CellBlock& block) { return block.kind == mesh.blocks().front().kind; };
  const bool in_cells = place == FieldPlace::cells || count != mesh.node_count();
  if (in_cells && !std::ranges::all_of(mesh.blocks(), is_of_one_kind))
    throw Error(ErrorKind::initial_values,
                fmt::format("'{}' has values in cells, and the mesh has cells of several kinds", field.file),
                "their order in the file of the mesh is not that in which Ritz keeps them, kind by kind",
                "put the array into a .vtu with the mesh, or give values at the nodes");
  if (place == FieldPlace::any && mesh.node_count() == mesh.cell_count())
    throw Error(ErrorKind::initial_values,
                fmt::format("'{}' has as many rows as the mesh has nodes, and cells", field.file), {},
                "say which ones: at = \"nodes\" or at = \"cells\"");
  return {mesh, GivenArray{std::move(values), !in_cells}};
}

// Reads the keys of a field, which [[field]] and [thermal] share.
class FieldReader {
 public:
  FieldReader(Run& run, const Case::Table& t, const Mesh& mesh, std::string fallback)
      : run_(run), t_(t), mesh_(mesh), name_(std::move(fallback)) {
    path_ = t.path("file",
                   "a field of another run or an array of a mesh file, on this mesh or another of the same part: .pvd, "
                   ".vtu, .pvtu, or HDF5 with a row for each node or cell of this mesh",
                   {.must_exist = true});
    name_ = t.text("field", "its name in that file; in HDF5 the path of a dataset", {.fallback = name_});
    const std::string at =
        t.choice("at", "where it has values; any: where the file has it", {"any", "nodes", "cells"}, "any");
    place_ = at == "nodes" ? FieldPlace::nodes : at == "cells" ? FieldPlace::cells : FieldPlace::any;
    component_ =
        t.integer("component", "of a field of several, from 0; -1: it has one", {.fallback = -1, .minimum = -1});
    if (t.has("time")) {
      time_ = t.number("time", "of the step in a .pvd; by default the last one");
      if (!path_.empty() && !path_.ends_with(".pvd"))
        t.refuse(ErrorKind::model_options, "time",
                 "'time' was given with a " + std::filesystem::path(path_).extension().string(), "it holds one step",
                 "omit it, or name the .pvd");
    }
    const std::vector<GivenNumber> of_mesh = run.input().given_numbers("mesh", "scale");
    const double own = is_mesh_file() && !of_mesh.empty() ? of_mesh.front().value : 1;
    scale_ =
        t.number("scale", "factor on the coordinates of the file, 0.001 for one in mm; that of [mesh] for its file",
                 {.fallback = own, .above = 0});
  }

  // Nothing where it is wrong, which was said, or in a survey.
  std::optional<MeshField> read() {
    if (path_.empty() || is_outside(path_) || !lack_of_input(path_).empty()) return std::nullopt;
    const auto known = std::ranges::find(run_.shared().fields, key(), &SharedModel::KnownField::key);
    if (known != run_.shared().fields.end()) {
      file_ = known->file;
      run_.input().add_file(file_);
      for (const std::string& line : known->told) run_.log().line("{}", line);
      return known->field;
    }
    try {
      FileField field = read_file_field(path_, {.name = name_, .place = place_, .time = time_});
      file_ = field.file;
      run_.input().add_file(file_);
      if (!field.mesh) return on_this_mesh(field, component_of(field, name_, component_), place_, mesh_);
      if (scale_ != 1)
        transform_points(*field.mesh, [this](std::span<double, 3> x) {
          for (double& each : x) each *= scale_;
        });
      put_in_order_of(mesh_, field);
      std::vector<double> values = component_of(field, name_, component_);
      if (is_same(mesh_, *field.mesh, field.in_cells))
        return MeshField(mesh_, GivenArray{std::move(values), !field.in_cells});
      return on_its_own_mesh(std::move(*field.mesh), GivenArray{std::move(values), !field.in_cells});
    } catch (const Error& error) { t_.error("file", error); }
    return std::nullopt;
  }

  // The file that was read: of a series the step.
  const std::string& file() const { return file_; }

 private:
  bool is_mesh_file() const {
    std::error_code none;
    return std::filesystem::equivalent(path_, run_.report().mesh_file, none);
  }

  // Names the file as it is now, and what is taken of it.
  std::string key() const {
    std::error_code none;
    return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", path_, std::filesystem::file_size(path_, none),
                       std::filesystem::last_write_time(path_, none).time_since_epoch().count(), name_,
                       static_cast<int>(place_), component_, time_ ? fmt::format("{}", *time_) : "", scale_);
  }

  // The mesh of an earlier field where it is equal, so that points that were found in it need no other search.
  Mesh mesh_of(MeshData data) {
    for (const SharedModel::KnownField& each : run_.shared().fields)
      if (has_mesh(each.field.mesh(), data)) return each.field.mesh();
    return Mesh(std::move(data));
  }

  MeshField on_its_own_mesh(MeshData data, GivenArray array) {
    MeshField field(mesh_of(std::move(data)), std::move(array));
    const Misfit off = field.misfit(mesh_);
    std::vector<std::string> told = {
        fmt::format("'{}' of '{}': from {} {} of another mesh, with {} for the search of points{}", name_, file_,
                    field.at_nodes() ? field.mesh().node_count() : field.mesh().cell_count(),
                    field.at_nodes() ? "nodes" : "cells", text_of_bytes(field.bytes()),
                    off.nodes == 0 ? ""
                                   : fmt::format("; {} nodes lie outside of it, by at most {:.3g}{}, and take the "
                                                 "value at its nearest point",
                                                 off.nodes, off.distance, units_of(run_.report()).of(" m")))};
    const Coefficient value = PointFunction(field);
    const double there = integral_over(field.mesh(), value), here = integral_over(mesh_, value);
    if (std::isfinite(there) && std::isfinite(here))
      told.push_back(
          fmt::format("'{}': its integral is {:.8g} over its mesh, {:.8g} over this one", name_, there, here));
    for (const std::string& line : told) run_.log().line("{}", line);
    run_.shared().fields.push_back({key(), field, file_, std::move(told)});
    return field;
  }

  Run& run_;
  const Case::Table& t_;
  const Mesh& mesh_;
  std::string path_, name_, file_;
  FieldPlace place_;
  std::int64_t component_;
  std::optional<double> time_;
  double scale_;
};

// `of`: " of 'scan.vtu'"
CaseField case_field(const MeshField& field, const std::string& name, const std::string& of) {
  const auto tell = [field, name, of](const EvaluationPoints& point) {
    const MeshField::Sample sample = field.sample(point);
    return std::isnan(sample.value) ? fmt::format("'{}' has no value in cell {}{}", name, sample.cell, of)
                                    : fmt::format("'{}' is {:g} in cell {}{}", name, sample.value, sample.cell, of);
  };
  return {PointExpression::input({.field = field}), tell};
}

}  // namespace

Coefficient read_field_coefficient(Run& run, const Case::Table& t, const std::string& name) {
  FieldReader reader(run, t, run.mesh(), name);
  std::optional<MeshField> field = reader.read();
  if (!field) return 0;
  return PointFunction(*std::move(field));
}

void read_fields(Run& run, const Mesh& mesh) {
  for (const Case::Table& t :
       run.input().tables("field", "a field that formulas use by its name: an array of a file, at nodes or in cells")) {
    const std::string name = t.text("name", "by which formulas call it, as x or t");
    FieldReader reader(run, t, mesh, name);
    if (const std::optional<MeshField> field = reader.read())
      run.input().add_field(t, name, case_field(*field, name, fmt::format(" of '{}'", reader.file())));
    else
      run.input().add_field(t, name, {PointExpression::input({.function = [](const auto&, double, auto values) {
                              std::ranges::fill(values, 1.0);
                            }})});
  }
}

void vary_by_cells(Run& run, const Mesh& mesh, const std::string& key) {
  run.input().vary(key, [&run, mesh, key](double number) {
    const MeshField field(mesh, {std::vector<double>(static_cast<std::size_t>(mesh.cell_count()), number), false});
    run.arrays().insert_or_assign(key, field);
    return case_field(field, key, "");
  });
}

void require_one_each(const std::string& name, const GivenArray& array, const Mesh& mesh) {
  const Index needed = array.at_nodes ? mesh.node_count() : mesh.cell_count();
  if (static_cast<Index>(array.values.size()) == needed) return;
  throw Error(ErrorKind::model_options,
              fmt::format("the array '{}' has {} numbers, and the mesh {} {}", name, array.values.size(), needed,
                          array.at_nodes ? "nodes" : "cells"),
              {}, array.at_nodes ? "give one for each node" : "give one for each cell of the body, in their order");
}

std::map<std::string, MeshField> take_arrays(const GivenArrays& arrays, const Mesh& mesh, Case& input) {
  std::map<std::string, MeshField> result;
  CaseFields fields;
  for (const auto& [name, array] : arrays) {
    require_one_each(name, array, mesh);
    const MeshField& field = result.emplace(name, MeshField(mesh, array)).first->second;
    fields.emplace(name, case_field(field, name, ""));
  }
  input.give(std::move(fields));
  return result;
}

}  // namespace ritz
