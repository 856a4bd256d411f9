// Periodic regions: the field on one side equals that on another, moved there by a translation or by a rotation about
// an axis, up to a jump. The meshes of the two sides need not match: nodes are projected as by a tie. With a rotation
// vectors turn along (cyclic symmetry under loads that are the same in every sector).
//
//   model.relations.push_back(periodic(space, mesh.region("right"), mesh.region("left"), {.strain = E}).equations);
#pragma once

#include "fem/space/function_space.hpp"
#include "fem/space/linear_equations.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

// About an axis through a point, by the right-hand rule [radian].
struct RotationAbout {
  Point origin{}, axis{0, 0, 1};
  double angle = 0;
  Point turned(const Point& vector, double sign = 1) const;  // the vector, not the place
  std::array<Point, 3> frame() const;                        // along the axis, and two directions across it
};

// The motion of `onto` to the region: a translation or a rotation. Without either the translation is that between the
// middles of their bounding boxes.
struct PeriodicOptions {
  std::optional<Point> translation = {};
  std::optional<RotationAbout> rotation = {};
  std::vector<double> jump = {};  // [component] u(region) - u(onto); empty: none
  // mean strain, or gradient: u(region) - u(onto) = strain . translation
  std::optional<std::array<std::array<double, 3>, 3>> strain = {};
  std::optional<double> tolerance = {};  // [length]; none: 5 % of the facet at the foot
  std::string origin = {};
};

struct Periodic {
  LinearEquations equations;  // of a node that follows the unknown comes first; then those of nodes on the axis
  Index bound = 0;            // nodes
  std::vector<Node> on_axis = {};
  double largest_gap = 0;
  Point translation{};  // none with a rotation
};

// `region`: facets or nodes that depend on `onto`, which is facets. Throws Error: Exit::model for nodes whose image is
// not on `onto`, Error: Exit::input where the options contradict each other.
Periodic periodic(const FunctionSpace& space, const Region& region, const Region& onto,
                  const PeriodicOptions& options = {});

}  // namespace ritz
