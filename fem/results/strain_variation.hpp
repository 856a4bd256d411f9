// Do linear cells bend? Strains vary linearly over the height of a bent body. A linear hexahedron or quadrilateral that
// alone has to represent this is too stiff (shear locking: Hughes, The Finite Element Method, 4.4), and a layer of
// linear triangles or tetrahedra is, too.
//
//   if (strain_variation(space, u, body.error_model()) > too_much_variation) ...
#pragma once

#include "fem/results/error_estimate.hpp"

#include <span>

namespace ritz {

// The share of the strain energy in what strains differ by from their mean in each cell. In triangles and tetrahedra,
// where they are constant (as in a prism along its triangle, which is not seen): from the means around the vertices.
// One layer of cells in pure bending: nearly 1, two: about 1/4, n: 1/n^2. Zero for spaces with more nodes than corners,
// for rigid motions, and for meshes of triangles and tetrahedra with most vertices inside. Of many cells a sample is
// taken.
double strain_variation(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model);

constexpr double too_much_variation = 0.4;

}  // namespace ritz
