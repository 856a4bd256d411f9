// The kinds of cells: how many nodes they have, in which order, and which facets bound them.
// Node orders are VTK's (vtkCellType.h, VTK user's guide); readers permute into them, so that one order
// holds everywhere inside Ritz. Facet nodes are listed so that the normal points out of the cell
// (right-hand rule in 3-D, tangent turned clockwise in 2-D).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ritz {

enum class CellKind : std::uint8_t {
  vertex1,
  // clang-format off
  line2, line3,
  tri3, tri6,
  quad4, quad8, quad9,
  tet4, tet10,
  hex8, hex20, hex27,
  prism6, prism15, prism18,
  pyramid5, pyramid13, pyramid14,
  // clang-format on
};

struct Facet {
  CellKind kind;
  std::vector<int> nodes;  // local node numbers of the cell, in the order of `kind`, outward
};

struct CellTraits {
  CellKind kind;
  std::string_view name;  // "tet10"
  int dimension;          // of the reference cell: 0..3
  int order;              // 1 or 2
  int node_count;
  int corner_count;  // the first nodes are the corners
  CellKind linear;   // the order-1 kind of the same shape: tet4 for tet10
  int vtk_type;      // VTK's number; pyramid14 is written as VTK's 13-node pyramid
  std::vector<Facet> facets;
  std::vector<std::array<int, 2>> edges;  // corner pairs; edge node i of a quadratic cell is corner_count + i
};

const CellTraits& traits(CellKind kind);
std::span<const CellKind> all_cell_kinds();
CellKind cell_kind_named(std::string_view name);  // throws Error: Exit::input with the nearest name

}  // namespace ritz
