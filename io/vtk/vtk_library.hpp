// Functions that need VTK: the table of the module ritz_vtk (io/files/late_library.hpp). Private to io; all others call
// write_vtu() and read_vtu().
#pragma once

#include "io/vtk/unstructured_grid.hpp"
#include "io/vtk/vtu_reader.hpp"
#include "io/vtk/vtu_writer.hpp"
#include "io/vtk/written_cells.hpp"

namespace ritz {

struct VtkLibrary {
  UnstructuredGrid (*read)(const std::string& path, VtkFormat format, const std::string& array);
  void (*write_mesh)(const std::string& path, const Mesh& mesh, std::span<const Field> point_fields,
                     std::span<const Field> cell_fields, const VtuOptions& options);
  void (*write_cells)(const std::string& path, const MeshData& data, std::span<const Field> cell_fields);
  void (*write_piece)(const std::string& path, const WrittenCells& cells, const WrittenRegions& regions,
                      std::span<const Field> point_fields, std::span<const Field> cell_fields,
                      const VtuOptions& options);
  const char* (*version)();
};

const VtkLibrary& vtk_library();

// An XML file as VTK reads it, in a child process, with its arrays of this name at points and in cells; empty: with
// none.
UnstructuredGrid read_grid(const std::string& path, VtkFormat format, const std::string& array = {});

// In the module.
namespace with_vtk {
// Reads XML files. It may crash on a damaged one: to be called in a child process (io/files/child_process.hpp).
UnstructuredGrid read(const std::string& path, VtkFormat format, const std::string& array);
void write_mesh(const std::string& path, const Mesh& mesh, std::span<const Field> point_fields,
                std::span<const Field> cell_fields, const VtuOptions& options);
void write_cells(const std::string& path, const MeshData& data, std::span<const Field> cell_fields);
// Without tables of regions.
void write_piece(const std::string& path, const WrittenCells& cells, const WrittenRegions& regions,
                 std::span<const Field> point_fields, std::span<const Field> cell_fields, const VtuOptions& options);
}  // namespace with_vtk

}  // namespace ritz
