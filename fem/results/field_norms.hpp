// A field over the mesh, on the host: its error against a known solution, its mean value, its values at points.
//
//   double error = l2_error(space, u, {exact_x, exact_y});     // square root of the integral of |u - exact|^2
#pragma once

#include "fem/forms/point_function.hpp"
#include "fem/space/function_space.hpp"

#include <span>
#include <vector>

namespace ritz {

// exact: a function for each component, evaluated at t = 0. The rule is exact for polynomials of degree 2 order + 4 on
// affine cells. Throws Error: Exit::internal for another number of functions than components.
double l2_error(const FunctionSpace& space, const Vector& u, const std::vector<PointFunction>& exact);

// The mean of a component, over the volume.
double mean_value(const FunctionSpace& space, const Vector& u, int component = 0);

// [point][component], by the functions of the cell that holds the point. Throws Error: Exit::input for a point outside
// the mesh.
std::vector<double> values_at(const FunctionSpace& space, const Vector& u, std::span<const Point> points);

}  // namespace ritz
