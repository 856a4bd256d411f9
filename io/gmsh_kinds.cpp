#include "io/gmsh_kinds.hpp"

#include <array>

#include <fmt/core.h>

namespace ritz {
namespace {

// Gmsh numbers the edges of a cell lexicographically (0-1, 0-3, 0-4, 1-2, ...), VTK ring by ring
// (Gmsh reference manual, "Node ordering"; vtkQuadraticHexahedron and its relatives).
constexpr std::array tet10{0, 1, 2, 3, 4, 5, 6, 7, 9, 8};
constexpr std::array hex20{0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15};
constexpr std::array hex27{0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 13, 9,  16, 18,
                           19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26};
constexpr std::array prism15{0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11};
constexpr std::array prism18{0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11, 15, 17, 16};
constexpr std::array pyramid13{0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12};
constexpr std::array pyramid14{0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12, 13};

constexpr std::array<GmshKind, 20> kinds{{
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
    {CellKind::tet10, 10, 3, tet10},
    {CellKind::hex27, 27, 3, hex27},
    {CellKind::prism18, 18, 3, prism18},
    {CellKind::pyramid14, 14, 3, pyramid14},
    {CellKind::vertex1, 1, 0, {}},
    {CellKind::quad8, 8, 2, {}},
    {CellKind::hex20, 20, 3, hex20},
    {CellKind::prism15, 15, 3, prism15},
    {CellKind::pyramid13, 13, 3, pyramid13},
}};

struct OtherType {
  int type, node_count;
  const char* name;
};

// From Gmsh's GmshDefines.h.
constexpr std::array other_types{
    OtherType{20, 9, "9-node incomplete triangle of order 3"},  OtherType{21, 10, "10-node triangle of order 3"},
    OtherType{22, 12, "12-node incomplete triangle of order 4"}, OtherType{23, 15, "15-node triangle of order 4"},
    OtherType{24, 15, "15-node incomplete triangle of order 5"}, OtherType{25, 21, "21-node triangle of order 5"},
    OtherType{26, 4, "4-node line of order 3"},                  OtherType{27, 5, "5-node line of order 4"},
    OtherType{28, 6, "6-node line of order 5"},                  OtherType{29, 20, "20-node tetrahedron of order 3"},
    OtherType{30, 35, "35-node tetrahedron of order 4"},         OtherType{31, 56, "56-node tetrahedron of order 5"},
    OtherType{36, 16, "16-node quadrangle of order 3"},          OtherType{37, 25, "25-node quadrangle of order 4"},
    OtherType{39, 12, "12-node incomplete quadrangle of order 3"},
    OtherType{90, 40, "40-node prism of order 3"},               OtherType{92, 64, "64-node hexahedron of order 3"},
    OtherType{93, 125, "125-node hexahedron of order 4"},        OtherType{118, 30, "30-node pyramid of order 3"},
};

const OtherType* other_type(std::int64_t type) {
  for (const OtherType& other : other_types)
    if (other.type == type) return &other;
  return nullptr;
}

}  // namespace

const GmshKind* gmsh_kind(std::int64_t type) {
  return type >= 1 && type < static_cast<std::int64_t>(kinds.size()) ? &kinds[static_cast<std::size_t>(type)] : nullptr;
}

int gmsh_type(CellKind kind) {
  for (std::size_t type = 1; type < kinds.size(); ++type)
    if (kinds[type].kind == kind) return static_cast<int>(type);
  return 0;
}

std::string gmsh_type_name(std::int64_t type) {
  const OtherType* other = other_type(type);
  return other != nullptr ? fmt::format("type {} ({})", type, other->name) : fmt::format("type {}", type);
}

std::optional<int> gmsh_node_count(std::int64_t type) {
  if (const GmshKind* kind = gmsh_kind(type)) return kind->node_count;
  if (const OtherType* other = other_type(type)) return other->node_count;
  return std::nullopt;
}

std::string supported_gmsh_types() {
  return "Ritz reads points, lines, triangles, quadrangles, tetrahedra, hexahedra, prisms and pyramids of order 1 and 2";
}

}  // namespace ritz
