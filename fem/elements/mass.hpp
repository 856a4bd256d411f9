// Masses of bars, beams, shells and points: kinetic energies in the place of strain energies, u standing for the
// velocity, so that the "stiffness matrix" is the consistent mass matrix. Rotations carry the rotary inertia of the
// section.
#pragma once

#include "fem/elements/bar.hpp"
#include "fem/elements/beam.hpp"

namespace ritz {

// Mass of a line that follows the displacements of its ends, linear between them: bars.
struct LineMass {
  static constexpr const char* name = "line_mass";
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = 3, points = 2, strains = 3;
  static constexpr bool linear = true;
  double per_length;  // [kg/m]

  template <class X, class T>
  constexpr X strain(int point, const X (&x)[2][3], const T (&u)[2][3], T (&v)[3]) const {
    using std::sqrt;
    constexpr double near = 0.788675134594812882, far = 1 - near;  // Gauss points
    for (int d = 0; d < 3; ++d) v[d] = (point == 0 ? near : far) * u[0][d] + (point == 0 ? far : near) * u[1][d];
    const Three<X> along = difference(x[1], x[0]);
    return 0.5 * sqrt(dot(along, along));
  }
  template <class T>
  constexpr T energy(const T (&v)[3]) const {
    return 0.5 * per_length * dot(v, v);
  }
};

// Mass of a beam with the deflections of its stiffness (Przemieniecki, Theory of Matrix Structural Analysis, 1968,
// section 11.3; Friedman and Kosmatka, Computers & Structures 47 (1993) 473). Sections turn about their centroid.
struct BeamMass {
  static constexpr const char* name = "beam_mass";
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = 6, points = 4, strains = 6;
  static constexpr bool linear = true;
  Beam beam;
  double density;  // [kg/m^3]

  // v: velocity and turning in local axes at a Gauss point.
  template <class X, class T>
  constexpr X strain(int point, const X (&x)[2][3], const T (&u)[2][6], T (&v)[6]) const {
    const bool outer = point == 0 || point == 3;
    const double from_middle = outer ? 0.430568155797026288 : 0.169990521792428132,
                 at = point < 2 ? 0.5 - from_middle : 0.5 + from_middle;
    const double weight = outer ? 0.173927422568726929 : 0.326072577431273071;
    const typename Beam::template Axes<X> a = beam.axes(x);
    Three<T> end[2], turn[2];
    beam.ends_of_axis(a, u, end, turn);
    v[0] = (1 - at) * end[0][0] + at * end[1][0];
    v[3] = (1 - at) * turn[0][0] + at * turn[1][0];
    const X y_phi = beam.phi(beam.inertia_z, beam.shear_area_y, a.length),
            z_phi = beam.phi(beam.inertia_y, beam.shear_area_z, a.length);
    bend(at, a.length, y_phi, end[0][1], turn[0][2], end[1][1], turn[1][2], v[1], v[5]);
    bend(at, a.length, z_phi, end[0][2], -turn[0][1], end[1][2], -turn[1][1], v[2], v[4]);
    v[4] = -v[4];  // positive about y lowers what lies ahead
    return weight * a.length;
  }
  template <class T>
  constexpr T energy(const T (&v)[6]) const {
    const T carried = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const T turned = beam.inertia_y * (v[3] * v[3] + v[4] * v[4]) + beam.inertia_z * (v[3] * v[3] + v[5] * v[5]);
    return (0.5 * density) * (beam.area * carried + turned);
  }

 private:
  // Deflection and the section's rotation at s, of those at both ends.
  template <class X, class T>
  static constexpr void bend(double s, const X& length, const X& phi, const T& w0, const T& t0, const T& w1,
                             const T& t1, T& w, T& t) {
    const X part = 1.0 / (1.0 + phi);
    const double ss = s * s, sss = ss * s;
    w = part * ((1 - 3 * ss + 2 * sss + (1 - s) * phi) * w0 + (3 * ss - 2 * sss + s * phi) * w1 +
                length * ((s - 2 * ss + sss + 0.5 * (s - ss) * phi) * t0 + (sss - ss - 0.5 * (s - ss) * phi) * t1));
    t = part * ((6 * (s - ss) / length) * (w1 - w0) + (1 - 4 * s + 3 * ss + (1 - s) * phi) * t0 +
                (3 * ss - 2 * s + s * phi) * t1);
  }
};

// Mass of a surface of three or four nodes. With six unknowns, rotations carry `rotary`, also the one about the normal:
// it plays no part in a shell's motion, but a matrix without zeros is worth more than its tiny inertia.
template <CellKind Kind, int C>
struct SurfaceMass {
  static constexpr bool triangle = Kind == CellKind::tri3;
  static constexpr const char* name =
      triangle ? (C == 3 ? "triangle_mass3" : "triangle_mass6") : (C == 3 ? "surface_mass3" : "surface_mass6");
  static constexpr auto cell = Kind;
  static constexpr int components = C, nodes = triangle ? 3 : 4, points = nodes, strains = C;
  static constexpr bool linear = true;
  double per_area, rotary;  // [kg/m^2], [kg]: density times thickness, times thickness cubed / 12

  template <class X, class T>
  constexpr X strain(int point, const X (&x)[nodes][3], const T (&u)[nodes][C], T (&v)[C]) const {
    using std::sqrt;
    double N[nodes];
    Three<X> one, other;
    if constexpr (triangle) {  // in the middles of the edges
      for (int n = 0; n < 3; ++n) N[n] = n == point ? 0.0 : 0.5;
      one = difference(x[1], x[0]);
      other = difference(x[2], x[0]);
    } else {
      constexpr double gauss = 0.577350269189625765;
      const double p = point % 2 == 0 ? -gauss : gauss, q = point < 2 ? -gauss : gauss;
      for (int n = 0; n < 4; ++n) N[n] = 0.25 * (n == 1 || n == 2 ? 1 + p : 1 - p) * (n < 2 ? 1 - q : 1 + q);
      for (int d = 0; d < 3; ++d) {
        one[d] = 0.25 * ((1 - q) * (x[1][d] - x[0][d]) + (1 + q) * (x[2][d] - x[3][d]));
        other[d] = 0.25 * ((1 - p) * (x[3][d] - x[0][d]) + (1 + p) * (x[2][d] - x[1][d]));
      }
    }
    for (int c = 0; c < C; ++c) {
      v[c] = N[0] * u[0][c];
      for (int n = 1; n < nodes; ++n) v[c] += N[n] * u[n][c];
    }
    const Three<X> normal = cross(one, other);
    return (triangle ? 1.0 / 6 : 1.0) * sqrt(dot(normal, normal));
  }
  template <class T>
  constexpr T energy(const T (&v)[C]) const {
    T sum = 0.0;
    for (int c = 0; c < C; ++c) sum += (0.5 * (c < 3 ? per_area : rotary)) * v[c] * v[c];
    return sum;
  }
};

// At a node: what a spring to the ground is to displacements, a mass is to velocities. C: 3 or 6 unknowns; inertia
// about the axes [kg m^2].
template <int C>
constexpr NodeSpring<C> node_mass(double mass, double about_x = 0, double about_y = 0, double about_z = 0) {
  return {{mass, mass, mass}, {about_x, about_y, about_z}};
}

}  // namespace ritz
