// Connected components of a part of a mesh; those of a whole one are in mesh/mesh.hpp.
#pragma once

#include "mesh/mesh.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ritz {

// The same of the cells that are not left out ([cell] 1: it is). component_of_cell has all cells; -1: it is left out.
Index connected_components(const Mesh& mesh, std::span<const std::uint8_t> left_out,
                           std::vector<Index>& component_of_cell);

}  // namespace ritz
