// Integrals of nodal fields over regions of cells or facets, by quadrature with the shape functions of the cells or
// facets. Over the mesh as it is drawn: no thickness, no 2 pi r.
//
//   RegionIntegral heat = integrate(mesh, mesh.region("outlet"), flux, component_named(flux, "z"));
#pragma once

#include "apps/field_component.hpp"
#include "mesh/mesh.hpp"

namespace ritz {

struct RegionIntegral {
  double size = 0;                 // volume, area or length of the region
  std::vector<double> integrals;   // [component.size()]; the magnitude is taken at the quadrature points
};

// Exact for polynomial fields on straight cells of order 1 and 2; the sums run in a fixed order.
// Throws Error(Exit::input) for a region of nodes.
RegionIntegral integrate(const Mesh& mesh, const Region& region, const Field& field, const FieldComponent& component);

// The same of a field of one value in each cell, over a region of cells.
RegionIntegral integrate_cells(const Mesh& mesh, const Region& region, const Field& field, const FieldComponent& component);

}  // namespace ritz
