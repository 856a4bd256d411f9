// The geometry of curved tensor cells at their quadrature points, computed once (module ritz_fem_kernels).
#pragma once

#include "fem/launch/element_arguments.hpp"

namespace ritz {

struct PointGeometryKernels {
  // Fills [batch][point][entry][lane]: inverse of the Jacobian [reference direction][direction], weight * determinant,
  // position. Entries: d d + 1 + d, d the dimension.
  void (*store)(const Device&, const ElementArguments& arguments, double* point_geometry);
};

inline int point_geometry_entries(int dimension) { return dimension * dimension + 1 + dimension; }

}  // namespace ritz
