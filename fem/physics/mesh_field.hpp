// A coefficient from a field on a mesh: its values at nodes, interpolated by the shape functions of the cell that holds
// a point, or one value in each cell. The mesh may be that of the model or another one.
//
//   Coefficient T = mesh_field(mesh, values_at_nodes);
//
// Points outside of the mesh take the value at the nearest point of it, if that is nearer than `tolerance` times the
// diagonal of its bounding box; else evaluation throws Error(Exit::model). So meshes of the same part, with facets of
// their own on its curved faces, fit. Interpolation of order p + 1 for cells of order p; sums are not conserved.
#pragma once

#include "fem/physics/coefficient.hpp"
#include "mesh/mesh.hpp"

#include <memory>
#include <vector>

namespace ritz {

inline constexpr double outside_tolerance = 0.01;

// `values`: one for each node of the mesh, or else one for each cell.
Coefficient mesh_field(std::shared_ptr<const Mesh> mesh, std::vector<double> values,
                       double tolerance = outside_tolerance);

// The largest distance by which a node of `mesh` lies outside of `source`, and how many lie outside by more
// than rounding. Throws as evaluation does.
struct Misfit {
  Index nodes = 0;
  double distance = 0;
};
Misfit misfit(const Mesh& mesh, const Mesh& source, double tolerance = outside_tolerance);

}  // namespace ritz
