// VTK's reader of XML files in a child process, where a damaged file can do no harm.
#include "io/files/child_process.hpp"
#include "io/files/input_file.hpp"
#include "io/vtk/vtk_library.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace ritz {
namespace {

void put_array(Channel& to, const GridArray& array) {
  to.put(array.components);
  to.put_numbers(array.values);
}
GridArray get_array(Channel& from) {
  const int components = from.get<int>();
  return {std::max(components, 1), from.numbers<double>()};
}

void put_arrays(Channel& to, const std::map<std::string, GridArray>& arrays) {
  to.put(arrays.size());
  for (const auto& [name, array] : arrays) {
    to.put_text(name);
    put_array(to, array);
  }
}
std::map<std::string, GridArray> get_arrays(Channel& from) {
  std::map<std::string, GridArray> arrays;
  for (auto left = from.get<std::size_t>(); left > 0; --left) {
    std::string name = from.text();
    arrays[std::move(name)] = get_array(from);
  }
  return arrays;
}

void put_grid(Channel& to, const UnstructuredGrid& grid) {
  to.put_numbers(grid.points);
  to.put_numbers(grid.types);
  to.put_numbers(grid.offsets);
  to.put_numbers(grid.connectivity);
  put_arrays(to, grid.cell_arrays);
  put_array(to, grid.degrees);
  to.put_numbers(grid.ghosts);
  put_arrays(to, grid.point_arrays);
  to.put_texts(grid.cell_array_names);
  to.put_texts(grid.point_array_names);
  put_arrays(to, grid.field_arrays);
  to.put(grid.field_texts.size());
  for (const auto& [name, texts] : grid.field_texts) {
    to.put_text(name);
    to.put_texts(texts);
  }
  to.put(grid.has_pieces);
}
UnstructuredGrid get_grid(Channel& from) {
  UnstructuredGrid grid;
  grid.points = from.numbers<double>();
  grid.types = from.numbers<std::uint8_t>();
  grid.offsets = from.numbers<std::int64_t>();
  grid.connectivity = from.numbers<std::int64_t>();
  grid.cell_arrays = get_arrays(from);
  grid.degrees = get_array(from);
  grid.ghosts = from.numbers<std::uint8_t>();
  grid.point_arrays = get_arrays(from);
  grid.cell_array_names = from.texts();
  grid.point_array_names = from.texts();
  grid.field_arrays = get_arrays(from);
  for (auto left = from.get<std::size_t>(); left > 0; --left) {
    std::string name = from.text();
    grid.field_texts[std::move(name)] = from.texts();
  }
  grid.has_pieces = from.get<bool>();
  return grid;
}

}  // namespace

UnstructuredGrid read_grid(const std::string& path, VtkFormat format, const std::string& array) {
  if (format == VtkFormat::parallel && reads_one_folder_only())
    throw Error(ErrorKind::wrong_value, fmt::format("'{}' is not read with --untrusted", path),
                "its pieces are other files, which VTK opens itself", "save it as one .vtu");
  const VtkLibrary& vtk = vtk_library();
  ChildProcess child({.file = path, .library = "VTK"}, [&](Channel& parent) {
    ChildProcess::respond(
        parent, [&] { return vtk.read(path, format, array); }, put_grid);
  });
  return child.answer(get_grid);
}

}  // namespace ritz
