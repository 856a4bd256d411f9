// Integrals of nodal fields over regions of cells or facets, by quadrature with the shape functions of the cells or
// facets.
//
//   RegionIntegral heat = integrate(mesh, mesh.region("outlet"), flux, component_named(flux, "z"));
#pragma once

#include "apps/show/field_component.hpp"
#include "device/function_ref.hpp"
#include "fem/results/lagrange_results.hpp"
#include "fem/results/region_points.hpp"
#include "mesh/mesh.hpp"

#include <functional>
#include <span>
#include <vector>

namespace ritz {

struct RegionIntegral {
  double size = 0;                // volume, area or length of the region, by the same measure
  std::vector<double> integrals;  // [component.size()]; the magnitude is taken at the quadrature points
};

// Exact for polynomial fields on straight cells; the sums run in a fixed order. With `finer`, the field's finer values
// count, where it has them: it is of a higher order than the mesh. Throws Error: Exit::input for a region of nodes.
RegionIntegral integrate(const Mesh& mesh, const Region& region, const Field& field, const FieldComponent& component,
                         const BodyMeasure& measure = {}, const LagrangeResults* finer = nullptr);

// Weights of the nodes in integrals over a region of cells or facets: integrals of the shape functions. Calls
// add(cell, node, weight) with what each cell, or each facet of a cell, adds; all add up to the size.
using AddWeight = FunctionRef<void(Index cell, Index at, double weight)>;
void add_integral_weights(const Mesh& mesh, const Region& region, const BodyMeasure& measure, const AddWeight& add);

// The sizes of these cells by the same measure, in their order.
std::vector<double> sizes_of_cells(const Mesh& mesh, std::span<const Index> cells, const BodyMeasure& measure = {});

// The same of a field of one value in each cell, over a region of cells.
RegionIntegral integrate_cells(const Mesh& mesh, const Region& region, const Field& field,
                               const FieldComponent& component, const BodyMeasure& measure = {});

}  // namespace ritz
