// Integrals of nodal fields over regions of cells or facets, by quadrature with the shape functions of the cells or
// facets.
//
//   RegionIntegral heat = integrate(mesh, mesh.region("outlet"), flux, component_named(flux, "z"));
#pragma once

#include "apps/results/field_component.hpp"
#include "fem/results/lagrange_results.hpp"
#include "mesh/mesh.hpp"

namespace ritz {

// What a drawn area or line stands for: `weight` is a thickness, or 2 pi of a body of revolution, where the radius x
// multiplies, too.
struct BodyMeasure {
  double weight = 1;
  bool axisymmetric = false;
};

struct RegionIntegral {
  double size = 0;                // volume, area or length of the region, by the same measure
  std::vector<double> integrals;  // [component.size()]; the magnitude is taken at the quadrature points
};

// Exact for polynomial fields on straight cells; the sums run in a fixed order. With `finer`, the field's finer values
// count, where it has them: it is of a higher order than the mesh. Throws Error(Exit::input) for a region of nodes.
RegionIntegral integrate(const Mesh& mesh, const Region& region, const Field& field, const FieldComponent& component,
                         const BodyMeasure& measure = {}, const LagrangeResults* finer = nullptr);

// The same of a field of one value in each cell, over a region of cells.
RegionIntegral integrate_cells(const Mesh& mesh, const Region& region, const Field& field,
                               const FieldComponent& component, const BodyMeasure& measure = {});

// Area (in two dimensions: length) of a region of facets, or volume of one of cells, by the same measure, through the
// rule by which loads on a field of this order are integrated: so a force that is spread over the region is in total
// what it should be, on curved ones, too.
double loaded_size(const Mesh& mesh, const Region& region, const BodyMeasure& measure, int field_order);

}  // namespace ritz
