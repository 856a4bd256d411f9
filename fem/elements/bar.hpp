// Bars and springs: forces along the line between two nodes, and springs that hold one node. Small displacements.
#pragma once

#include "fem/elements/vectors.hpp"
#include "fem/forms/parameter.hpp"
#include "fem/forms/whole_element.hpp"

namespace ritz {

// N = E A (elongation / length). Hughes, The Finite Element Method, Dover 2000, section 1.16.
struct Bar {
  static constexpr const char *name = "bar", *unknown = "displacement", *derives = "bar_force", *derived_names = "N";
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = 3, points = 1, strains = 1, derived = 1;
  static constexpr bool linear = true, objective = true;
  double young, area;
  static constexpr Parameter<Bar> parameters[] = {
      {&Bar::young, {.name = "young", .unit = "Pa", .about = "Young's modulus", .above = 0}},
      {&Bar::area, {.name = "area", .unit = "m^2", .about = "of the section", .above = 0}}};

  template <class X, class T>
  constexpr X strain(int, const X (&x)[2][3], const T (&u)[2][3], T (&e)[1]) const {
    using std::sqrt;
    const Three<X> d = difference(x[1], x[0]);
    const X squared = dot(d, d);
    e[0] = dot(d, difference(u[1], u[0])) / squared;
    return sqrt(squared);
  }
  template <class T>
  constexpr T energy(const T (&e)[1]) const {
    return 0.5 * young * area * e[0] * e[0];
  }
  template <class X, class T>
  constexpr void derive(const X (&x)[2][3], const T (&u)[2][3], T* out) const {
    T e[1];
    strain(0, x, u, e);
    out[0] = young * area * e[0];
  }
};

// F = k (elongation), whatever the length.
struct Spring {
  static constexpr const char *name = "spring", *unknown = "displacement", *derives = "spring_force",
                              *derived_names = "N";
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = 3, points = 1, strains = 1, derived = 1;
  static constexpr bool linear = true, objective = true;
  double stiffness;
  static constexpr Parameter<Spring> parameters[] = {
      {&Spring::stiffness,
       {.name = "stiffness", .unit = "N/m", .about = "along the line between the nodes", .above = 0}}};

  template <class X, class T>
  constexpr X strain(int, const X (&x)[2][3], const T (&u)[2][3], T (&e)[1]) const {
    e[0] = dot(normalised(difference(x[1], x[0])), difference(u[1], u[0]));
    return 1.0;
  }
  template <class T>
  constexpr T energy(const T (&e)[1]) const {
    return 0.5 * stiffness * e[0] * e[0];
  }
  template <class X, class T>
  constexpr void derive(const X (&x)[2][3], const T (&u)[2][3], T* out) const {
    T e[1];
    strain(0, x, u, e);
    out[0] = stiffness * e[0];
  }
};

// Springs from one node to the ground, along and about the global axes. C: 3 or 6 unknowns.
template <int C>
struct NodeSpring {
  static constexpr const char* name = C == 3 ? "node_spring3" : "node_spring6";
  static constexpr auto cell = CellKind::vertex1;
  static constexpr int components = C;
  static constexpr bool linear = true;
  double stiffness[3], rotational[3];  // [N/m], [N m/rad]

  template <class X, class T>
  constexpr T energy(const X (&)[1][3], const T (&u)[1][C]) const {
    T sum = 0.0;
    for (int c = 0; c < C; ++c) sum += (c < 3 ? 0.5 * stiffness[c] : 0.5 * rotational[c - 3]) * u[0][c] * u[0][c];
    return sum;
  }
};

}  // namespace ritz
