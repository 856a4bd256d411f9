// Gmsh's element types and how their node orders relate to VTK's. Private to io.
#pragma once

#include "mesh/cell_kind.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ritz {

struct GmshKind {
  CellKind kind;
  int node_count;
  int dimension;
  std::span<const int> gmsh_position;  // [VTK's local node] -> Gmsh's local node; empty: the same order
};

// Empty when Ritz has no such cell.
const GmshKind* gmsh_kind(std::int64_t type);
int gmsh_type(CellKind kind);

// Types that Ritz does not know: their names for messages and, where the format fixes it, their node counts.
std::string gmsh_type_name(std::int64_t type);
std::optional<int> gmsh_node_count(std::int64_t type);
std::string supported_gmsh_types();

}  // namespace ritz
