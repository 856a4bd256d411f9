// The coarser meshes of a space of order 1 on triangles, quadrilaterals, tetrahedra or hexahedra, where its mesh is a uniform refinement of them
// (mesh/nested_cells.hpp), for multigrid: which nodes each of their nodes lies between.
#pragma once

#include "fem/function_space.hpp"
#include "solvers/linear_solver_options.hpp"

namespace ritz {

// From the space to the next coarser mesh and so on, until one is no refinement or has few nodes. Null where there is none.
NestedLevels nested_nodes(const FunctionSpace& space);

// What solvers may use of the mesh. The space must outlive it.
SolverGeometry solver_geometry(const FunctionSpace& space);

}  // namespace ritz
