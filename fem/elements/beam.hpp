// Timoshenko's beam in space, exact at its nodes: deflections are the solution of the differential equations of a beam
// without load between its nodes. Przemieniecki, Theory of Matrix Structural Analysis, 1968, section 5.6; Friedman and
// Kosmatka, Computers & Structures 47 (1993) 473. Small displacements.
//
// Local axes: x from the first node to the second; y along `orientation`, across the beam; z = x cross y. The axis of
// the sections' centroids is the line of the nodes, or is shifted from it by `offset_y` and `offset_z`: then rigid
// links lead from the nodes to its ends, u_axis = u + rotation x offset. Section forces are those of the axis, on the
// side that looks along x: N tension, Vy Vz shear, T torsion, My Mz bending; Mz > 0 bends towards y.
#pragma once

#include "fem/elements/vectors.hpp"
#include "fem/forms/parameter.hpp"
#include "fem/forms/whole_element.hpp"

namespace ritz {

struct Beam {
  static constexpr const char *name = "beam", *unknown = "displacement", *derives = "beam_force";
  // at both ends
  static constexpr const char* derived_names = "N_1 Vy_1 Vz_1 T_1 My_1 Mz_1 N_2 Vy_2 Vz_2 T_2 My_2 Mz_2";
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = 6, points = 2, strains = 6, derived = 12;
  static constexpr bool linear = true, objective = true;
  double young, poisson, area, inertia_y, inertia_z, torsion, shear_area_y, shear_area_z, orientation[3], offset_y,
      offset_z;
  static constexpr Parameter<Beam> parameters[] = {
      {&Beam::young, {.name = "young", .unit = "Pa", .about = "Young's modulus", .above = 0}},
      {&Beam::poisson,
       {.name = "poisson",
        .unit = "1",
        .about = "Poisson's ratio, for the shear modulus",
        .above = -1,
        .below = 0.5,
        .example = 0.3}},
      {&Beam::area, {.name = "area", .unit = "m^2", .about = "of the section", .above = 0}},
      {&Beam::inertia_y,
       {.name = "inertia_y", .unit = "m^4", .about = "second moment of area about y: the integral of z^2", .above = 0}},
      {&Beam::inertia_z,
       {.name = "inertia_z",
        .unit = "m^4",
        .about = "second moment of area about z: the integral of y^2",
        .above = 0,
        .example = 0.7}},
      {&Beam::torsion,
       {.name = "torsion", .unit = "m^4", .about = "torsion constant J of G J", .above = 0, .example = 0.4}},
      {&Beam::shear_area_y,
       {.name = "shear_area_y",
        .unit = "m^2",
        .about = "area k A of shear along y; 0: no shear deformation",
        .minimum = 0,
        .fallback = 0,
        .example = 0.8}},
      {&Beam::shear_area_z,
       {.name = "shear_area_z",
        .unit = "m^2",
        .about = "area k A of shear along z; 0: no shear deformation",
        .minimum = 0,
        .fallback = 0,
        .example = 0.6}},
      {&Beam::orientation,
       {.name = "orientation",
        .unit = "1",
        .about = "direction of the local y axis; 0 0 0: upwards along z, or along x where the beam is vertical",
        .fallback = 0}},
      {&Beam::offset_y,
       {.name = "offset_y",
        .unit = "m",
        .about = "of the axis (the sections' centroids) from the line of the nodes, along local y",
        .fallback = 0,
        .example = 0.2}},
      {&Beam::offset_z,
       {.name = "offset_z",
        .unit = "m",
        .about = "of the axis from the line of the nodes, along local z",
        .fallback = 0,
        .example = -0.3}}};

  template <class X>
  struct Axes {
    Three<X> x, y, z;
    X length;
  };

  template <class X>
  constexpr Axes<X> axes(const X (&x)[2][3]) const {
    using std::sqrt;
    const Three<X> d = difference(x[1], x[0]);
    Axes<X> a;
    a.length = sqrt(dot(d, d));
    a.x = {{d[0] / a.length, d[1] / a.length, d[2] / a.length}};
    Three<X> up = {{orientation[0], orientation[1], orientation[2]}};
    if (orientation[0] == 0 && orientation[1] == 0 && orientation[2] == 0) {
      const X vertical = a.x[2] * a.x[2] - X(1 - 1e-6);
      up = {{select(vertical, X(1.0), X(0.0)), X(0.0), select(vertical, X(0.0), X(1.0))}};
    }
    a.y = across(up, a.x);
    a.z = cross(a.x, a.y);
    return a;
  }

  constexpr double shear_modulus() const { return young / (2 * (1 + poisson)); }

  constexpr bool has_offset() const { return offset_y != 0 || offset_z != 0; }

  // Displacements and rotations of the axis at both ends, in local axes.
  template <class X, class T>
  constexpr void ends_of_axis(const Axes<X>& a, const T (&u)[2][6], Three<T> (&end)[2], Three<T> (&turn)[2]) const {
    for (int n = 0; n < 2; ++n) {
      const T d[3] = {u[n][0], u[n][1], u[n][2]}, r[3] = {u[n][3], u[n][4], u[n][5]};
      turn[n] = {{dot(a.x, r), dot(a.y, r), dot(a.z, r)}};
      end[n] = {{dot(a.x, d) + offset_z * turn[n][1] - offset_y * turn[n][2], dot(a.y, d) - offset_z * turn[n][0],
                 dot(a.z, d) + offset_y * turn[n][0]}};
    }
  }

  // Strains at s = 0 ... 1 along the beam: extension, twist, curvatures about y and z, shears along y and z.
  template <class X, class T>
  constexpr void strains_at(double s, const Axes<X>& a, const T (&u)[2][6], T (&e)[6]) const {
    Three<T> end[2], turn[2];
    ends_of_axis(a, u, end, turn);
    e[0] = (end[1][0] - end[0][0]) / a.length;
    e[1] = (turn[1][0] - turn[0][0]) / a.length;
    // The chord's angle less the mean rotation of the section bends and shears the beam, in the ratio of 1 : phi.
    const T z_bend = (end[1][1] - end[0][1]) / a.length - 0.5 * (turn[0][2] + turn[1][2]);
    const T y_bend = (end[0][2] - end[1][2]) / a.length - 0.5 * (turn[0][1] + turn[1][1]);
    const X y_phi = phi(inertia_z, shear_area_y, a.length), z_phi = phi(inertia_y, shear_area_z, a.length);
    e[2] = (turn[1][1] - turn[0][1] + (6 - 12 * s) * y_bend / (1.0 + z_phi)) / a.length;
    e[3] = (turn[1][2] - turn[0][2] + (6 - 12 * s) * z_bend / (1.0 + y_phi)) / a.length;
    e[4] = y_phi * z_bend / (1.0 + y_phi);
    e[5] = -z_phi * y_bend / (1.0 + z_phi);
  }
  template <class X>
  constexpr X phi(double inertia, double shear_area, const X& length) const {
    if (shear_area == 0) return X(0.0);
    return X(12 * young * inertia / (shear_modulus() * shear_area)) / (length * length);
  }

  template <class X, class T>
  constexpr X strain(int point, const X (&x)[2][3], const T (&u)[2][6], T (&e)[6]) const {
    constexpr double gauss = 0.288675134594812882;
    const Axes<X> a = axes(x);
    strains_at(point == 0 ? 0.5 - gauss : 0.5 + gauss, a, u, e);
    return 0.5 * a.length;
  }
  template <class T>
  constexpr T energy(const T (&e)[6]) const {
    const double G = shear_modulus();
    return 0.5 * (young * area * e[0] * e[0] + G * torsion * e[1] * e[1] + young * inertia_y * e[2] * e[2] +
                  young * inertia_z * e[3] * e[3] + G * shear_area_y * e[4] * e[4] + G * shear_area_z * e[5] * e[5]);
  }
  template <class X, class T>
  constexpr void derive(const X (&x)[2][3], const T (&u)[2][6], T* out) const {
    const Axes<X> a = axes(x);
    T e[2][6];
    for (int end = 0; end < 2; ++end) strains_at(end, a, u, e[end]);
    for (int end = 0; end < 2; ++end) {
      T* at = out + 6 * end;
      at[0] = young * area * e[end][0];
      at[1] = (young * inertia_z) * (e[0][3] - e[1][3]) / a.length;  // V = -+ dM/dx, with and without shear deformation
      at[2] = (young * inertia_y) * (e[1][2] - e[0][2]) / a.length;
      at[3] = shear_modulus() * torsion * e[end][1];
      at[4] = young * inertia_y * e[end][2];
      at[5] = young * inertia_z * e[end][3];
    }
  }
};

}  // namespace ritz
