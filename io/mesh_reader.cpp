#include "io/mesh_reader.hpp"

#include "io/gmsh_reader.hpp"
#include "io/inp_reader.hpp"
#include "io/mapped_file.hpp"
#include "io/vtu_reader.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/core.h>

namespace ritz {
namespace {

enum class MeshFormat { gmsh, inp, vtu, unknown };

constexpr const char* supported =
    "Ritz reads Gmsh .msh (version 2.2 and 4.1, text and binary), Abaqus and CalculiX .inp, and VTK .vtu (unstructured grids)";

std::string lower_extension(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return extension;
}

// What the first bytes say that the file is, for people.
std::string describe_content(std::string_view bytes) {
  if (bytes.starts_with("\x1f\x8b")) return "it is compressed (gzip); unpack it first";
  if (bytes.starts_with("\x89HDF")) return "it is an HDF5 file";
  if (bytes.starts_with("CDF")) return "it is a netCDF file (Exodus?)";
  if (bytes.starts_with("# vtk")) return "it is a legacy VTK file; ParaView can save it as .vtu";
  if (bytes.starts_with("MFEM")) return "it is an MFEM mesh";
  return {};
}

MeshFormat recognise(const std::string& path, std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  const std::size_t start = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  const std::string_view head = bytes.substr(start, 4096);
  const std::string extension = lower_extension(path);
  if (head.starts_with("$")) return MeshFormat::gmsh;
  if (head.starts_with("<")) return head.find("VTKFile") != std::string_view::npos || extension == ".vtu"
                                        ? MeshFormat::vtu : MeshFormat::unknown;
  if (!describe_content(bytes).empty()) return MeshFormat::unknown;
  if (extension == ".msh") return MeshFormat::gmsh;
  if (head.starts_with("*") || extension == ".inp") return MeshFormat::inp;
  if (extension == ".vtu") return MeshFormat::vtu;
  return MeshFormat::unknown;
}

}  // namespace

MeshData read_mesh_data(const std::string& path, std::vector<std::string>* notices) {
  MeshFormat format;
  std::string content;
  {
    const MappedFile head(path, false);
    format = recognise(path, head.bytes());
    content = describe_content(head.bytes());
  }
  switch (format) {
    case MeshFormat::gmsh: return read_gmsh(path, notices);
    case MeshFormat::inp: return read_inp(path, notices);
    case MeshFormat::vtu: return read_vtu(path, notices);
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
  MeshData data = read_mesh_data(path, options.notices);
  if (options.scale != 1)
    for (double& coordinate : data.points) coordinate *= options.scale;
  return Mesh(std::move(data), options.checks);
}

}  // namespace ritz
