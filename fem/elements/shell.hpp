// A flat shell facet of four nodes with six unknowns each: bilinear membrane, Reissner and Mindlin's plate with the
// assumed transverse shear of MITC4 (Dvorkin and Bathe, Engineering Computations 1 (1984) 77), and the rotation about
// the normal tied to that of the membrane (Hughes and Brezzi, CMAME 72 (1989) 105) by a small stiffness. Nodes of a
// warped facet are tied rigidly to its mean plane, so that rigid motions cost nothing. Small displacements, isotropic.
//
// Local axes: z along the normal (right-hand rule of the nodes); x where `orientation` points, in the facet.
#pragma once

#include "fem/elements/shell_section.hpp"

namespace ritz {

struct Shell : ShellSection {
  static constexpr const char* name = "shell";
  static constexpr auto cell = CellKind::quad4;
  static constexpr int points = 4;

  template <class X>
  struct Facet {
    Three<X> ex, ey, ez;
    X x[4], y[4], offset[4];  // of the nodes in local axes, and above the mean plane
  };

  template <class X>
  constexpr Facet<X> facet(const X (&x)[4][3]) const {
    Facet<X> f;
    const Three<X> one = difference(x[2], x[0]), other = difference(x[3], x[1]);
    f.ez = normalised(cross(one, other));
    f.ex = local_x(Three<X>{{one[0] - other[0], one[1] - other[1], one[2] - other[2]}}, f.ez);
    f.ey = cross(f.ez, f.ex);
    for (int n = 0; n < 4; ++n) {
      Three<X> p;
      for (int d = 0; d < 3; ++d) p[d] = x[n][d] - 0.25 * (x[0][d] + x[1][d] + x[2][d] + x[3][d]);
      f.x[n] = dot(f.ex, p);
      f.y[n] = dot(f.ey, p);
      f.offset[n] = dot(f.ez, p);
    }
    return f;
  }

  // Strains at a point of the reference square: membrane xx yy xy, curvature xx yy xy, shear xz yz, drilling. Returns
  // the area per unit of the square.
  template <class X, class T>
  constexpr X strains_at(double r, double s, const Facet<X>& f, const T (&u)[4][6], T (&e)[9]) const {
    const double dr[4] = {-0.25 * (1 - s), 0.25 * (1 - s), 0.25 * (1 + s), -0.25 * (1 + s)};
    const double ds[4] = {-0.25 * (1 - r), -0.25 * (1 + r), 0.25 * (1 + r), 0.25 * (1 - r)};
    const double N[4] = {0.25 * (1 - r) * (1 - s), 0.25 * (1 + r) * (1 - s), 0.25 * (1 + r) * (1 + s),
                         0.25 * (1 - r) * (1 + s)};
    X xr = 0.0, xs = 0.0, yr = 0.0, ys = 0.0;
    for (int n = 0; n < 4; ++n) {
      xr += dr[n] * f.x[n];
      xs += ds[n] * f.x[n];
      yr += dr[n] * f.y[n];
      ys += ds[n] * f.y[n];
    }
    const X area = xr * ys - xs * yr, rx = ys / area, ry = -xs / area, sx = -yr / area, sy = xr / area;
    T w[4], bx[4], by[4];  // deflection, and the rotations by which a normal leans along x and y
    for (int k = 0; k < 9; ++k) e[k] = 0.0;
    for (int n = 0; n < 4; ++n) {
      const T d[3] = {u[n][0], u[n][1], u[n][2]}, t[3] = {u[n][3], u[n][4], u[n][5]};
      const T tx = dot(f.ex, t), ty = dot(f.ey, t), tz = dot(f.ez, t);
      const T ux = dot(f.ex, d) - f.offset[n] * ty, uy = dot(f.ey, d) + f.offset[n] * tx;
      w[n] = dot(f.ez, d);
      bx[n] = ty;
      by[n] = -tx;
      const X Nx = dr[n] * rx + ds[n] * sx, Ny = dr[n] * ry + ds[n] * sy;
      e[0] += Nx * ux;
      e[1] += Ny * uy;
      e[2] += Ny * ux + Nx * uy;
      e[3] += Nx * bx[n];
      e[4] += Ny * by[n];
      e[5] += Ny * bx[n] + Nx * by[n];
      e[8] += N[n] * tz - 0.5 * (Nx * uy - Ny * ux);
    }
    // Covariant shears in the middles of the edges, interpolated across.
    const auto on_edge = [&](int a, int b) -> T {
      return 0.5 * (w[b] - w[a]) + 0.25 * ((f.x[b] - f.x[a]) * (bx[a] + bx[b]) + (f.y[b] - f.y[a]) * (by[a] + by[b]));
    };
    const T along_r = 0.5 * (1 - s) * on_edge(0, 1) + 0.5 * (1 + s) * on_edge(3, 2);
    const T along_s = 0.5 * (1 - r) * on_edge(0, 3) + 0.5 * (1 + r) * on_edge(1, 2);
    e[6] = rx * along_r + sx * along_s;
    e[7] = ry * along_r + sy * along_s;
    return area;
  }

  template <class X, class T>
  constexpr X strain(int point, const X (&x)[4][3], const T (&u)[4][6], T (&e)[9]) const {
    constexpr double gauss = 0.577350269189625765;
    return strains_at(point % 2 == 0 ? -gauss : gauss, point < 2 ? -gauss : gauss, facet(x), u, e);
  }
  template <class X, class T>
  constexpr void derive(const X (&x)[4][3], const T (&u)[4][6], T* out) const {
    T e[9];
    strains_at(0, 0, facet(x), u, e);
    forces(e, out);
  }
};

}  // namespace ritz
