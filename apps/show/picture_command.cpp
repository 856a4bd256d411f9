#include "apps/show/picture_command.hpp"

#include "apps/run/named_outputs.hpp"
#include "apps/show/picture.hpp"
#include "io/files/atomic_file.hpp"
#include "io/results/file_field.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace ritz {
namespace {

// A mesh of lines, or of surfaces that leave the plane z = constant, is one of bars and shells.
void find_structure(MeshData& data) {
  std::set<int> dimensions;
  for (const CellBlock& block : data.blocks) dimensions.insert(traits(block.kind).dimension);
  bool is_flat = true;
  for (std::size_t i = 2; i < data.points.size(); i += 3) is_flat = is_flat && data.points[i] == data.points[2];
  data.structural = !dimensions.empty() && *dimensions.rbegin() < 3 && (*dimensions.begin() == 1 || !is_flat);
}

Field field_of(const FileField& from, const std::string& name) { return {name, from.components, from.values}; }

Look look_of(const PictureCommand& command) {
  Look look = command.look;
  if (command.size.size() == 2) {
    look.width = command.size[0];
    look.height = command.size[1];
  }
  if (command.limits.size() == 2) look.limits = {command.limits[0], command.limits[1]};
  if (look.field.empty()) look.field = first_field(command.result, command.time);
  return look;
}

// At points where they have it, else in cells.
FileField coloured_field(const PictureCommand& command, const std::string& name) {
  const auto read = [&](FieldPlace place) {
    return read_file_field(command.result, {.name = name, .place = place, .time = command.time});
  };
  if (command.in_cells) return read(FieldPlace::cells);
  try {
    return read(FieldPlace::any);
  } catch (const Error& refused) {
    try {
      return read(FieldPlace::nodes);
    } catch (const Error&) { throw refused; }
  }
}

void refuse_existing(const PictureCommand& command) {
  std::error_code unknown;
  if (is_same_file(command.file, command.result))
    throw Error(Exit::input, fmt::format("there is no room for a picture at '{}'", command.file),
                "it is the result that is drawn", "name another file");
  if (!command.overwrite && std::filesystem::exists(command.file, unknown))
    throw Error(Exit::output, fmt::format("'{}' exists already", command.file), "files are not overwritten",
                "name another file, or add --force");
}

}  // namespace

std::string draw(const PictureCommand& command) {
  refuse_existing(command);
  const Look look = look_of(command);
  FileField shade = coloured_field(command, look.field);
  if (!shade.mesh)
    throw Error(Exit::input, fmt::format("'{}' has no mesh that could be drawn", command.result),
                "fields of HDF5 files are rows of numbers", "take a .pvd, .vtu or .pvtu file of a run");
  std::vector<Field> nodal, cells;
  (shade.in_cells ? cells : nodal).push_back(field_of(shade, look.field));
  if (!look.warp.empty() && (look.warp != look.field || shade.in_cells))
    nodal.push_back(
        field_of(read_file_field(command.result, {.name = look.warp, .place = FieldPlace::nodes, .time = command.time}),
                 look.warp));
  find_structure(*shade.mesh);
  Shown shown{Mesh(*std::move(shade.mesh))};
  shown.add("", nodal, cells);
  write_file(command.file,
             png_of(shown, shown.steps().back(), look, std::filesystem::path(shade.file).stem().string()));
  return fmt::format("picture: {}, of '{}' in {}\n", command.file, look.field, shade.file);
}

}  // namespace ritz
