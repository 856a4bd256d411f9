// Loads on nodes, beams and shells; with a minus sign, as residual = internal - external.
#pragma once

#include "fem/elements/beam.hpp"

namespace ritz {

// Force [N] and, with six unknowns, moment [N m] at a node.
template <int C>
struct NodeLoad {
  static constexpr const char* name = C == 3 ? "node_load3" : "node_load6";
  static constexpr auto cell = CellKind::vertex1;
  static constexpr int components = C;
  static constexpr bool linear = true, has_matrix = false;
  double force[3], moment[3];

  template <class X, class T>
  constexpr void residual(const X (&)[1][3], const T (&)[1][C], T (&r)[1][C]) const {
    for (int c = 0; c < C; ++c) r[0][c] = c < 3 ? -force[c] : -moment[c - 3];
  }
};

// Force per length of a bar [N/m]; of a beam, with the moments that make its nodes those of the loaded beam.
template <int C>
struct LineLoad {
  static constexpr const char* name = C == 3 ? "line_load3" : "line_load6";
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = C;
  static constexpr bool linear = true, has_matrix = false;
  double force[3];

  template <class X, class T>
  constexpr void residual(const X (&x)[2][3], const T (&)[2][C], T (&r)[2][C]) const {
    using std::sqrt;
    const Three<X> d = difference(x[1], x[0]);
    const X length = sqrt(dot(d, d));
    for (int n = 0; n < 2; ++n)
      for (int c = 0; c < 3; ++c) r[n][c] = (-0.5 * force[c]) * length;
    if constexpr (C == 6) {
      const Three<X> moment = cross(d, Three<X>{{X(force[0]), X(force[1]), X(force[2])}});
      for (int c = 0; c < 3; ++c) {
        r[0][3 + c] = (-1.0 / 12) * length * moment[c];
        r[1][3 + c] = (1.0 / 12) * length * moment[c];
      }
    }
  }
};

// Force per length along the axis of a beam with offsets [N/m]: it also has a moment about the nodes.
struct OffsetLineLoad {
  static constexpr const char* name = "offset_line_load";
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = 6;
  static constexpr bool linear = true, has_matrix = false;
  Beam beam;
  double force[3];

  template <class X, class T>
  constexpr void residual(const X (&x)[2][3], const T (&u)[2][6], T (&r)[2][6]) const {
    LineLoad<6>{{force[0], force[1], force[2]}}.residual(x, u, r);
    const auto a = beam.axes(x);
    Three<X> arm, half;
    for (int d = 0; d < 3; ++d) {
      arm[d] = beam.offset_y * a.y[d] + beam.offset_z * a.z[d];
      half[d] = (0.5 * force[d]) * a.length;
    }
    const Three<X> moment = cross(arm, half);
    for (int n = 0; n < 2; ++n)
      for (int d = 0; d < 3; ++d) r[n][3 + d] = r[n][3 + d] - moment[d];
  }
};

// Force per area of a shell [Pa]: a vector, and a pressure against its normal.
struct ShellLoad {
  static constexpr const char* name = "shell_load";
  static constexpr auto cell = CellKind::quad4;
  static constexpr int components = 6;
  static constexpr bool linear = true, has_matrix = false;
  double force[3], pressure;

  template <class X, class T>
  constexpr void residual(const X (&x)[4][3], const T (&)[4][6], T (&r)[4][6]) const {
    constexpr double gauss = 0.577350269189625765;
    for (int point = 0; point < 4; ++point) {
      const double p = point % 2 == 0 ? -gauss : gauss, q = point < 2 ? -gauss : gauss;
      const double N[4] = {0.25 * (1 - p) * (1 - q), 0.25 * (1 + p) * (1 - q), 0.25 * (1 + p) * (1 + q),
                           0.25 * (1 - p) * (1 + q)};
      Three<X> tp, tq;
      for (int d = 0; d < 3; ++d) {
        tp[d] = 0.25 * ((1 - q) * (x[1][d] - x[0][d]) + (1 + q) * (x[2][d] - x[3][d]));
        tq[d] = 0.25 * ((1 - p) * (x[3][d] - x[0][d]) + (1 + p) * (x[2][d] - x[1][d]));
      }
      using std::sqrt;
      const Three<X> normal = cross(tp, tq);
      const X area = sqrt(dot(normal, normal));
      for (int n = 0; n < 4; ++n)
        for (int d = 0; d < 3; ++d) r[n][d] += N[n] * (pressure * normal[d] - force[d] * area);
    }
  }
};

}  // namespace ritz
