// Coarser spaces within a space, for multigrid: between which of their nodes each node lies. Below order 2 there is
// order 1 on the same cells; below order 1 there are the coarser meshes, where the mesh is a uniform refinement
// (mesh/nested_cells.hpp, and mesh/nested_graph.hpp of triangles and tetrahedra, which needs the pattern of the space).
#pragma once

#include "fem/space/function_space.hpp"
#include "solvers/linear/linear_solver_options.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

namespace ritz {

// From the space to the next coarser one and so on, until a mesh is no refinement or has few nodes. Null where there is
// none.
NestedLevels nested_nodes(const FunctionSpace& space);

// What its first level will be, for forecasts: told from the surface of the mesh (mesh/looks_refined.hpp). cells may be
// said of elements of one's own whose nodes lie elsewhere.
Nesting nesting_of(const FunctionSpace& space);

// What solvers may use of the mesh. The space must outlive it.
SolverGeometry solver_geometry(const FunctionSpace& space);

}  // namespace ritz
