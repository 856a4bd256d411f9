// The reference coordinates of a point in a cell, by Newton's method without bounds: where the cell holds the point, or
// certainly does not, a few steps say so. Cells that are bent so much that it wanders are left to nearest_point().
#pragma once

#include "mesh/mesh.hpp"

#include <optional>

namespace ritz {

// Inside the cell up to rounding; nothing where Newton's method finds the point elsewhere, or not. The mesh has the
// dimension of the cell, whose map is that of its nodes.
std::optional<Point> inverse_map(const Mesh& mesh, Index cell, const Point& point);
// Can the above be asked for this cell?
bool has_inverse_map(const Mesh& mesh, Index cell, const Point& point);

}  // namespace ritz
