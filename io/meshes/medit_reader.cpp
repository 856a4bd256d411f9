// MEDIT's .mesh (Frey, "MEDIT: an interactive mesh visualization software", INRIA RT-0253, 2001) and its binary
// relative .meshb (Marechal, libMeshb).
#include "io/meshes/other_readers.hpp"

#include "io/files/token_reader.hpp"
#include "io/meshes/raw_mesh.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include <fmt/format.h>

namespace ritz {
namespace {

struct MeditSection {
  std::string_view name;
  int code;  // in binary files
  CellKind kind;
};

// Edge nodes of P2 cells follow the corners in the order 12 23 31 14 24 34, which is VTK's.
constexpr std::array sections{
    MeditSection{"Edges", 5, CellKind::line2},          MeditSection{"Triangles", 6, CellKind::tri3},
    MeditSection{"Quadrilaterals", 7, CellKind::quad4}, MeditSection{"Tetrahedra", 8, CellKind::tet4},
    MeditSection{"Prisms", 9, CellKind::prism6},        MeditSection{"Pentahedra", 9, CellKind::prism6},
    MeditSection{"Hexahedra", 10, CellKind::hex8},      MeditSection{"Hexaedra", 10, CellKind::hex8},
    MeditSection{"Pyramids", 49, CellKind::pyramid5},   MeditSection{"TrianglesP2", 24, CellKind::tri6},
    MeditSection{"EdgesP2", 25, CellKind::line3},       MeditSection{"TetrahedraP2", 30, CellKind::tet10}};

// Cells that we have not: leaving them out would leave holes. The order of their nodes is not fixed: files say it, or
// leave it open.
constexpr std::array refused_sections{
    MeditSection{"QuadrilateralsQ2", 27, {}}, MeditSection{"HexahedraQ2", 33, {}},
    MeditSection{"PrismsP2", 86, {}},         MeditSection{"PyramidsP2", 87, {}},
    MeditSection{"EdgesP3", 92, {}},          MeditSection{"TrianglesP3", 90, {}},
    MeditSection{"QuadrilateralsQ3", 88, {}}, MeditSection{"TetrahedraP3", 96, {}},
    MeditSection{"HexahedraQ3", 98, {}},      MeditSection{"PyramidsP3", 100, {}},
    MeditSection{"PrismsP3", 102, {}},        MeditSection{"EdgesP4", 93, {}},
    MeditSection{"TrianglesP4", 91, {}},      MeditSection{"QuadrilateralsQ4", 89, {}},
    MeditSection{"TetrahedraP4", 97, {}},     MeditSection{"HexahedraQ4", 99, {}},
    MeditSection{"PyramidsP4", 101, {}},      MeditSection{"PrismsP4", 103, {}}};

class Contents {
 public:
  explicit Contents(std::string path) { raw_.source = std::move(path); }

  void add_point(const double* x, int dimension, std::int64_t reference) {
    for (int k = 0; k < 3; ++k) raw_.points.push_back(k < dimension ? x[k] : 0);
    if (reference != 0) nodes_[reference].push_back(static_cast<Node>(raw_.points.size() / 3 - 1));
  }
  // Node numbers count from 1; those that fit no 32 bits become -1, which no mesh has.
  void add_cell(CellKind kind, const std::int64_t* numbers, std::int64_t reference) {
    std::vector<Node>& nodes = raw_.nodes_of(kind);
    const int n = traits(kind).node_count;
    const Index position = raw_.cell_count(kind);
    for (int i = 0; i < n; ++i)
      nodes.push_back(numbers[i] >= 1 && numbers[i] <= 0x7fffffff ? static_cast<Node>(numbers[i] - 1) : Node{-1});
    if (reference != 0)
      append(raw_.group(numbered_group(traits(kind).dimension, reference)).cells, {kind, position, 1});
  }
  MeshData mesh(std::vector<std::string>& notices) {
    for (auto& [reference, nodes] : nodes_) raw_.group(fmt::format("nodes_{}", reference)).nodes = std::move(nodes);
    return mesh_of(std::move(raw_), notices);
  }
  Index node_count() const { return static_cast<Index>(raw_.points.size() / 3); }

 private:
  RawMesh raw_;
  std::map<std::int64_t, std::vector<Node>> nodes_;
};

const MeditSection* section_named(std::span<const MeditSection> list, std::string_view name) {
  for (const MeditSection& section : list)
    if (section.name == name) return &section;
  return nullptr;
}

bool starts_word(const char* position) {
  return (*position >= 'A' && *position <= 'Z') || (*position >= 'a' && *position <= 'z');
}

}  // namespace

std::string numbered_group(int dimension, std::int64_t number) {
  constexpr std::array names{"point", "curve", "surface", "volume"};
  return fmt::format("{}_{}", names[static_cast<std::size_t>(dimension)], number);
}

MeshData read_medit(const std::string& path, std::vector<std::string>& notices) {
  const TextFile file(path);
  TokenReader tokens(file);
  Contents contents(path);
  std::int64_t dimension = 0;
  std::string ignored;
  bool ended = false;
  while (!ended && !tokens.at_end()) {
    const char* start = tokens.next();
    const std::string_view name = tokens.word("a keyword");
    if (name == "MeshVersionFormatted") {
      tokens.integer("the version of the format");
    } else if (name == "Dimension") {
      dimension = tokens.integer("the dimension");
      if (dimension != 2 && dimension != 3)
        file.fail(start, fmt::format("the dimension is {}", dimension), "it must be 2 or 3");
    } else if (name == "Vertices") {
      if (dimension == 0) file.fail(start, "Vertices come before the Dimension");
      const std::int64_t count = tokens.count("the number of vertices", 2 * dimension + 2);
      for (std::int64_t i = 0; i < count; ++i) {
        double x[3] = {};
        for (int k = 0; k < dimension; ++k) x[k] = tokens.real("a coordinate");
        contents.add_point(x, static_cast<int>(dimension), tokens.integer("the reference of a vertex"));
      }
    } else if (const MeditSection* section = section_named(sections, name)) {
      const int n = traits(section->kind).node_count;
      const std::int64_t count = tokens.count("the number of cells", 2 * n + 2);
      for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t numbers[32];
        for (int k = 0; k < n; ++k) {
          const char* place = tokens.next();
          numbers[k] = tokens.integer("the number of a vertex");
          if (numbers[k] < 1)
            file.fail(place, fmt::format("a cell uses vertex {}", numbers[k]), "vertices are counted from 1");
        }
        contents.add_cell(section->kind, numbers, tokens.integer("the reference of a cell"));
      }
    } else if (section_named(refused_sections, name) != nullptr) {
      file.fail(start, fmt::format("cells '{}' are not supported", name),
                "Ritz reads MEDIT's cells of order 1, and P2 edges, triangles and tetrahedra");
    } else if (name == "End") {
      ended = true;
    } else {
      if (!starts_word(start)) file.fail_expected(start, "a keyword such as Vertices");
      ignored += fmt::format("{}{}", ignored.empty() ? "" : ", ", name);
      while (!tokens.at_end() && !starts_word(tokens.next())) tokens.word("a number");
    }
  }
  if (!ended) notices.push_back(fmt::format("'{}' does not close with End: check that it was not cut short", path));
  if (!ignored.empty()) notices.push_back(fmt::format("ignored in '{}': {}", path, ignored));
  return contents.mesh(notices);
}

namespace {

// Reads from a .meshb; every place is checked against the file's size.
class Bytes {
 public:
  Bytes(const std::string& path, std::string_view bytes) : path_(&path), bytes_(bytes) {}
  std::size_t position() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  template <class T>
  T get(const char* what) {
    if (left() < sizeof(T)) fail(fmt::format("expected {}, but only {} bytes are left", what, left()));
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  std::int64_t integer(bool wide, const char* what) { return wide ? get<std::int64_t>(what) : get<std::int32_t>(what); }
  double real(bool wide, const char* what) { return wide ? get<double>(what) : static_cast<double>(get<float>(what)); }
  void jump(std::int64_t to) {
    if (to < static_cast<std::int64_t>(at_) || to > static_cast<std::int64_t>(bytes_.size()))
      fail(fmt::format("the next section is said to be at byte {}", to));
    at_ = static_cast<std::size_t>(to);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::mesh_contents, fmt::format("{} at '{}', byte {}", what, *path_, at_), "",
                "write the file again with the mesher");
  }

 private:
  const std::string* path_;
  std::string_view bytes_;
  std::size_t at_ = 0;
};

std::int64_t section_count(Bytes& bytes, bool wide, std::int64_t least_bytes) {
  const std::int64_t count = bytes.integer(wide, "a count");
  if (count < 0 || count > static_cast<std::int64_t>(bytes.left()) / least_bytes)
    bytes.fail(fmt::format("a section has {} entries, but only {} bytes are left", count, bytes.left()));
  return count;
}

}  // namespace

MeshData read_medit_binary(const std::string& path, std::vector<std::string>& notices) {
  const MappedFile file(path);
  Bytes bytes(path, file.bytes());
  const auto one = bytes.get<std::int32_t>("the number 1 that tells the byte order");
  if (one != 1)
    bytes.fail(one == 0x01000000 ? "the file was written in the other byte order"
                                 : "expected the number 1 that tells the byte order");
  const auto version = bytes.get<std::int32_t>("the version of the format");
  if (version < 1 || version > 4) bytes.fail(fmt::format("version {} of the format is not known", version));
  const bool wide_real = version >= 2, wide_place = version >= 3, wide_integer = version >= 4;
  const std::int64_t real_size = wide_real ? 8 : 4, integer_size = wide_integer ? 8 : 4;
  Contents contents(path);
  std::int64_t dimension = 0;
  std::string ignored;
  bool ended = false;
  while (!ended && bytes.left() > 0) {
    const auto code = bytes.get<std::int32_t>("a section");
    const std::int64_t next = bytes.integer(wide_place, "the place of the next section");
    const auto is_code = [code](const MeditSection& section) { return section.code == code; };
    const auto section = std::find_if(sections.begin(), sections.end(), is_code);
    if (code == 3) {
      dimension = bytes.get<std::int32_t>("the dimension");
      if (dimension != 2 && dimension != 3) bytes.fail(fmt::format("the dimension is {}", dimension));
    } else if (code == 4) {
      if (dimension == 0) bytes.fail("vertices come before the dimension");
      const std::int64_t count = section_count(bytes, wide_integer, dimension * real_size + integer_size);
      for (std::int64_t i = 0; i < count; ++i) {
        double x[3] = {};
        for (int k = 0; k < dimension; ++k) x[k] = bytes.real(wide_real, "a coordinate");
        contents.add_point(x, static_cast<int>(dimension), bytes.integer(wide_integer, "a reference"));
      }
    } else if (section != sections.end()) {
      const int n = traits(section->kind).node_count;
      const std::int64_t count = section_count(bytes, wide_integer, (n + 1) * integer_size);
      for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t numbers[32];
        for (int k = 0; k < n; ++k) numbers[k] = bytes.integer(wide_integer, "a vertex");
        contents.add_cell(section->kind, numbers, bytes.integer(wide_integer, "a reference"));
      }
    } else if (std::any_of(refused_sections.begin(), refused_sections.end(), is_code)) {
      bytes.fail(fmt::format("cells of MEDIT's section {} are not supported", code));
    } else if (code == 54) {
      ended = true;
    } else {
      ignored += fmt::format("{}{}", ignored.empty() ? "" : ", ", code);
    }
    if (!ended && next == 0) break;
    if (!ended) bytes.jump(next);
  }
  if (!ended)
    notices.push_back(fmt::format("'{}' does not close with an end mark: check that it was not cut short", path));
  if (!ignored.empty()) notices.push_back(fmt::format("ignored in '{}': sections {}", path, ignored));
  return contents.mesh(notices);
}

}  // namespace ritz
