#include "apps/show/picture_command.hpp"

#include "apps/run/named_outputs.hpp"
#include "apps/show/picture.hpp"
#include "io/files/atomic_file.hpp"
#include "io/results/file_field.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

Field field_of(const FileField& from, const std::string& name) { return {name, from.components, from.values}; }

Look look_of(const PictureCommand& command) {
  Look look = command.look;
  if (look.factor && !std::isfinite(*look.factor))
    throw Error(ErrorKind::command_line, fmt::format("--factor {:g} moves no points", *look.factor), {},
                "give a finite number");
  if (command.size.size() == 2) {
    look.width = command.size[0];
    look.height = command.size[1];
  }
  if (command.limits.size() == 2) {
    look.limits = {command.limits[0], command.limits[1]};
    if (!std::isfinite(command.limits[1] - command.limits[0]) || command.limits[0] >= command.limits[1])
      throw Error(ErrorKind::command_line,
                  fmt::format("--limits {:g} {:g} are no limits of colours", command.limits[0], command.limits[1]),
                  "the second number is not above the first", "give the lowest value and then the highest");
  }
  if (look.field.empty()) look.field = first_field(command.result, command.time);
  return look;
}

FieldName named(const PictureCommand& command, const std::string& name, FieldPlace place) {
  return {.name = name, .place = place, .time = command.time, .structures = true};
}

FileField coloured_field(const PictureCommand& command, const std::string& name) {
  const FieldPlace place = command.in_cells ? FieldPlace::cells : FieldPlace::nodes_first;
  return read_file_field(command.result, named(command, name, place));
}

void require_png(const std::string& file) {
  std::string extension = std::filesystem::path(file).extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  if (extension != ".png")
    throw Error(ErrorKind::wrong_value, fmt::format("'{}' is not the name of a picture that can be made", file),
                "pictures are PNG files", fmt::format("name it '{}.png'", file));
}

// `read`: the step of the results, where it is known.
void require_new(const PictureCommand& command, const std::string& read) {
  if (is_same_file(command.file, read))
    throw Error(ErrorKind::show, fmt::format("the name '{}' is taken", command.file), "the results have it",
                "name another file");
  std::error_code unknown;
  if (!command.overwrite && std::filesystem::exists(command.file, unknown))
    throw Error(ErrorKind::results_exist, fmt::format("'{}' exists already", command.file), "files are not overwritten",
                "name another file, or add --force");
}

}  // namespace

std::string draw(const PictureCommand& command) {
  require_new(command, command.result);
  const Look look = look_of(command);
  FileField shade = coloured_field(command, look.field);
  require_new(command, shade.file);
  require_png(command.file);
  if (!shade.mesh)
    throw Error(ErrorKind::show, fmt::format("'{}' has no mesh that could be drawn", command.result),
                "fields of HDF5 files are rows of numbers", "take a .pvd, .vtu or .pvtu file of a run");
  std::vector<Field> nodal, cells;
  (shade.in_cells ? cells : nodal).push_back(field_of(shade, look.field));
  if (!look.warp.empty() && (look.warp != look.field || shade.in_cells))
    nodal.push_back(field_of(read_file_field(command.result, named(command, look.warp, FieldPlace::nodes)), look.warp));
  Shown shown{Mesh(*std::move(shade.mesh))};
  shown.add("", nodal, cells);
  write_file(command.file,
             png_of(shown, shown.steps().back(), look, std::filesystem::path(shade.file).stem().string()));
  return fmt::format("picture: {}, of '{}' in {}\n", command.file, look.field, shade.file);
}

}  // namespace ritz
