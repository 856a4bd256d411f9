// Gaps between pairs of nodes, and stops of nodes against the ground: along a direction n from a node a to a node b, or
// to the ground, (u_a - u_b) . n <= clearance. They close and open in nonlinear statics (ActiveConstraints); closed
// ones transmit pressure, without friction, and do not pull.
//
//   model.relations.push_back(gap(space, mesh.region("valve"), &mesh.region("seat"), {}));
#pragma once

#include "fem/space/function_space.hpp"
#include "fem/space/linear_equations.hpp"
#include "mesh/mesh.hpp"

#include <optional>
#include <string>

namespace ritz {

struct GapOptions {
  std::optional<Point> direction = {};   // from the region to the other side, of any length; nullopt: to the node there
  std::optional<double> clearance = {};  // [m]; below 0: they overlap; nullopt: the distance of the nodes, 0 of a stop
  std::string origin = {};
};

// onto: as many nodes as the region, of which each takes the nearest one; null: the ground. Throws
// Error(ErrorKind::relation) where nodes do not form pairs, or a direction is missing or has no length.
LinearEquations gap(const FunctionSpace& space, const Region& region, const Region* onto, const GapOptions& options);

}  // namespace ritz
