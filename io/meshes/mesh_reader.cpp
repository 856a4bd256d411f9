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
#include <initializer_list>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ritz {
namespace {

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

// The beginning of a file, by which its format is recognised.
class Head {
 public:
  Head(const std::string& path, std::string_view bytes)
      : path_(path), bytes_(bytes), extension_(lower_extension(path)) {
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
    text_ = bytes.substr(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()), 4096);
    description_ = describe_content(bytes_, extension_);
  }
  std::string_view bytes() const { return bytes_; }
  std::string_view text() const { return text_; }  // without blanks before it
  const std::string& description() const { return description_; }
  bool starts(std::string_view word) const { return text_.starts_with(word); }
  bool has(std::string_view word) const { return text_.find(word) != std::string_view::npos; }
  bool ends(std::initializer_list<std::string_view> extensions) const {
    return std::ranges::find(extensions, extension_) != extensions.end();
  }
  bool is_hdf5() const { return bytes_.starts_with("\x89HDF"); }
  bool has_group(const char* name) const {
    if (!is_hdf5()) return false;
    if (!tree_) tree_ = Hdf5Tree::open(path_);
    return tree_->has(name);
  }

 private:
  const std::string& path_;
  std::string_view bytes_, text_;
  std::string extension_, description_;
  mutable std::unique_ptr<Hdf5Tree> tree_;
};

bool is_universal(const Head& head) {
  std::string_view text = head.text();
  if (!text.starts_with("-1")) return false;
  text.remove_prefix(2);
  const std::size_t number = text.find_first_not_of(" \t\r\n");
  return number != std::string_view::npos && text.substr(0, number).find('\n') != std::string_view::npos &&
         text[number] >= '1' && text[number] <= '9';
}

struct ReadInto {
  std::vector<std::string>& notices;
  bool structural;
  std::vector<std::string>* points;
  const std::set<std::string>* section_keys;
};

// A format: what messages call it, how its files begin or else end, and its reader. The first row that fits is taken.
struct MeshFormat {
  const char* name;
  bool has_structures;  // lines and surfaces as bodies
  bool (*begins)(const Head&);
  std::initializer_list<std::string_view> extensions;
  MeshData (*read)(const std::string& path, const ReadInto& into);
};

const MeshFormat formats[] = {
    {"Gmsh .msh (2.2 and 4.1)",
     true,
     [](const Head& head) {
       return head.starts("$") && !head.ends({".bdf", ".nas", ".dat", ".fem"});
     },
     {".msh"},
     [](const std::string& path, const ReadInto& into) {
       return read_gmsh(path, &into.notices, into.structural, into.points);
     }},
    {"Abaqus and CalculiX .inp",
     true,
     [](const Head& head) { return head.starts("*"); },
     {".inp"},
     [](const std::string& path, const ReadInto& into) { return read_inp(path, &into.notices, into.structural); }},
    {"VTK .pvtu",
     false,
     [](const Head& head) { return head.starts("<") && head.has("PUnstructuredGrid"); },
     {},
     [](const std::string& path, const ReadInto& into) { return read_vtu(path, &into.notices, VtkFormat::parallel); }},
    {".vtu",
     false,
     [](const Head& head) { return head.starts("<") && head.has("VTKFile"); },
     {".vtu"},
     [](const std::string& path, const ReadInto& into) { return read_vtu(path, &into.notices); }},
    {".vtk (unstructured grids)",
     false,
     [](const Head& head) { return head.starts("# vtk"); },
     {},
     [](const std::string& path, const ReadInto& into) { return read_vtu(path, &into.notices, VtkFormat::legacy); }},
    {"MEDIT .mesh",
     false,
     [](const Head& head) { return head.has("MeshVersionFormatted"); },
     {".mesh"},
     [](const std::string& path, const ReadInto& into) { return read_medit(path, into.notices); }},
    {".meshb",
     false,
     [](const Head& head) { return is_medit_binary(head.bytes()); },
     {".meshb"},
     [](const std::string& path, const ReadInto& into) { return read_medit_binary(path, into.notices); }},
    {"MFEM .mesh",
     false,
     [](const Head& head) { return head.starts("MFEM "); },
     {},
     [](const std::string& path, const ReadInto& into) { return read_mfem(path, into.notices); }},
    {"Nastran .bdf",
     true,
     [](const Head& head) { return looks_like_nastran(head.text()); },
     {".bdf", ".nas", ".fem"},
     [](const std::string& path, const ReadInto& into) {
       return read_nastran(path, into.notices, into.structural, into.section_keys);
     }},
    {"MED .med",
     true,
     [](const Head& head) { return head.has_group("/ENS_MAA"); },
     {},
     [](const std::string& path, const ReadInto& into) { return read_med(path, into.notices, into.structural); }},
    {"CGNS .cgns",
     true,
     [](const Head& head) { return head.has_group("/CGNSLibraryVersion"); },
     {},
     [](const std::string& path, const ReadInto& into) { return read_cgns(path, into.notices, into.structural); }},
    {"Exodus II .e and .exo",
     true,  // in HDF5: what no other format has
     [](const Head& head) { return head.bytes().starts_with("CDF") || (head.is_hdf5() && !head.has_group("/VTKHDF")); },
     {},
     [](const std::string& path, const ReadInto& into) { return read_exodus(path, into.notices, into.structural); }},
    {"I-DEAS universal .unv",
     true,
     is_universal,
     {".unv"},
     [](const std::string& path, const ReadInto& into) { return read_universal(path, into.notices, into.structural); }},
};

const MeshFormat* format_of(const Head& head) {
  for (const MeshFormat& format : formats)
    if (format.begins(head)) return &format;
  if (!head.description().empty()) return nullptr;
  for (const MeshFormat& format : formats)
    if (head.ends(format.extensions)) return &format;
  return nullptr;
}

std::string names_of_formats(bool of_structures) {
  std::vector<std::string> names;
  for (const MeshFormat& format : formats)
    if (format.has_structures || !of_structures) names.emplace_back(format.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

MeshData read_mesh_data(const std::string& path, std::vector<std::string>* notices, bool structural,
                        std::vector<std::string>* points, const std::set<std::string>* section_keys) {
  std::vector<std::string> own_notices;
  std::vector<std::string>& said = notices != nullptr ? *notices : own_notices;
  const MeshFormat* format = nullptr;
  std::string content;
  {
    const MappedFile file(path, false);
    const Head head(path, file.bytes());
    format = format_of(head);
    content = head.description();
  }
  if (format == nullptr)
    throw Error(ErrorKind::mesh_format, fmt::format("the format of the mesh file '{}' is not known", path),
                content.empty() ? "neither its content nor its extension is that of a mesh that Ritz reads" : content,
                "Ritz reads " + names_of_formats(false));
  if (structural && !format->has_structures)
    throw Error(ErrorKind::mesh_format, fmt::format("'{}' cannot be read as a mesh of beams and shells", path),
                "lines and surfaces in space are read from " + names_of_formats(true),
                "convert it: meshio convert mesh.vtu mesh.msh");
  return format->read(path, {said, structural, points, section_keys});
}

Mesh read_mesh(const std::string& path, const ReadOptions& options) {
  if (!std::isfinite(options.scale) || options.scale <= 0)
    throw Error(ErrorKind::wrong_value, fmt::format("the scale of mesh '{}' is {}", path, options.scale),
                "lengths are multiplied by it", "give a positive number, 0.001 for a mesh drawn in millimetres");
  std::vector<std::string> own_notices;
  std::vector<std::string>& said = options.notices != nullptr ? *options.notices : own_notices;
  MeshData data = read_mesh_data(path, &said, options.structural, options.points, options.section_keys);
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
    throw Error(error.kind(), error.message(), *lowered + (error.why().empty() ? "" : "; else " + error.why()),
                "refine the mesh there, in the program that made it, or let it write order 2");
  }
}

}  // namespace ritz
