// A flat shell facet of four nodes with six unknowns each: bilinear membrane, Reissner and Mindlin's plate with the
// assumed transverse shear of MITC4 (Dvorkin and Bathe, Engineering Computations 1 (1984) 77), and the rotation about
// the normal tied to that of the membrane (Hughes and Brezzi, CMAME 72 (1989) 105): in the middle of the facet, the
// more tightly the smaller it is against the thickness, and by a small stiffness at the points. Nodes of a warped facet
// are tied rigidly to its mean plane, so that rigid motions cost nothing. Small displacements, isotropic.
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

  // Derivatives of the functions along the local axes at a point of the reference square.
  template <class X>
  struct Slopes {
    X x[4], y[4], rx, ry, sx, sy, area;  // of the nodes; those of r and s; area per unit of the square
  };
  template <class X>
  static constexpr Slopes<X> slopes(double r, double s, const Facet<X>& f) {
    const double dr[4] = {-0.25 * (1 - s), 0.25 * (1 - s), 0.25 * (1 + s), -0.25 * (1 + s)};
    const double ds[4] = {-0.25 * (1 - r), -0.25 * (1 + r), 0.25 * (1 + r), 0.25 * (1 - r)};
    X xr = 0.0, xs = 0.0, yr = 0.0, ys = 0.0;
    for (int n = 0; n < 4; ++n) {
      xr += dr[n] * f.x[n];
      xs += ds[n] * f.x[n];
      yr += dr[n] * f.y[n];
      ys += ds[n] * f.y[n];
    }
    Slopes<X> N;
    N.area = xr * ys - xs * yr;
    N.rx = ys / N.area;
    N.ry = -xs / N.area;
    N.sx = -yr / N.area;
    N.sy = xr / N.area;
    for (int n = 0; n < 4; ++n) {
      N.x[n] = dr[n] * N.rx + ds[n] * N.sx;
      N.y[n] = dr[n] * N.ry + ds[n] * N.sy;
    }
    return N;
  }

  // Strains at a point of the reference square, in the order of ShellSection. Returns the area per unit of the square.
  template <class X, class T>
  constexpr X strains_at(double r, double s, const Facet<X>& f, const T (&u)[4][6], T (&e)[strains]) const {
    using std::sqrt;
    const double value[4] = {0.25 * (1 - r) * (1 - s), 0.25 * (1 + r) * (1 - s), 0.25 * (1 + r) * (1 + s),
                             0.25 * (1 - r) * (1 + s)};
    const Slopes<X> N = slopes(r, s, f), middle = slopes(0, 0, f);
    T w[4], bx[4], by[4];  // deflection, and the rotations by which a normal leans along x and y
    for (int k = 0; k < strains; ++k) e[k] = 0.0;
    for (int n = 0; n < 4; ++n) {
      const T d[3] = {u[n][0], u[n][1], u[n][2]}, t[3] = {u[n][3], u[n][4], u[n][5]};
      const T tx = dot(f.ex, t), ty = dot(f.ey, t), tz = dot(f.ez, t);
      const T ux = dot(f.ex, d) - f.offset[n] * ty, uy = dot(f.ey, d) + f.offset[n] * tx;
      w[n] = dot(f.ez, d);
      bx[n] = ty;
      by[n] = -tx;
      e[0] += N.x[n] * ux;
      e[1] += N.y[n] * uy;
      e[2] += N.y[n] * ux + N.x[n] * uy;
      e[3] += N.x[n] * bx[n];
      e[4] += N.y[n] * by[n];
      e[5] += N.y[n] * bx[n] + N.x[n] * by[n];
      e[8] += value[n] * tz - 0.5 * (N.x[n] * uy - N.y[n] * ux);
      e[9] += 0.25 * tz - 0.5 * (middle.x[n] * uy - middle.y[n] * ux);
    }
    e[9] = sqrt(1 + thickness * thickness / (4 * middle.area)) * e[9];
    // Covariant shears in the middles of the edges, interpolated across.
    const auto on_edge = [&](int a, int b) -> T {
      return 0.5 * (w[b] - w[a]) + 0.25 * ((f.x[b] - f.x[a]) * (bx[a] + bx[b]) + (f.y[b] - f.y[a]) * (by[a] + by[b]));
    };
    const T along_r = 0.5 * (1 - s) * on_edge(0, 1) + 0.5 * (1 + s) * on_edge(3, 2);
    const T along_s = 0.5 * (1 - r) * on_edge(0, 3) + 0.5 * (1 + r) * on_edge(1, 2);
    e[6] = N.rx * along_r + N.sx * along_s;
    e[7] = N.ry * along_r + N.sy * along_s;
    return N.area;
  }

  template <class X, class T>
  constexpr X strain(int point, const X (&x)[4][3], const T (&u)[4][6], T (&e)[strains]) const {
    constexpr double gauss = 0.577350269189625765;
    return strains_at(point % 2 == 0 ? -gauss : gauss, point < 2 ? -gauss : gauss, facet(x), u, e);
  }
  template <class X, class T>
  constexpr void derive(const X (&x)[4][3], const T (&u)[4][6], T* out) const {
    T e[strains];
    strains_at(0, 0, facet(x), u, e);
    forces(e, out);
  }
};

}  // namespace ritz
