// Whether all cells of a group are parallelograms or parallelepipeds: their map has one Jacobian, computed once a cell.
#pragma once

#include "fem/operator/element_groups.hpp"

namespace ritz {

// The corners lie where those around the first one put them, to 1e-12 of a cell's width in reference coordinates: grids
// of a thousand cells a side have such errors of rounding. False of groups that are no quadrilaterals or hexahedra, and
// of facets. With several ranks each decides for its part: actions by one and by the other way agree to rounding.
bool all_affine(const Mesh& mesh, const ElementGroup& group, int threads);

}  // namespace ritz
