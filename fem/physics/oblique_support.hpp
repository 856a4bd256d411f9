// Supports along directions that are no axes: normal to a surface, along a given direction, or radial, tangential and
// axial about an axis. n . u = value at every node.
//
//   model.relations.push_back(normal_support(space, mesh.region("slope"), 0));
#pragma once

#include "fem/physics/coefficient.hpp"
#include "fem/space/function_space.hpp"
#include "fem/space/linear_equations.hpp"

#include <numbers>
#include <string>
#include <vector>

namespace ritz {

// A unit normal of a surface at a node of the space.
struct NodeNormal {
  Node node;
  Point normal;
};
// Outward unit normals at the nodes of a region of facets: means of those of the facets there, by their areas. Where
// facets meet at more than `edge_angle` [radian] a node has a normal for each side. Ascending by node.
std::vector<NodeNormal> node_normals(const FunctionSpace& space, const Region& facets,
                                     double edge_angle = 2 * std::numbers::pi / 9);

// The value is positive out of the body [length]. Throws Error: Exit::input when the region has no facets.
LinearEquations normal_support(const FunctionSpace& space, const Region& facets, const Coefficient& value,
                               const std::string& origin = {});
// Along a direction of any length but zero. Throws Error: Exit::input for a direction of zero.
LinearEquations support_along(const FunctionSpace& space, const Region& region, const Point& direction,
                              const Coefficient& value, const std::string& origin = {});

enum class CylindricalComponent { radial, tangential, axial };
// About an axis through the origin; in the plane it points out of it. On the axis itself a radial or tangential value
// of 0 holds both directions across it. Throws Error: Exit::model for other values there.
struct CylindricalAxes {
  Point origin{}, axis{0, 0, 1};
};
LinearEquations cylindrical_support(const FunctionSpace& space, const Region& region, const CylindricalAxes& axes,
                                    CylindricalComponent component, const Coefficient& value,
                                    const std::string& origin = {});

}  // namespace ritz
