#include "io/meshes/mesh_reader.hpp"

#include "io/files/mapped_file.hpp"
#include "io/files/text_case.hpp"
#include "io/hdf5/hdf5_tree.hpp"
#include "io/meshes/gmsh_reader.hpp"
#include "io/meshes/inp_reader.hpp"
#include "io/meshes/other_readers.hpp"
#include "io/vtk/vtu_reader.hpp"
#include "mesh/lower_order.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include <fmt/core.h>

namespace ritz {
namespace {

enum class MeshFormat { gmsh, inp, vtu, pvtu, vtk, medit, medit_binary, nastran, mfem, exodus, med, cgns, unknown };

constexpr const char* supported =
    "Ritz reads Gmsh .msh (2.2 and 4.1), Abaqus and CalculiX .inp, VTK .vtu, .pvtu and .vtk (unstructured grids), "
    "MEDIT .mesh and .meshb, "
    "MFEM .mesh, Nastran .bdf, Exodus II .e and .exo, MED .med, and CGNS .cgns";

// 80 bytes of title, a count, and 50 bytes per triangle.
bool is_binary_stl(std::string_view bytes) {
  if (bytes.size() < 84) return false;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  return bytes.size() == 84 + std::size_t{50} * count;
}

// Describes the type of a file by its first bytes, for messages.
std::string describe_content(std::string_view bytes, const std::string& extension) {
  if (bytes.starts_with("\x1f\x8b")) return "it is compressed (gzip); unpack it first";
  if (bytes.starts_with("@(#)ADF Database"))
    return "it is a CGNS file in the older form ADF; turn it into HDF5 with adf2hdf (Debian: cgns-convert)";
  if (bytes.starts_with("ISO-10303-21"))
    return "it is a STEP file: geometry without a mesh; mesh it first (gmsh -3 part.step -o part.msh)";
  if (bytes.starts_with("\x89HDF"))
    return "it is an HDF5 file of results (VTKHDF), which Ritz does not read as a mesh; give the mesh that the results "
           "are for";
  if (extension == ".stl" || is_binary_stl(bytes) ||
      (bytes.starts_with("solid ") && bytes.find("facet normal") != std::string_view::npos))
    return "it is an STL file: triangles of a surface without a volume; mesh the volume first, for example in Gmsh "
           "with "
           "Merge \"part.stl\"; Surface Loop(1) = {1}; Volume(1) = {1}; and gmsh -3";
  return {};
}

bool looks_like_nastran(std::string_view head) {
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t stop = std::min(head.find('\n', at), head.size());
    const std::string_view line = head.substr(at, stop - at);
    for (const std::string_view start : {"GRID ", "GRID*", "GRID,", "BEGIN BULK", "CEND", "SOL "})
      if (line.starts_with(start)) return true;
    at = stop + 1;
  }
  return false;
}

bool is_medit_binary(std::string_view bytes) {
  std::int32_t numbers[3] = {};
  if (bytes.size() < sizeof(numbers)) return false;
  std::memcpy(numbers, bytes.data(), sizeof(numbers));
  return (numbers[0] == 1 || numbers[0] == 0x01000000) && numbers[1] >= 1 && numbers[1] <= 4 && numbers[2] == 3;
}

// Which of the formats that are kept in HDF5: MED and CGNS have groups that no other has; the rest is netCDF-4.
MeshFormat recognise_hdf5(const std::string& path) {
  const std::unique_ptr<Hdf5Tree> tree = Hdf5Tree::open(path);
  if (tree->has("/ENS_MAA")) return MeshFormat::med;
  if (tree->has("/CGNSLibraryVersion")) return MeshFormat::cgns;
  if (tree->has("/VTKHDF")) return MeshFormat::unknown;
  return MeshFormat::exodus;
}

MeshFormat recognise(const std::string& path, std::string_view bytes) {
  if (bytes.starts_with("\x89HDF")) return recognise_hdf5(path);
  if (bytes.starts_with("CDF")) return MeshFormat::exodus;
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const std::size_t start = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  const std::string_view head = bytes.substr(start, 4096);
  const std::string extension = lower_extension(path);
  if (head.starts_with("$") && extension != ".bdf" && extension != ".nas" && extension != ".dat" && extension != ".fem")
    return MeshFormat::gmsh;
  if (head.starts_with("<")) {
    if (head.find("PUnstructuredGrid") != std::string_view::npos) return MeshFormat::pvtu;
    return head.find("VTKFile") != std::string_view::npos || extension == ".vtu" ? MeshFormat::vtu
                                                                                 : MeshFormat::unknown;
  }
  if (!describe_content(bytes, extension).empty()) return MeshFormat::unknown;
  if (head.starts_with("# vtk")) return MeshFormat::vtk;
  if (head.starts_with("MFEM ")) return MeshFormat::mfem;
  if (is_medit_binary(bytes) || extension == ".meshb") return MeshFormat::medit_binary;
  if (head.find("MeshVersionFormatted") != std::string_view::npos) return MeshFormat::medit;
  if (extension == ".msh") return MeshFormat::gmsh;
  if (head.starts_with("*") || extension == ".inp") return MeshFormat::inp;
  if (extension == ".vtu") return MeshFormat::vtu;
  if (extension == ".mesh") return MeshFormat::medit;
  if (extension == ".bdf" || extension == ".nas" || extension == ".fem" || looks_like_nastran(head))
    return MeshFormat::nastran;
  return MeshFormat::unknown;
}

}  // namespace

MeshData read_mesh_data(const std::string& path, std::vector<std::string>* notices, bool structural,
                        std::vector<std::string>* points) {
  std::vector<std::string> own_notices;
  std::vector<std::string>& said = notices != nullptr ? *notices : own_notices;
  MeshFormat format;
  std::string content;
  {
    const MappedFile head(path, false);
    format = recognise(path, head.bytes());
    content = describe_content(head.bytes(), lower_extension(path));
  }
  const bool has_structures = format == MeshFormat::gmsh || format == MeshFormat::inp ||
                              format == MeshFormat::nastran || format == MeshFormat::exodus ||
                              format == MeshFormat::med || format == MeshFormat::cgns;
  if (structural && !has_structures)
    throw Error(Exit::mesh, fmt::format("'{}' cannot be read as a mesh of beams and shells", path),
                "lines and surfaces in space are read from Gmsh .msh, Abaqus and CalculiX .inp, Nastran, Exodus II, "
                "MED and CGNS",
                "convert it: meshio convert mesh.vtu mesh.msh");
  switch (format) {
    case MeshFormat::gmsh: return read_gmsh(path, notices, structural, points);
    case MeshFormat::inp: return read_inp(path, notices, structural);
    case MeshFormat::vtu: return read_vtu(path, notices);
    case MeshFormat::pvtu: return read_vtu(path, notices, VtkFormat::parallel);
    case MeshFormat::vtk: return read_vtu(path, notices, VtkFormat::legacy);
    case MeshFormat::medit: return read_medit(path, said);
    case MeshFormat::medit_binary: return read_medit_binary(path, said);
    case MeshFormat::nastran: return read_nastran(path, said, structural);
    case MeshFormat::mfem: return read_mfem(path, said);
    case MeshFormat::exodus: return read_exodus(path, said, structural);
    case MeshFormat::med: return read_med(path, said, structural);
    case MeshFormat::cgns: return read_cgns(path, said, structural);
    case MeshFormat::unknown: break;
  }
  throw Error(Exit::mesh, fmt::format("the format of the mesh file '{}' is not known", path),
              content.empty() ? "neither its content nor its extension is that of a mesh that Ritz reads" : content,
              supported);
}

Mesh read_mesh(const std::string& path, const ReadOptions& options) {
  if (!std::isfinite(options.scale) || options.scale <= 0)
    throw Error(Exit::input, fmt::format("the scale of mesh '{}' is {}", path, options.scale),
                "lengths are multiplied by it", "give a positive number, 0.001 for a mesh drawn in millimetres");
  std::vector<std::string> own_notices;
  std::vector<std::string>& said = options.notices != nullptr ? *options.notices : own_notices;
  MeshData data = read_mesh_data(path, &said, options.structural, options.points);
  if (options.scale != 1)
    transform_points(data, [scale = options.scale](std::span<double, 3> x) {
      for (double& coordinate : x) coordinate *= scale;
    });
  try {
    return Mesh(std::move(data), options.checks);
  } catch (const Errors&) { throw; } catch (const Error& error) {
    const auto lowered = std::ranges::find_if(said, tells_of_lower_order);
    // not about the shape of cells
    if (lowered == said.end() || error.message().find(" of kind ") == std::string::npos) throw;
    throw Error(error.exit(), error.message(), *lowered + (error.why().empty() ? "" : "; else " + error.why()),
                "refine the mesh there, in the program that made it, or let it write order 2");
  }
}

}  // namespace ritz
