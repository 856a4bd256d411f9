// A spring from one node of a plane model, or from one ring of nodes of a body of revolution, to the ground; and a
// force there.
#pragma once

#include "fem/forms/whole_element.hpp"

namespace ritz {

struct PlaneNodeSpring {
  static constexpr const char* name = "node_spring2";
  static constexpr auto cell = CellKind::vertex1;
  static constexpr int components = 2, dimension = 2;
  static constexpr bool linear = true;
  double stiffness[2];  // along x and y [N/m]

  template <class X, class T>
  constexpr T energy(const X (&)[1][2], const T (&u)[1][2]) const {
    return 0.5 * stiffness[0] * u[0][0] * u[0][0] + 0.5 * stiffness[1] * u[0][1] * u[0][1];
  }
};

struct PlaneNodeLoad {
  static constexpr const char* name = "node_load2";
  static constexpr auto cell = CellKind::vertex1;
  static constexpr int components = 2, dimension = 2;
  static constexpr bool linear = true, has_matrix = false;
  double force[2];  // along x and y [N], with a minus sign in the residual

  template <class X, class T>
  constexpr void residual(const X (&)[1][2], const T (&)[1][2], T (&r)[1][2]) const {
    for (int c = 0; c < 2; ++c) r[0][c] = -force[c];
  }
};

}  // namespace ritz
