#include "io/vtk/vtk_library.hpp"

#include "io/files/late_library.hpp"

#include <filesystem>

#include <fmt/core.h>

namespace ritz {

const VtkLibrary& vtk_library() {
  static const auto& library = *static_cast<const VtkLibrary*>(late_library("ritz_vtk", "ritz_vtk", "VTK"));
  return library;
}

void write_vtu(const std::string& path, const Mesh& mesh, std::span<const Field> point_fields,
               std::span<const Field> cell_fields, const VtuOptions& options) {
  vtk_library().write_mesh(path, mesh, point_fields, cell_fields, options);
}

void write_vtu(const std::string& path, const Mesh& mesh, std::initializer_list<Field> point_fields,
               std::initializer_list<Field> cell_fields, const VtuOptions& options) {
  write_vtu(path, mesh, std::span(point_fields.begin(), point_fields.size()),
            std::span(cell_fields.begin(), cell_fields.size()), options);
}

void write_vtu(const std::string& path, const MeshData& data, std::span<const Field> cell_fields) {
  vtk_library().write_cells(path, data, cell_fields);
}

std::string piece_path(const std::string& path, int piece) {
  const std::filesystem::path whole(path);
  return (whole.parent_path() / fmt::format("{}.p{}{}", whole.stem().string(), piece, whole.extension().string()))
      .string();
}

}  // namespace ritz
