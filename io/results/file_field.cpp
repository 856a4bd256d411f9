#include "io/results/file_field.hpp"

#include "io/files/included_files.hpp"
#include "io/files/input_file.hpp"
#include "io/files/text_file.hpp"
#include "io/hdf5/hdf5_tree.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include <fmt/ranges.h>

namespace ritz {
namespace {

// The value of an attribute of a tag; empty without it.
std::string attribute(std::string_view tag, std::string_view name) {
  const std::string start = fmt::format("{}=", name);
  std::size_t found = tag.find(start);
  while (found != std::string_view::npos &&
         (found == 0 || std::isspace(static_cast<unsigned char>(tag[found - 1])) == 0))
    found = tag.find(start, found + 1);
  if (found == std::string_view::npos || found + start.size() == tag.size()) return {};
  tag.remove_prefix(found + start.size());
  const char quote = tag.front();
  tag.remove_prefix(1);
  std::string value(tag.substr(0, tag.find(quote)));
  for (const auto& [code, letter] :
       {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&quot;", "\""}, std::pair{"&amp;", "&"}})
    for (std::size_t at = value.find(code); at != std::string::npos; at = value.find(code, at + 1))
      value.replace(at, std::string_view(code).size(), letter);
  return value;
}

struct SeriesStep {
  double time;
  std::string file;  // relative to the index
};

// The steps of an index for ParaView.
std::vector<SeriesStep> steps_of(const std::string& path) {
  const TextFile index(path);
  std::vector<SeriesStep> steps;
  std::map<double, std::string> part_at;
  std::string_view left(index.begin(), static_cast<std::size_t>(index.end() - index.begin()));
  for (std::size_t found = left.find("<DataSet"); found != std::string_view::npos; found = left.find("<DataSet")) {
    left.remove_prefix(found);
    const std::string_view tag = left.substr(0, left.find('>'));
    const std::string time = attribute(tag, "timestep");
    SeriesStep step{0, attribute(tag, "file")};
    const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), step.time);
    if (error != std::errc{} || end != time.data() + time.size() || step.file.empty())
      index.fail(tag.data(), "a step has no time or no file", {}, "write the results again");
    const std::string part = attribute(tag, "part");
    if (part_at.try_emplace(step.time, part).first->second != part)
      index.fail(tag.data(), fmt::format("the step at {:g} has several parts", step.time),
                 "each is a file of its own, and one would be read without the others",
                 "name one of the files, or write them as one .pvtu");
    steps.push_back(std::move(step));
    left.remove_prefix(tag.size());
  }
  if (steps.empty()) index.fail(index.begin(), "the index names no step", {}, "name the results of a complete run");
  return steps;
}

std::string file_at(const std::string& path, std::optional<double> time) {
  const std::vector<SeriesStep> steps = steps_of(path);
  const auto beside = [&](const SeriesStep& step) {
    return (std::filesystem::path(path).parent_path() / step.file).lexically_normal().string();
  };
  if (!time) return beside(steps.back());
  for (const SeriesStep& step : steps)
    if (std::abs(step.time - *time) <= 1e-9 * std::max(std::abs(*time), std::abs(step.time))) return beside(step);
  std::vector<double> times;
  for (const SeriesStep& step : steps) times.push_back(step.time);
  throw Error(ErrorKind::initial_values, fmt::format("'{}' has no step at the time {:g}", path, *time),
              times.size() > 20 ? fmt::format("it has {} from {:g} to {:g}", times.size(), times.front(), times.back())
                                : fmt::format("it has {:g}", fmt::join(times, ", ")),
              "name one of them");
}

bool is_hdf5(const std::string& extension) {
  return extension == ".h5" || extension == ".hdf5" || extension == ".vtkhdf";
}

bool is_grid(const std::string& extension) { return extension == ".vtu" || extension == ".pvtu"; }

// The nodes of a mesh by their places; nodes that coincide are one.
class Places {
 public:
  explicit Places(std::span<const double> points) {
    for (std::size_t i = 0; i + 2 < points.size(); i += 3)
      number_.try_emplace({points[i], points[i + 1], points[i + 2]}, static_cast<Node>(i / 3));
  }
  // -1: no node is there.
  Node at(std::span<const double, 3> x) const {
    const auto found = number_.find({x[0], x[1], x[2]});
    return found == number_.end() ? -1 : found->second;
  }

 private:
  std::map<std::array<double, 3>, Node> number_;
};

// [cell of the mesh] the cell of the field's mesh with the same nodes; empty: one has none. node: [node of the mesh].
std::vector<Index> cells_in_order(const Mesh& mesh, const MeshData& other, const std::vector<Node>& node) {
  std::map<std::vector<Node>, Index> number;
  const Places places(other.points);
  for (const CellBlock& block : other.blocks)
    for (Index cell = 0; cell < block.cell_count(); ++cell) {
      std::vector<Node> nodes;
      for (const Node each : block.cell(cell))
        nodes.push_back(
            places.at(std::span<const double, 3>(other.points.data() + 3 * static_cast<std::size_t>(each), 3)));
      std::ranges::sort(nodes);
      number[std::move(nodes)] = block.first_cell + cell;
    }
  std::vector<Index> cells;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    std::vector<Node> nodes;
    for (const Node each : mesh.nodes_of(cell)) nodes.push_back(node[static_cast<std::size_t>(each)]);
    std::ranges::sort(nodes);
    const auto found = number.find(nodes);
    if (found == number.end()) return {};
    cells.push_back(found->second);
  }
  return std::ssize(number) == mesh.cell_count() ? cells : std::vector<Index>();
}

// [entry][component] of these entries; -1: 0.
template <class Number>
std::vector<double> rearranged(const std::vector<double>& values, int components, const std::vector<Number>& entries) {
  const auto width = static_cast<std::size_t>(components);
  std::vector<double> result(entries.size() * width, 0.0);
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i] >= 0)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(entries[i]) * width), width,
                  result.begin() + static_cast<std::ptrdiff_t>(i * width));
  return result;
}

// Rows of one number, or of several.
FileField field_of_hdf5(const std::string& path, const FieldName& field) {
  require_inside(path);
  const std::unique_ptr<Hdf5Tree> tree = Hdf5Tree::open(path);
  if (!tree->has(field.name)) {
    const std::size_t slash = field.name.rfind('/');
    const std::string group = slash == std::string::npos || slash == 0 ? "/" : field.name.substr(0, slash);
    const std::vector<std::string> names =
        tree->has(group) || group == "/" ? tree->children(group) : std::vector<std::string>();
    throw Error(
        ErrorKind::initial_values,
        fmt::format("'{}' has no field '{}' at its points or in its cells", path, field.name),
        names.empty() ? "there is no such group" : fmt::format("the group '{}' has {}", group, quoted_list(names)),
        "give the path of a dataset, as in \"/VTKHDF/CellData/conductivity\"");
  }
  FileField result{.file = path, .in_cells = field.place == FieldPlace::cells, .values = tree->reals(field.name)};
  const std::vector<std::uint64_t> shape = tree->shape(field.name);
  if (shape.size() > 1 && shape[0] > 0) result.components = static_cast<int>(result.values.size() / shape[0]);
  return result;
}

}  // namespace

std::vector<std::string> files_of_series(const std::string& path) {
  std::vector<std::string> files;
  for (const SeriesStep& step : steps_of(path))
    files.push_back((std::filesystem::path(path).parent_path() / step.file).lexically_normal().string());
  return files;
}

namespace {

// The .vtu or .pvtu of a step.
std::string grid_at(const std::string& path, std::optional<double> time) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension != ".pvd" && !is_grid(extension))
    throw Error(ErrorKind::initial_values, fmt::format("'{}' is not read as results", path),
                "fields are read from .vtu, .pvtu, .pvd and HDF5 (.h5, .hdf5, .vtkhdf)",
                "write those results with [output] format = \"vtu\"");
  if (time && extension != ".pvd")
    throw Error(ErrorKind::initial_values, fmt::format("'{}' has no step at the time {:g}", path, *time),
                "it is one step", "name the .pvd file of the run, or no time");
  std::string file = extension == ".pvd" ? file_at(path, time) : path;
  for (const std::string& each : with_included_files(file)) require_inside(each);
  return file;
}

}  // namespace

std::string first_field(const std::string& path, std::optional<double> time) {
  const std::string file = grid_at(path, time);
  const std::vector<std::string> names = vtu_fields(file);
  if (names.empty())
    throw Error(ErrorKind::initial_values, fmt::format("'{}' has no field", file), {}, "name another file");
  return names.front();
}

FileField read_file_field(const std::string& path, const FieldName& field) {
  if (is_hdf5(std::filesystem::path(path).extension().string())) return field_of_hdf5(path, field);
  FileField result{.file = grid_at(path, field.time)};
  VtuField read = read_vtu_field(result.file, field.name, field.place, field.structures);
  result.in_cells = read.in_cells;
  result.components = read.components;
  result.values = std::move(read.values);
  result.mesh = std::move(read.mesh);
  return result;
}

void put_in_order_of(const Mesh& mesh, FileField& field) {
  if (!field.file.ends_with(".pvtu") || !field.mesh) return;
  const Places places(field.mesh->points);
  std::vector<Node> node(static_cast<std::size_t>(mesh.node_count()), -1);
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    for (const Node each : mesh.nodes_of(cell))
      if (node[static_cast<std::size_t>(each)] < 0) {
        const Node there = places.at(mesh.point(each));
        if (there < 0) return;
        node[static_cast<std::size_t>(each)] = there;
      }
  const std::vector<Index> cells = cells_in_order(mesh, *field.mesh, node);
  if (cells.empty()) return;
  field.values = field.in_cells ? rearranged(field.values, field.components, cells)
                                : rearranged(field.values, field.components, node);
  const std::span<const double> points = mesh.points();
  field.mesh->points.assign(points.begin(), points.end());
  field.mesh->blocks.assign(mesh.blocks().begin(), mesh.blocks().end());
  field.mesh->regions.clear();
}

}  // namespace ritz
