// Springs from one node to the ground along a direction: as others, or in compression alone, as of a bolt's washer or a
// bearing, which let go. Small displacements.
#pragma once

#include "fem/forms/whole_element.hpp"

namespace ritz {

// By how much the node goes towards the ground.
template <int G, class T>
constexpr T motion_towards(const double (&direction)[3], const T (&u)[1][G]) {
  T sum = direction[0] * u[0][0];
  for (int c = 1; c < G; ++c) sum += direction[c] * u[0][c];
  return sum;
}

// 1/2 k (u . d)^2, with d of length 1.
template <int G>
struct SpringAlong {
  static constexpr const char* name = G == 3 ? "ground_spring3" : "ground_spring2";
  static constexpr auto cell = CellKind::vertex1;
  static constexpr int components = G, dimension = G;
  static constexpr bool linear = true;
  double stiffness;     // [N/m]
  double direction[3];  // from the node to the ground

  template <class X, class T>
  constexpr T energy(const X (&)[1][G], const T (&u)[1][G]) const {
    const T s = motion_towards<G>(direction, u);
    return 0.5 * stiffness * s * s;
  }
};

// 1/2 k max(u . d, 0)^2. At u . d = 0 it is in touch, or else nothing would hold the body there.
template <int G>
struct PressedSpring {
  static constexpr const char* name = G == 3 ? "pressed_spring3" : "pressed_spring2";
  static constexpr auto cell = CellKind::vertex1;
  static constexpr int components = G, dimension = G;
  double stiffness;     // [N/m]
  double direction[3];  // from the node to the ground

  template <class X, class T>
  constexpr T energy(const X (&)[1][G], const T (&u)[1][G]) const {
    const T s = motion_towards<G>(direction, u);
    const T pressed = select(0.0 - s, T(0.0), s);
    return 0.5 * stiffness * pressed * pressed;
  }
};

}  // namespace ritz
