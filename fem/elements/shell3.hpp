// A flat shell facet of three nodes with six unknowns each: constant membrane strains, Reissner and Mindlin's plate
// with the assumed transverse shear of MITC3 (Lee and Bathe, Computers and Structures 82 (2004) 945), softened where
// facets are wide compared with the thickness, so that plates do not lock however thin (Lyly, Stenberg and Vihinen,
// CMAME 110 (1993) 343), and the rotation about the normal tied to that of the membrane (Hughes and Brezzi, CMAME 72
// (1989) 105): by the shear stiffness where facets are small compared with the thickness, and by a small one where they
// are wide, since it stiffens their membrane. Small displacements, isotropic. The element does not depend on the order
// of its nodes. Its membrane is stiff in its plane: prefer quadrilaterals (shell.hpp) where there is a choice.
//
// Local axes: z along the normal (right-hand rule of the nodes); x along `orientation`, in the facet.
#pragma once

#include "fem/elements/shell_section.hpp"

namespace ritz {

struct Shell3 : ShellSection {
  static constexpr const char* name = "shell3";
  static constexpr auto cell = CellKind::tri3;
  static constexpr int points = 3;

  // Strains at (r, s) of the reference triangle, in the order of ShellSection. Returns the area per unit of the
  // triangle.
  template <class X, class T>
  constexpr X strains_at(double r, double s, const X (&at)[3][3], const T (&u)[3][6], T (&e)[strains]) const {
    using std::sqrt;
    const Three<X> first = difference(at[1], at[0]), other = difference(at[2], at[0]),
                   ez = normalised(cross(first, other));
    const Three<X> ex = local_x(first, ez), ey = cross(ez, ex);
    const X x[3] = {0.0, dot(ex, first), dot(ex, other)}, y[3] = {0.0, dot(ey, first), dot(ey, other)};
    const X area = x[1] * y[2] - x[2] * y[1];  // of the parallelogram
    const X rx = y[2] / area, ry = -x[2] / area, sx = -y[1] / area, sy = x[1] / area;
    const X Nx[3] = {-rx - sx, rx, sx}, Ny[3] = {-ry - sy, ry, sy};
    const double N[3] = {1 - r - s, r, s};
    T w[3], bx[3], by[3];  // deflection, and the rotations by which a normal leans along x and y
    for (int k = 0; k < strains; ++k) e[k] = 0.0;
    for (int n = 0; n < 3; ++n) {
      const T d[3] = {u[n][0], u[n][1], u[n][2]}, t[3] = {u[n][3], u[n][4], u[n][5]};
      const T ux = dot(ex, d), uy = dot(ey, d), tz = dot(ez, t);
      w[n] = dot(ez, d);
      bx[n] = dot(ey, t);
      by[n] = -dot(ex, t);
      e[0] += Nx[n] * ux;
      e[1] += Ny[n] * uy;
      e[2] += Ny[n] * ux + Nx[n] * uy;
      e[3] += Nx[n] * bx[n];
      e[4] += Ny[n] * by[n];
      e[5] += Ny[n] * bx[n] + Nx[n] * by[n];
      e[8] += N[n] * tz - 0.5 * (Nx[n] * uy - Ny[n] * ux);
    }
    e[9] = thickness / sqrt(thickness * thickness + area) * e[8];
    // Shears along the edges, in their middles; inside they vary linearly, so that each edge keeps its own.
    const auto on_edge = [&](int a, int b) -> T {
      return w[b] - w[a] + 0.5 * ((x[b] - x[a]) * (bx[a] + bx[b]) + (y[b] - y[a]) * (by[a] + by[b]));
    };
    const T along_01 = on_edge(0, 1), along_02 = on_edge(0, 2), change = along_02 - along_01 - on_edge(1, 2);
    const T along_r = along_01 + s * change, along_s = along_02 - r * change;
    const X soft = softening(at);
    e[6] = soft * (rx * along_r + sx * along_s);
    e[7] = soft * (ry * along_r + sy * along_s);
    return area;
  }

  // Root of t^2 / (t^2 + h^2 / 10), by which shears are multiplied: it tends to 1 with finer meshes. h^2: mean of the
  // edges' squares.
  template <class X>
  constexpr X softening(const X (&at)[3][3]) const {
    using std::sqrt;
    X squares = 0.0;
    for (int n = 0; n < 3; ++n) {
      const Three<X> edge = difference(at[(n + 1) % 3], at[n]);
      squares += dot(edge, edge);
    }
    return thickness / sqrt(thickness * thickness + (0.1 / 3) * squares);
  }

  template <class X, class T>
  constexpr X strain(int point, const X (&x)[3][3], const T (&u)[3][6], T (&e)[strains]) const {
    constexpr double weight = 1.0 / 6;
    return weight * strains_at(point == 1 ? 2.0 / 3 : 1.0 / 6, point == 2 ? 2.0 / 3 : 1.0 / 6, x, u, e);
  }
  template <class X, class T>
  constexpr void derive(const X (&x)[3][3], const T (&u)[3][6], T* out) const {
    T e[strains];
    strains_at(1.0 / 3, 1.0 / 3, x, u, e);
    forces(e, out);
    const X soft = softening(x);
    for (int k = 6; k < 8; ++k) out[k] = soft * out[k];
  }
};

// Force per area [Pa]: a vector, and a pressure against the normal.
struct Shell3Load {
  static constexpr const char* name = "shell3_load";
  static constexpr auto cell = CellKind::tri3;
  static constexpr int components = 6;
  static constexpr bool linear = true, has_matrix = false;
  double force[3], pressure;

  template <class X, class T>
  constexpr void residual(const X (&x)[3][3], const T (&)[3][6], T (&r)[3][6]) const {
    using std::sqrt;
    const Three<X> normal = cross(difference(x[1], x[0]), difference(x[2], x[0]));  // twice the area long
    const X area = sqrt(dot(normal, normal));
    for (int n = 0; n < 3; ++n)
      for (int d = 0; d < 3; ++d) r[n][d] += (1.0 / 6) * (pressure * normal[d] - force[d] * area);
  }
};

}  // namespace ritz
