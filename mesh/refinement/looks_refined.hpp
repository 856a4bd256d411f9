// Whether a mesh looks like the uniform refinement of a coarser one: for forecasts, which have no time to find the
// coarser mesh (mesh/refinement/nested_cells.hpp, mesh/refinement/nested_graph.hpp).
#pragma once

#include "mesh/mesh.hpp"

namespace ritz {

// Examines the cells of triangles or quadrilaterals, and the free facets of tetrahedra or hexahedra, whose coarser
// facets show those of the cells. It rejects a number of cells that is no multiple of 8, or odd in some direction. A
// surface that was refined and then filled with other cells of a matching number is mistaken for a refinement. False
// for cells of several shapes. Linear time in the surface.
bool looks_refined(const Mesh& mesh);

}  // namespace ritz
