#include "io/results/file_field.hpp"

#include "io/files/input_file.hpp"
#include "io/files/text_file.hpp"
#include "io/hdf5/hdf5_tree.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <cstdint>
#include <memory>
#include <utility>

#include <fmt/ranges.h>

namespace ritz {
namespace {

// The value of an attribute between `from` and the end of its tag; empty without it.
std::string attribute(std::string_view tag, std::string_view name) {
  const std::string start = fmt::format("{}=\"", name);
  const std::size_t found = tag.find(start);
  if (found == std::string_view::npos) return {};
  tag.remove_prefix(found + start.size());
  std::string value(tag.substr(0, tag.find('"')));
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
  std::string_view left(index.begin(), static_cast<std::size_t>(index.end() - index.begin()));
  for (std::size_t found = left.find("<DataSet "); found != std::string_view::npos; found = left.find("<DataSet ")) {
    left.remove_prefix(found);
    const std::string_view tag = left.substr(0, left.find('>'));
    const std::string time = attribute(tag, "timestep");
    SeriesStep step{0, attribute(tag, "file")};
    const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), step.time);
    if (error != std::errc{} || end != time.data() + time.size() || step.file.empty())
      index.fail(tag.data(), "a step has no time or no file", {}, "write the results again");
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
  throw Error(Exit::input, fmt::format("'{}' has no step at the time {:g}", path, *time),
              times.size() > 20 ? fmt::format("it has {} from {:g} to {:g}", times.size(), times.front(), times.back())
                                : fmt::format("it has {:g}", fmt::join(times, ", ")),
              "name one of them");
}

bool is_hdf5(const std::string& extension) {
  return extension == ".h5" || extension == ".hdf5" || extension == ".vtkhdf";
}

// Rows of one number, or of several.
FileField field_of_hdf5(const std::string& path, const FieldName& field) {
  refuse_outside(path);
  const std::unique_ptr<Hdf5Tree> tree = Hdf5Tree::open(path);
  if (!tree->has(field.name)) {
    const std::size_t slash = field.name.rfind('/');
    const std::string group = slash == std::string::npos || slash == 0 ? "/" : field.name.substr(0, slash);
    const std::vector<std::string> names =
        tree->has(group) || group == "/" ? tree->children(group) : std::vector<std::string>();
    throw Error(
        Exit::input, fmt::format("'{}' has no field '{}' at its points or in its cells", path, field.name),
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

FileField read_file_field(const std::string& path, const FieldName& field) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (is_hdf5(extension)) return field_of_hdf5(path, field);
  if (extension != ".pvd" && extension != ".vtu")
    throw Error(Exit::input, fmt::format("'{}' is not read as results", path),
                "fields are read from .vtu, .pvd and HDF5 (.h5, .hdf5, .vtkhdf)",
                "write those results with [output] format = \"vtu\"");
  FileField result{.file = extension == ".pvd" ? file_at(path, field.time) : path};
  refuse_outside(result.file);
  VtuField read = read_vtu_field(result.file, field.name, field.place, field.structures);
  result.in_cells = read.in_cells;
  result.components = read.components;
  result.values = std::move(read.values);
  result.mesh = std::move(read.mesh);
  return result;
}

}  // namespace ritz
