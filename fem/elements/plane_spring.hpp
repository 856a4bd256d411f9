// A spring from one node of a plane model, or from one ring of nodes of a body of revolution, to the ground.
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

}  // namespace ritz
