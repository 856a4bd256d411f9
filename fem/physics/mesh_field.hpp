// A field on a mesh as a coefficient of a model on the same mesh or another one (mesh/functions/mesh_field.hpp).
//
//   Coefficient T = mesh_field(mesh, values_at_nodes);
//
// Integrals over another mesh are not conserved, and integral_over() says by how much.
#pragma once

#include "fem/physics/coefficient.hpp"
#include "mesh/functions/mesh_field.hpp"

#include <utility>
#include <vector>

namespace ritz {

inline Coefficient mesh_field(const Mesh& mesh, std::vector<double> values, double tolerance = outside_tolerance) {
  return PointFunction(MeshField(mesh, std::move(values), tolerance));
}

// The integral over all cells of a mesh (volume, or area in the plane), by the rule for loads on a field of this order;
// 0: of the order of the cells.
double integral_over(const Mesh& mesh, const Coefficient& value, int order = 0);

}  // namespace ritz
