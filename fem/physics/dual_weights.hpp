// Weights of a tie that is integrated over the surface that follows, by dual shape functions (Wohlmuth, SIAM J. Numer.
// Anal. 38 (2000) 989): node a takes the mean of the other side's field by psi_a, where the integrals of psi_a N_b over
// a facet vanish for all other nodes b. Fields linear in space are met exactly, and a constant traction passes on as
// the other side's own nodal forces: exactly where facets are flat, their edges straight and the sides touch.
#pragma once

#include "fem/physics/surface_projection.hpp"

#include <optional>
#include <vector>

namespace ritz {

struct NodeWeights {
  Node node;
  PointWeights at;
};
// For the nodes of `region`, facets, all of whose facets, and those of the ends of its edge, lie within the tolerance
// of the other side and have functions with positive integrals (triangles and quadrilaterals of order 1 and 2 do);
// ascending. `tolerance`
// [length]; none: `share` times the size of the facet at the foot.
std::vector<NodeWeights> dual_weights(const FunctionSpace& space, const Region& region, const SurfaceProjection& onto,
                                      std::optional<double> tolerance, double share);

}  // namespace ritz
