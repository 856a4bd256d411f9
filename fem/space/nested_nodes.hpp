// Coarser spaces within a space, for multigrid: the coarser nodes between which each node lies. Below order 2 this is
// order 1 on the same cells; below order 1 the coarser meshes, if the mesh is a uniform refinement
// (mesh/refinement/nested_cells.hpp; mesh/refinement/nested_graph.hpp for triangles and tetrahedra, which needs the
// pattern of the space).
#pragma once

#include "fem/space/function_space.hpp"
#include "solvers/linear/linear_solver_options.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

namespace ritz {

// From the space to the next coarser one and so on, until a mesh is no refinement or has few nodes. Null where there is
// none.
NestedLevels nested_nodes(const FunctionSpace& space);

// Predicts the first level for forecasts, from the surface of the mesh (mesh/refinement/looks_refined.hpp). May return
// `cells` for user-defined elements whose nodes lie elsewhere.
Nesting nesting_of(const FunctionSpace& space);

// Facts of the mesh for solvers.
SolverGeometry solver_geometry(const FunctionSpace& space);

}  // namespace ritz
