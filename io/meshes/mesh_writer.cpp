#include "io/meshes/mesh_writer.hpp"

#include "io/files/text_case.hpp"
#include "io/meshes/gmsh_writer.hpp"
#include "io/meshes/inp_writer.hpp"
#include "io/vtk/vtu_writer.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace ritz {
namespace {}  // namespace

void check_writable_format(const std::string& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".msh" || extension == ".vtu" || extension == ".inp") return;
  throw Error(ErrorKind::command_line, fmt::format("meshes cannot be written as '{}'", path),
              extension.empty() ? "it has no extension" : fmt::format("'{}' is not known", extension),
              "Ritz writes .msh (Gmsh 4.1), .vtu (VTK) and .inp (Abaqus, CalculiX)");
}

void write_mesh(const std::string& path, const Mesh& mesh, const WriteOptions& options) {
  check_writable_format(path);
  Index curved = 0;
  for (const CellBlock& block : mesh.blocks()) curved += std::ssize(block.curved.cells);
  if (curved > 0 && options.notices != nullptr)
    options.notices->push_back(
        fmt::format("{} cell{} with a map of order 3 or more {} written to '{}' with nodes of order 2, which lose it",
                    curved, curved == 1 ? "" : "s", curved == 1 ? "is" : "are", path));
  const std::string extension = lower_extension(path);
  if (extension == ".msh") return write_gmsh(path, mesh, {.binary = !options.text});
  if (extension == ".inp") return write_inp(path, mesh, options.plane_type, options.notices);
  for (const CellBlock& block : mesh.blocks())
    if (block.kind == CellKind::pyramid14 && options.notices != nullptr)
      options.notices->push_back(fmt::format(
          "the {} pyramids of 14 nodes in '{}' were written with 13: VTK has no others", block.cell_count(), path));
  write_vtu(path, mesh, {}, {}, {.region_tables = true});
}

}  // namespace ritz
