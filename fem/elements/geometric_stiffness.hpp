// Geometric stiffnesses of bars, springs, beams and shells: the work of the section forces of a displacement on the
// rotations of another, as the tangent of an energy that holds the forces constant. Small strains, dead loads.
// McGuire, Gallagher and Ziemian, Matrix Structural Analysis, 2nd ed. 2000, chapter 9; Cook, Malkus, Plesha and Witt,
// Concepts and Applications of Finite Element Analysis, 4th ed. 2002, chapter 18.
#pragma once

#include "fem/elements/bar.hpp"
#include "fem/elements/beam.hpp"
#include "fem/elements/shell.hpp"
#include "fem/elements/shell3.hpp"
#include "fem/numbers/frozen.hpp"

namespace ritz {

template <WholeElement E>
struct GeometricElement;

// N (rotation of the line)^2 / 2. Strains: that of the element, then the rotation times the root of the length.
template <class Line>
struct GeometricLine : Line {
  static constexpr int strains = 4, derived = 0;
  static constexpr bool linear = false, objective = false;

  template <class X, class T>
  constexpr X strain(int point, const X (&x)[2][3], const T (&u)[2][3], T (&e)[4]) const {
    using std::sqrt;
    T own[1];
    Line::strain(point, x, u, own);
    e[0] = own[0];
    const Three<X> d = difference(x[1], x[0]);
    const X squared = dot(d, d), root = sqrt(squared * sqrt(squared));
    const Three<T> moved = difference(u[1], u[0]);
    const T along = dot(d, moved) / squared;
    for (int i = 0; i < 3; ++i) e[1 + i] = (moved[i] - d[i] * along) / root;
    return 1.0;
  }
  template <class T>
  constexpr T energy(const T (&e)[4]) const {
    return 0.5 * force(frozen(e[0])) * (e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  }

 private:
  template <class T>
  constexpr T force(const T& strain) const {
    if constexpr (requires { this->area; }) return this->young * this->area * strain;
    else return this->stiffness * strain;
  }
};
template <>
struct GeometricElement<Bar> : GeometricLine<Bar> {};
template <>
struct GeometricElement<Spring> : GeometricLine<Spring> {};

// With sigma_xx of N, My and Mz, and the resultants of shear and torsion of a section with two axes of symmetry, the
// work of sigma on the quadratic part of Green's strain of u = (-y tz + z ty, v - z tx, w + y tx):
//   N (v'^2 + w'^2 + (Iy + Iz) / A tx'^2) / 2 - tx' (My v' + Mz w') + tx (Vy w' - Vz v') + T (tz ty' - ty tz') / 2
// So it knows columns, torsional buckling without warping, and lateral buckling under bending.
template <>
struct GeometricElement<Beam> : Beam {
  static constexpr int points = 3, strains = 11, derived = 0;
  static constexpr bool linear = false, objective = false;

  // Strains: extension, twist, curvatures about y and z and their slopes; v', w', and the rotations tx, ty, tz.
  template <class X, class T>
  constexpr X strain(int point, const X (&x)[2][3], const T (&u)[2][6], T (&e)[strains]) const {
    constexpr double outer = 0.387298334620741689;
    const double s = 0.5 + outer * (point - 1), weight = point == 1 ? 4.0 / 9 : 5.0 / 18;
    const Axes<X> a = axes(x);
    Three<T> end[2], turn[2];
    ends_of_axis(a, u, end, turn);
    T first[6], last[6];
    strains_at(0, a, u, first);
    strains_at(1, a, u, last);
    e[0] = first[0];
    e[1] = first[1];
    T turned[2];  // ty, tz: the integrals of curvatures that are linear along the beam
    for (int k = 0; k < 2; ++k) {
      e[2 + k] = (1 - s) * first[2 + k] + s * last[2 + k];
      e[4 + k] = (last[2 + k] - first[2 + k]) / a.length;
      turned[k] = turn[0][1 + k] + a.length * ((s - 0.5 * s * s) * first[2 + k] + (0.5 * s * s) * last[2 + k]);
    }
    e[6] = first[4] + turned[1];
    e[7] = first[5] - turned[0];
    e[8] = (1 - s) * turn[0][0] + s * turn[1][0];
    e[9] = turned[0];
    e[10] = turned[1];
    return weight * a.length;
  }
  template <class T>
  constexpr T energy(const T (&e)[strains]) const {
    const T N = young * area * frozen(e[0]), torque = shear_modulus() * torsion * frozen(e[1]);
    const T My = young * inertia_y * frozen(e[2]), Mz = young * inertia_z * frozen(e[3]);
    const T Vy = -(young * inertia_z) * frozen(e[5]), Vz = young * inertia_y * frozen(e[4]);
    const double polar = (inertia_y + inertia_z) / area;
    return 0.5 * N * (e[6] * e[6] + e[7] * e[7] + polar * e[1] * e[1]) - e[1] * (My * e[6] + Mz * e[7]) +
           e[8] * (Vy * e[7] - Vz * e[6]) + 0.5 * torque * (e[10] * e[2] - e[9] * e[3]);
  }
};

// Membrane forces on the gradients of all displacements in the facet: n_ab u_i,a u_i,b / 2. The moments of a thin shell
// do no work of this order. Strains: derivatives along the local x of the displacements along x, y and z; then along y.
template <class T>
constexpr T geometric_energy(const ShellSection& section, const T (&e)[6]) {
  const double plane = section.young * section.thickness / (1 - section.poisson * section.poisson);
  const T x = frozen(e[0]), y = frozen(e[4]), shear = frozen(e[1] + e[3]);
  const T Nx = plane * (x + section.poisson * y), Ny = plane * (y + section.poisson * x),
          Nxy = (0.5 * (1 - section.poisson) * plane) * shear;
  return 0.5 * (Nx * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) + Ny * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5])) +
         Nxy * (e[0] * e[3] + e[1] * e[4] + e[2] * e[5]);
}

template <>
struct GeometricElement<Shell> : Shell {
  static constexpr int strains = 6, derived = 0;
  static constexpr bool linear = false, objective = false;

  template <class X, class T>
  constexpr X strain(int point, const X (&x)[4][3], const T (&u)[4][6], T (&e)[6]) const {
    constexpr double gauss = 0.577350269189625765;
    const Facet<X> f = facet(x);
    const Slopes<X> N = slopes(point % 2 == 0 ? -gauss : gauss, point < 2 ? -gauss : gauss, f);
    for (int k = 0; k < 6; ++k) e[k] = 0.0;
    for (int n = 0; n < 4; ++n) {
      const T d[3] = {u[n][0], u[n][1], u[n][2]}, t[3] = {u[n][3], u[n][4], u[n][5]};
      const T local[3] = {dot(f.ex, d) - f.offset[n] * dot(f.ey, t), dot(f.ey, d) + f.offset[n] * dot(f.ex, t),
                          dot(f.ez, d)};
      for (int i = 0; i < 3; ++i) {
        e[i] += N.x[n] * local[i];
        e[3 + i] += N.y[n] * local[i];
      }
    }
    return N.area;
  }
  template <class T>
  constexpr T energy(const T (&e)[6]) const {
    return geometric_energy(*this, e);
  }
};

template <>
struct GeometricElement<Shell3> : Shell3 {
  static constexpr int points = 1, strains = 6, derived = 0;
  static constexpr bool linear = false, objective = false;

  template <class X, class T>
  constexpr X strain(int, const X (&at)[3][3], const T (&u)[3][6], T (&e)[6]) const {
    const Three<X> first = difference(at[1], at[0]), other = difference(at[2], at[0]),
                   ez = normalised(cross(first, other));
    const Three<X> ex = local_x(first, ez), ey = cross(ez, ex);
    const X x[2] = {dot(ex, first), dot(ex, other)}, y[2] = {dot(ey, first), dot(ey, other)};
    const X area = x[0] * y[1] - x[1] * y[0];  // of the parallelogram
    Three<T> d[2];
    for (int n = 0; n < 2; ++n)
      for (int i = 0; i < 3; ++i) d[n][i] = u[n + 1][i] - u[0][i];
    const Three<X> axes[3] = {ex, ey, ez};
    for (int i = 0; i < 3; ++i) {
      const T one = dot(axes[i], d[0]), two = dot(axes[i], d[1]);
      e[i] = (y[1] * one - y[0] * two) / area;
      e[3 + i] = (x[0] * two - x[1] * one) / area;
    }
    return 0.5 * area;
  }
  template <class T>
  constexpr T energy(const T (&e)[6]) const {
    return geometric_energy(*this, e);
  }
};

}  // namespace ritz
