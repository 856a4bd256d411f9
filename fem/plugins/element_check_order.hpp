// Meshes and fields of the checks of forms and elements, and the order of convergence that a form
// shows.
#pragma once

#include "device/function_ref.hpp"
#include "fem/plugins/element_check.hpp"
#include "fem/space/function_space.hpp"
#include "mesh/generators.hpp"

#include <functional>

namespace ritz {

// The unit box moved to x, y, z in [1, 2] (axisymmetric forms need x > 0), filled with cells of one kind.
Mesh check_mesh(CellKind kind, int count, const Distortion& distortion = {});
bool is_inside(const Point& x, int dimension);  // not on the sides
// One cell of a linear kind, mapped by an affine map.
Mesh one_cell(CellKind kind);

// A smooth field without symmetry, of size 1; another one for every number.
double check_wave(const Point& x, int number);
std::vector<double> nodal_values(const FunctionSpace& space, FunctionRef<double(const Point&, int component)> field);

// With the forces under which a known field u is in balance, the discrete solution differs from u by h^(p+1). The
// forces are found by the residual of u on a space of higher order, so any form will do: the method of manufactured
// solutions (Roache, J. Fluids Eng. 124 (2002) 4) without derivatives by hand.
struct ConvergenceCheck {
  double order = 0;     // between the two finest meshes
  std::string failure;  // why there is none
};
ConvergenceCheck convergence_order(CellKind kind, const FormOnDevice& form, const SpaceOptions& options,
                                   double amplitude);

}  // namespace ritz
