// Turning a cell that is inside out: the renumbering of its nodes and facets that changes the orientation and
// nothing else. It exchanges the first two reference axes (for lines: the ends), and is its own inverse.
#pragma once

#include "mesh/cell_kind.hpp"

#include <span>

namespace ritz {

// new node i = old node mirrored_nodes(kind)[i]
std::span<const int> mirrored_nodes(CellKind kind);

// the facet that was number f is number mirrored_facets(kind)[f] afterwards
std::span<const int> mirrored_facets(CellKind kind);

}  // namespace ritz
