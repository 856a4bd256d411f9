// Gmsh's element types and how their node orders relate to VTK's. Private to io.
#pragma once

#include "mesh/lower_order.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ritz {

struct GmshKind {
  CellKind kind;  // kind for cells of order 3 and more that have all their nodes
  int node_count;
  int dimension;
  std::span<const int> gmsh_position;  // [VTK's local node] -> Gmsh's local node; empty: the same order
  int order = 0;                       // of those; else 0
};

// Empty when Ritz has no such cell.
const GmshKind* gmsh_kind(std::int64_t type);
int gmsh_type(CellKind kind);
NodeSet gmsh_node_set(std::int64_t type);  // of a type of order 3 and more; empty for all others

// Types that Ritz does not know: their names for messages and, where the format fixes it, their node counts.
std::string gmsh_type_name(std::int64_t type);
std::optional<int> gmsh_node_count(std::int64_t type);
std::string supported_gmsh_types();

}  // namespace ritz
