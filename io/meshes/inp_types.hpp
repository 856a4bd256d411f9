// The element types of Abaqus and CalculiX decks: which cell each is, and how its nodes and faces are numbered.
// Private to io. (Abaqus Elements Guide, "Element Index"; CalculiX CrunchiX manual, "Element types".)
#pragma once

#include "mesh/cell_kind.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ritz {

struct InpType {
  CellKind kind;
  bool extra_node;  // beams may name one more node, for the direction of their section
  bool shell;       // its faces are the two sides first and then the edges
};

enum class InpUse {
  cell,         // solid, plane, axisymmetric, shell, membrane, beam, truss
  nothing,      // springs, masses, gaps, connectors: no cell, so left out with a notice
  unsupported,  // a solid that Ritz has no cell for: leaving it out would leave a hole
};

// `name` in capitals, such as C3D20RH.
InpUse inp_use(std::string_view name);
std::optional<InpType> inp_type(std::string_view name);

// [VTK's local node] -> position in the deck; empty: the same. Only lines with three nodes differ (their middle is
// second).
std::span<const int> inp_node_order(CellKind kind);

// The facet of a solid or plane cell that the deck calls S<number>, counted from 1; empty when the cell has none of
// that number.
std::optional<int> inp_facet(CellKind kind, int number);
// The deck's number of a facet.
int inp_facet_number(CellKind kind, int facet);

// The type that a deck is written with.
std::string inp_type_name(CellKind kind);

}  // namespace ritz
