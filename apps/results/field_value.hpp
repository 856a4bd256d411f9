// The value of a field at a point of the mesh, by the shape functions of the cell there.
#pragma once

#include "fem/results/lagrange_results.hpp"
#include "io/vtk/vtu_writer.hpp"
#include "mesh/search/point_location.hpp"

#include <vector>

namespace ritz {

// [component] of a field at nodes; with `finer`, by its finer values where it has them.
std::vector<double> value_at(const Mesh& mesh, const PointLocator::Place& place, const Field& field,
                             const LagrangeResults* finer);

}  // namespace ritz
