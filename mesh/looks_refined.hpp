// Whether a mesh looks like the uniform refinement of a coarser one: for forecasts, which have no time to find the
// coarser mesh (mesh/nested_cells.hpp, mesh/nested_graph.hpp).
#pragma once

#include "mesh/mesh.hpp"

namespace ritz {

// Of triangles or quadrilaterals the cells are looked at, of tetrahedra or hexahedra the free facets, whose coarser
// facets show those of the cells: a count that is no multiple of 8 or an odd number of cells in some direction is seen
// there. A surface that was refined, and then filled with other cells of the right number, is taken for a refinement.
// False where cells are of several shapes. Linear time in the surface.
bool looks_refined(const Mesh& mesh);

}  // namespace ritz
