#include "io/meshes/gmsh_kinds.hpp"

#include "mesh/node_order.hpp"

#include <array>
#include <map>

#include <algorithm>

#include <fmt/core.h>

namespace ritz {
namespace {

// Gmsh numbers the edges of a cell lexicographically (0-1, 0-3, 0-4, 1-2, ...), VTK ring by ring
// (Gmsh reference manual, "Node ordering"; vtkQuadraticHexahedron and its relatives).
constexpr std::array tet10_order{0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
constexpr std::array hex20_order{0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15};
constexpr std::array hex27_order{0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                                 19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26};
constexpr std::array prism15_order{0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11};
constexpr std::array prism18_order{0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11, 15, 17, 16};
constexpr std::array pyramid13_order{0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12};
constexpr std::array pyramid14_order{0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12, 13};

const std::array<GmshKind, 20> kinds{{
    {},
    {CellKind::line2, 2, 1, {}},
    {CellKind::tri3, 3, 2, {}},
    {CellKind::quad4, 4, 2, {}},
    {CellKind::tet4, 4, 3, {}},
    {CellKind::hex8, 8, 3, {}},
    {CellKind::prism6, 6, 3, {}},
    {CellKind::pyramid5, 5, 3, {}},
    {CellKind::line3, 3, 1, {}},
    {CellKind::tri6, 6, 2, {}},
    {CellKind::quad9, 9, 2, {}},
    {CellKind::tet10, 10, 3, tet10_order},
    {CellKind::hex27, 27, 3, hex27_order},
    {CellKind::prism18, 18, 3, prism18_order},
    {CellKind::pyramid14, 14, 3, pyramid14_order},
    {CellKind::vertex1, 1, 0, {}},
    {CellKind::quad8, 8, 2, {}},
    {CellKind::hex20, 20, 3, hex20_order},
    {CellKind::prism15, 15, 3, prism15_order},
    {CellKind::pyramid13, 13, 3, pyramid13_order},
}};

struct OtherType {
  int type, node_count;
  const char* name;
};

// From Gmsh's GmshDefines.h.
constexpr std::array other_types{
    OtherType{20, 9, "9-node incomplete triangle of order 3"},
    OtherType{22, 12, "12-node incomplete triangle of order 4"},
    OtherType{24, 15, "15-node incomplete triangle of order 5"},
    OtherType{39, 12, "12-node incomplete quadrangle of order 3"},
};

// Types with all their nodes, from order 3.
struct GmshFamily {
  CellKind shape;
  std::array<int, 8> types;  // 0: Gmsh has no such type
};
constexpr std::array gmsh_families{
    GmshFamily{CellKind::line2, {26, 27, 28, 62, 63, 64, 65, 66}},
    GmshFamily{CellKind::tri3, {21, 23, 25, 42, 43, 44, 45, 46}},
    GmshFamily{CellKind::quad4, {36, 37, 38, 47, 48, 49, 50, 51}},
    GmshFamily{CellKind::tet4, {29, 30, 31, 71, 72, 73, 74, 75}},
    GmshFamily{CellKind::hex8, {92, 93, 94, 95, 96, 97, 98, 0}},
    GmshFamily{CellKind::prism6, {90, 91, 106, 107, 108, 109, 110, 0}},
    GmshFamily{CellKind::pyramid5, {118, 119, 120, 121, 122, 123, 124, 0}},
};

// Gmsh's numerical/pointsGenerators.cpp, and the edges and faces of its MHexahedron and its like.
const NodeOrder& gmsh_order(CellKind shape) {
  using enum CellKind;
  using enum Listing;
  static const std::array orders{
      NodeOrder{line2, {{0, 1}}, {}, rows, rows}, NodeOrder{tri3, {{0, 1}, {1, 2}, {2, 0}}, {}, recursive, recursive},
      NodeOrder{quad4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {}, recursive, recursive},
      // clang-format off
      NodeOrder{tet4, {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}},
                recursive, recursive},
      NodeOrder{hex8, {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}},
                {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}}, recursive,
                recursive},
      NodeOrder{prism6, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {3, 5}, {4, 5}},
                {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {0, 3, 5, 2}, {1, 2, 5, 4}}, recursive, columns},
      NodeOrder{pyramid5, {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}, {2, 4}, {3, 4}},
                {{0, 1, 4}, {3, 0, 4}, {1, 2, 4}, {2, 3, 4}, {0, 3, 2, 1}}, recursive, recursive}};
  // clang-format on
  return *std::ranges::find(orders, shape, &NodeOrder::shape);
}

std::map<std::int64_t, GmshKind> make_high_kinds() {
  std::map<std::int64_t, GmshKind> made;
  for (const GmshFamily& family : gmsh_families)
    for (std::size_t i = 0; i < family.types.size(); ++i) {
      const int order = static_cast<int>(i) + 3;
      if (family.types[i] != 0)
        made[family.types[i]] = {complete_quadratic(family.shape),
                                 static_cast<int>(lattice(gmsh_order(family.shape), order).size()),
                                 traits(family.shape).dimension,
                                 {},
                                 order};
    }
  return made;
}

const GmshKind* high_kind(std::int64_t type) {
  static const std::map<std::int64_t, GmshKind> made = make_high_kinds();
  const auto found = made.find(type);
  return found == made.end() ? nullptr : &found->second;
}

std::string_view shape_name(CellKind kind) {
  switch (traits(kind).linear) {
    case CellKind::vertex1: return "point";
    case CellKind::line2: return "line";
    case CellKind::tri3: return "triangle";
    case CellKind::quad4: return "quadrangle";
    case CellKind::tet4: return "tetrahedron";
    case CellKind::hex8: return "hexahedron";
    case CellKind::prism6: return "prism";
    default: return "pyramid";
  }
}

const OtherType* other_type(std::int64_t type) {
  for (const OtherType& other : other_types)
    if (other.type == type) return &other;
  return nullptr;
}

}  // namespace

const GmshKind* gmsh_kind(std::int64_t type) {
  return type >= 1 && type < static_cast<std::int64_t>(kinds.size()) ? &kinds[static_cast<std::size_t>(type)]
                                                                     : high_kind(type);
}

NodeSet gmsh_node_set(std::int64_t type) {
  const GmshKind* kind = high_kind(type);
  if (kind == nullptr) return {};
  const CellKind shape = traits(kind->kind).linear;
  return {kind->order, reference_points(shape, lattice(gmsh_order(shape), kind->order), equal_steps(kind->order))};
}

int gmsh_type(CellKind kind) {
  for (std::size_t type = 1; type < kinds.size(); ++type)
    if (kinds[type].kind == kind) return static_cast<int>(type);
  return 0;
}

std::string gmsh_type_name(std::int64_t type) {
  if (const GmshKind* kind = gmsh_kind(type))
    return fmt::format("type {} ({}-node {} of order {})", type, kind->node_count, shape_name(kind->kind),
                       kind->order > 0 ? kind->order : traits(kind->kind).order);
  const OtherType* other = other_type(type);
  return other != nullptr ? fmt::format("type {} ({})", type, other->name) : fmt::format("type {}", type);
}

std::optional<int> gmsh_node_count(std::int64_t type) {
  if (const GmshKind* kind = gmsh_kind(type)) return kind->node_count;
  if (const OtherType* other = other_type(type)) return other->node_count;
  return std::nullopt;
}

std::string supported_gmsh_types() {
  return "Ritz reads points, lines, triangles, quadrangles, tetrahedra, hexahedra, prisms and pyramids of order 1 and "
         "2, and those of higher order that have "
         "all their nodes";
}

}  // namespace ritz
