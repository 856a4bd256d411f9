// Exodus II (Sjaardema, Schoof and Yarberry, "EXODUS: A Finite Element Data Model", SAND92-2137 and the manual of
// SEACAS): netCDF files of Cubit, Coreform, MOOSE, Sierra and libMesh. Node and side numbers of the manual's figures.
#include "io/meshes/other_readers.hpp"

#include "io/meshes/foreign_cells.hpp"
#include "io/meshes/netcdf_file.hpp"
#include "io/meshes/raw_mesh.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include <fmt/format.h>

namespace ritz {
namespace exodus {
namespace {

using enum CellKind;

struct Member {
  std::string_view family;  // the element type without its digits, in capitals
  CellKind linear;
};
constexpr std::array exodus_families{
    Member{"HEX", hex8},       Member{"HEXAHEDRON", hex8}, Member{"TETRA", tet4},       Member{"TET", tet4},
    Member{"WEDGE", prism6},   Member{"PRISM", prism6},    Member{"PYRAMID", pyramid5}, Member{"PYRA", pyramid5},
    Member{"PYR", pyramid5},   Member{"QUAD", quad4},      Member{"SHELL", quad4},      Member{"SHELL", tri3},
    Member{"TRI", tri3},       Member{"TRIANGLE", tri3},   Member{"TRISHELL", tri3},    Member{"SHELLTRI", tri3},
    Member{"MEMBRANE", quad4}, Member{"BAR", line2},       Member{"BEAM", line2},       Member{"TRUSS", line2},
    Member{"ROD", line2},      Member{"EDGE", line2},      Member{"LINE", line2},       Member{"SPRING", line2},
    Member{"SPHERE", vertex1}, Member{"CIRCLE", vertex1},  Member{"NODE", vertex1},     Member{"POINT", vertex1}};

// [side - 1] by its corners, counted from 1.
std::span<const std::vector<int>> sides_of(CellKind linear) {
  static const std::vector<std::vector<int>> hexahedron = {{1, 2, 6, 5}, {2, 3, 7, 6}, {3, 4, 8, 7},
                                                           {1, 5, 8, 4}, {1, 4, 3, 2}, {5, 6, 7, 8}};
  static const std::vector<std::vector<int>> tetrahedron = {{1, 2, 4}, {2, 3, 4}, {1, 4, 3}, {1, 3, 2}};
  static const std::vector<std::vector<int>> wedge = {{1, 2, 5, 4}, {2, 3, 6, 5}, {1, 4, 6, 3}, {1, 3, 2}, {4, 5, 6}};
  static const std::vector<std::vector<int>> pyramid = {{1, 2, 5}, {2, 3, 5}, {3, 4, 5}, {1, 5, 4}, {1, 4, 3, 2}};
  static const std::vector<std::vector<int>> triangle = {{1, 2}, {2, 3}, {3, 1}};
  static const std::vector<std::vector<int>> quadrilateral = {{1, 2}, {2, 3}, {3, 4}, {4, 1}};
  switch (linear) {
    case hex8: return hexahedron;
    case tet4: return tetrahedron;
    case prism6: return wedge;
    case pyramid5: return pyramid;
    case tri3: return triangle;
    case quad4: return quadrilateral;
    default: return {};
  }
}

std::span<const int> exodus_node_order(CellKind kind) {
  static constexpr std::array hexahedron27{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 16, 17,
                                           18, 19, 12, 13, 14, 15, 23, 24, 25, 26, 21, 22, 20};
  if (kind == hex27) return hexahedron27;
  return verticals_before_top(kind);
}

struct Block {
  CellKind kind;
  Index first_position;  // among the cells of this kind
  std::int64_t first_element, element_count;
  bool shell;  // its sides are its two faces first and then its edges
};

[[noreturn]] void fail(const NetcdfFile& file, const std::string& what) {
  throw Error(ErrorKind::mesh_contents, fmt::format("{} in '{}'", what, file.path()), {},
              "write the file again with the mesher");
}

struct Blocks {
  std::vector<Block> list;
  std::int64_t element_count = 0;

  const Block& block_with(const NetcdfFile& file, std::int64_t element, const std::string& name) const {
    const auto after = std::upper_bound(list.begin(), list.end(), element,
                                        [](std::int64_t e, const Block& block) { return e < block.first_element; });
    if (element < 1 || element > element_count)
      fail(file, fmt::format("'{}' names element {}, and there are {}", name, element, element_count));
    return *std::prev(after);
  }
};

// [node][3], and the dimension of the mesh.
std::pair<std::vector<double>, int> read_points(const NetcdfFile& file) {
  std::array<std::vector<double>, 3> x;
  if (file.has("coord")) {  // of files in the older way: [axis][node]
    const auto shape = file.shape("coord");
    const std::vector<double> all = file.reals("coord");
    if (shape.size() != 2 || shape[0] > 3) fail(file, "variable 'coord' has another shape than [axis][node]");
    for (std::size_t k = 0; k < shape[0]; ++k)
      x[k].assign(all.begin() + static_cast<std::ptrdiff_t>(k * shape[1]),
                  all.begin() + static_cast<std::ptrdiff_t>((k + 1) * shape[1]));
  } else {
    constexpr std::array names{"coordx", "coordy", "coordz"};
    for (std::size_t k = 0; k < 3; ++k)
      if (file.has(names[k])) x[k] = file.reals(names[k]);
  }
  std::vector<double> points(3 * x[0].size());
  for (std::size_t k = 0; k < 3; ++k) {
    if (!x[k].empty() && x[k].size() != x[0].size())
      fail(file, fmt::format("there are {} x and {} other coordinates", x[0].size(), x[k].size()));
    for (std::size_t i = 0; i < x[k].size(); ++i) points[3 * i + k] = x[k][i];
  }
  return {std::move(points), x[2].empty() ? 2 : 3};
}

// The names in the file, or else "block_7" after the number.
std::vector<std::string> names_of(const NetcdfFile& file, const std::string& letters, const std::string& kind,
                                  std::size_t count) {
  const std::string numbers = letters + "_prop1", given = letters + "_names";
  std::vector<std::int64_t> ids = file.has(numbers) ? file.integers(numbers) : std::vector<std::int64_t>();
  std::vector<std::string> names = file.has(given) ? file.texts(given) : std::vector<std::string>();
  names.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    if (names[i].empty())
      names[i] = fmt::format("{}_{}", kind, i < ids.size() ? ids[i] : static_cast<std::int64_t>(i + 1));
  return names;
}

std::size_t count_of(const NetcdfFile& file, const char* dimension) {
  const std::uint64_t count = file.dimension(dimension).value_or(0);
  if (count > 1000000) fail(file, fmt::format("dimension '{}' is {}", dimension, count));
  return count;
}

std::optional<Block> block_of(const NetcdfFile& file, const std::string& name, const std::string& type, int node_count,
                              int dimension) {
  std::string family;
  for (const char c : type) {
    if (c >= '0' && c <= '9') break;
    family += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  for (const Member& member : exodus_families) {
    if (member.family != family) continue;
    if (member.linear == vertex1) return std::nullopt;
    for (const CellKind kind : all_cell_kinds())
      if (traits(kind).linear == member.linear && traits(kind).node_count == node_count)
        return Block{kind, 0, 0, 0, dimension == 3 && traits(kind).dimension == 2 && family != "QUAD"};
  }
  throw Error(
      ErrorKind::mesh_without_cells,
      fmt::format("block '{}' of '{}' holds elements '{}' with {} nodes", name, file.path(), type, node_count),
      "Ritz has no such cells",
      "write elements of order 1 or 2: HEX8, 20, 27, TETRA4, 10, WEDGE6, 15, 18, PYRAMID5, 13, 14, QUAD4, 8, 9, "
      "TRI3, 6, BAR2, 3");
}

Blocks read_blocks(const NetcdfFile& file, int dimension, RawMesh& raw, std::vector<std::string>& notices) {
  const std::size_t count = count_of(file, "num_el_blk");
  const std::vector<std::string> names = names_of(file, "eb", "block", count);
  Blocks blocks;
  std::int64_t points = 0;
  for (std::size_t b = 1; b <= count; ++b) {
    const std::string variable = fmt::format("connect{}", b);
    if (!file.has(variable)) continue;  // an empty block
    const auto shape = file.shape(variable);
    if (shape.size() != 2) fail(file, fmt::format("block '{}' holds polygons or polyhedra", names[b - 1]));
    const std::optional<Block> block = block_of(file, names[b - 1], file.text_attribute(variable, "elem_type"),
                                                static_cast<int>(std::min<std::uint64_t>(shape[1], 1000)), dimension);
    const auto elements = static_cast<std::int64_t>(shape[0]);
    if (!block) {  // points
      points += elements;
      blocks.list.push_back({vertex1, 0, blocks.element_count + 1, elements, false});
    } else {
      blocks.list.push_back(
          {block->kind, raw.cell_count(block->kind), blocks.element_count + 1, elements, block->shell});
      append_cells(raw.nodes_of(block->kind), file.integers(variable), traits(block->kind).node_count,
                   exodus_node_order(block->kind));
      append(raw.group(names[b - 1]).cells, {block->kind, blocks.list.back().first_position, elements});
    }
    blocks.element_count += elements;
  }
  if (points > 0)
    notices.push_back(fmt::format("{} elements of '{}' are points and were left out", points, file.path()));
  return blocks;
}

int facet_of_side(CellKind kind, int side) {
  std::vector<int> corners = sides_of(traits(kind).linear)[static_cast<std::size_t>(side - 1)];
  for (int& corner : corners) --corner;
  return *facet_with_corners(kind, corners);
}

void read_side_sets(const NetcdfFile& file, const Blocks& blocks, RawMesh& raw, std::vector<std::string>& notices) {
  const std::size_t count = count_of(file, "num_side_sets");
  const std::vector<std::string> names = names_of(file, "ss", "sideset", count);
  std::int64_t left_out = 0;
  for (std::size_t s = 1; s <= count; ++s) {
    if (!file.has(fmt::format("elem_ss{}", s))) continue;
    const std::vector<std::int64_t> elements = file.integers(fmt::format("elem_ss{}", s)),
                                    sides = file.integers(fmt::format("side_ss{}", s));
    if (elements.size() != sides.size())
      fail(file,
           fmt::format("side set '{}' has {} elements and {} sides", names[s - 1], elements.size(), sides.size()));
    RawGroup& group = raw.group(names[s - 1]);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Block& block = blocks.block_with(file, elements[i], names[s - 1]);
      const Index position = block.first_position + elements[i] - block.first_element;
      if (traits(block.kind).dimension < 2) {
        ++left_out;
        continue;
      }
      if (block.shell && (sides[i] == 1 || sides[i] == 2)) {
        append(group.cells, {block.kind, position, 1});
        continue;
      }
      const auto corners = sides_of(traits(block.kind).linear);
      const std::int64_t side = sides[i] - (block.shell ? 2 : 0);
      if (side < 1 || side > std::ssize(corners))
        fail(file, fmt::format("side set '{}' names side {} of element {}, a {}", names[s - 1], sides[i], elements[i],
                               traits(block.kind).name));
      group.facets.push_back({block.kind, position, facet_of_side(block.kind, static_cast<int>(side))});
    }
  }
  if (left_out > 0)
    notices.push_back(fmt::format("{} ends of lines in side sets of '{}' were left out", left_out, file.path()));
}

void read_node_sets(const NetcdfFile& file, RawMesh& raw) {
  const std::size_t count = count_of(file, "num_node_sets");
  const std::vector<std::string> names = names_of(file, "ns", "nodeset", count);
  for (std::size_t s = 1; s <= count; ++s) {
    if (!file.has(fmt::format("node_ns{}", s))) continue;
    std::vector<Node>& nodes = raw.group(names[s - 1]).nodes;
    for (const std::int64_t node : file.integers(fmt::format("node_ns{}", s))) {
      if (node < 1 || node > std::ssize(raw.points) / 3)
        fail(file,
             fmt::format("node set '{}' names node {}, and there are {}", names[s - 1], node, raw.points.size() / 3));
      nodes.push_back(static_cast<Node>(node - 1));
    }
  }
}

void read_element_sets(const NetcdfFile& file, const Blocks& blocks, RawMesh& raw) {
  const std::size_t count = count_of(file, "num_elem_sets");
  const std::vector<std::string> names = names_of(file, "els", "elemset", count);
  for (std::size_t s = 1; s <= count; ++s) {
    if (!file.has(fmt::format("elem_els{}", s))) continue;
    for (const std::int64_t element : file.integers(fmt::format("elem_els{}", s))) {
      const Block& block = blocks.block_with(file, element, names[s - 1]);
      if (block.kind != vertex1)
        append(raw.group(names[s - 1]).cells, {block.kind, block.first_position + element - block.first_element, 1});
    }
  }
}

}  // namespace
}  // namespace exodus

MeshData read_exodus(const std::string& path, std::vector<std::string>& notices, bool structural) {
  const NetcdfFile file(path);
  if (!file.dimension("num_nodes") && !file.has("coordx") && !file.has("coord"))
    throw Error(ErrorKind::mesh_format, fmt::format("'{}' is no Exodus II file", path),
                "it is a netCDF or HDF5 file without the dimension 'num_nodes'",
                "Ritz reads Exodus II, MED and CGNS among the formats that are kept in such files");
  RawMesh raw;
  raw.source = path;
  raw.structural = structural;
  int dimension = 0;
  std::tie(raw.points, dimension) = exodus::read_points(file);
  const exodus::Blocks blocks = exodus::read_blocks(file, dimension, raw, notices);
  exodus::read_side_sets(file, blocks, raw, notices);
  exodus::read_node_sets(file, raw);
  exodus::read_element_sets(file, blocks, raw);
  return mesh_of(std::move(raw), notices);
}

}  // namespace ritz
