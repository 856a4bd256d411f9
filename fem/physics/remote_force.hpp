// A force and a moment at a point, as the statically equivalent traction on a surface: t = F / A + w x (x - c), where c
// is the centre of the surface and its second moments I give w of I w = M + (p - c) x F. The surface stays free to
// deform: nothing is coupled rigidly to the point. In the plane forces are those of the whole thickness, and the moment
// is about z; of a body of revolution only a force along the axis is equivalent to a traction.
#pragma once

#include "fem/physics/coefficient.hpp"
#include "fem/results/region_points.hpp"
#include "mesh/mesh.hpp"

#include <array>
#include <optional>
#include <vector>

namespace ritz {

struct RemoteForce {
  std::array<double, 3> force{}, moment{};       // [N], [N m]
  std::optional<std::array<double, 3>> at = {};  // where the force acts; none: the centre of the surface
};

// [component] of the traction [Pa], on a region of facets. `field_order`: of the displacement, whose rule integrates
// it; measure: of the integral that is the force.
std::vector<Coefficient> equivalent_traction(const Mesh& mesh, const Region& region, const RemoteForce& load,
                                             int field_order, const BodyMeasure& measure = {});

}  // namespace ritz
