// Stiffness of a hexahedron of 8 nodes against the motions that its uniform gradient does not see, hourglasses. Each
// component moves along four of them, g_k = h_k - (h_k . x_i) b_i with h = eta zeta, xi zeta, xi eta, xi eta zeta at
// the nodes and b the mean gradients of the shape functions; linear motions cause no force (Flanagan and Belytschko,
// Int. J. Num. Meth. Engng 17 (1981) 679). Energy: stiffness / 2 V b_ia b_ia sum_ki (g_k . u_i)^2.
#pragma once

#include "fem/forms/whole_element.hpp"

namespace ritz {

struct HourglassStiffness {
  static constexpr const char* name = "hourglass stiffness";
  static constexpr auto cell = CellKind::hex8;
  static constexpr int components = 3, points = 1, strains = 12;
  static constexpr bool linear = true, objective = true;
  static constexpr const char* unknown = "displacement";
  static constexpr double usual = 0.0005;  // of Young's modulus, as CalculiX has it

  double stiffness;  // [Pa]. No parameter of a section: it belongs to the material of a solid

  template <class X, class T>
  constexpr X strain(int, const X (&x)[8][3], const T (&u)[8][3], T (&e)[strains]) const {
    X b[8][3], volume, squares = 0.0;
    mean_gradients(x, b, volume);
    for (int a = 0; a < 8; ++a)
      for (int i = 0; i < 3; ++i) squares += b[a][i] * b[a][i];
    for (int k = 0; k < 4; ++k) {
      X along[3];
      for (int i = 0; i < 3; ++i) {
        along[i] = 0.0;
        for (int a = 0; a < 8; ++a) along[i] += hourglass(k, a) * x[a][i];
        e[3 * k + i] = 0.0;
      }
      for (int a = 0; a < 8; ++a) {
        X gamma = hourglass(k, a);
        for (int j = 0; j < 3; ++j) gamma -= along[j] * b[a][j];
        for (int i = 0; i < 3; ++i) e[3 * k + i] += gamma * u[a][i];
      }
    }
    return stiffness * volume * squares;
  }
  template <class T>
  constexpr T energy(const T (&e)[strains]) const {
    T sum = 0.0;
    for (int k = 0; k < strains; ++k) sum += e[k] * e[k];
    return 0.5 * sum;
  }

 private:
  // -1 or 1: a coordinate of node a.
  static constexpr double corner(int a, int direction) {
    constexpr double x[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    return x[a][direction];
  }
  static constexpr double hourglass(int k, int a) {
    double h = 1;
    for (int d = 0; d < 3; ++d)
      if (d != k) h *= corner(a, d);
    return h;
  }
  // b = integral of grad N / volume, exact by two points a direction.
  template <class X>
  static constexpr void mean_gradients(const X (&x)[8][3], X (&b)[8][3], X& volume) {
    constexpr double point = 0.57735026918962576451;
    volume = 0.0;
    for (int a = 0; a < 8; ++a)
      for (int i = 0; i < 3; ++i) b[a][i] = 0.0;
    for (int q = 0; q < 8; ++q) {
      double slopes[8][3];
      X J[3][3];
      for (int i = 0; i < 3; ++i)
        for (int d = 0; d < 3; ++d) J[i][d] = 0.0;
      for (int a = 0; a < 8; ++a)
        for (int d = 0; d < 3; ++d) {
          double slope = corner(a, d) / 8;
          for (int e = 0; e < 3; ++e)
            if (e != d) slope *= 1 + point * corner(q, e) * corner(a, e);
          slopes[a][d] = slope;
          for (int i = 0; i < 3; ++i) J[i][d] += slope * x[a][i];
        }
      for (int i = 0; i < 3; ++i)
        for (int d = 0; d < 3; ++d) {
          const int j = (i + 1) % 3, k = (i + 2) % 3, e = (d + 1) % 3, f = (d + 2) % 3;
          const X cofactor = J[j][e] * J[k][f] - J[j][f] * J[k][e];
          if (i == 0) volume += J[0][d] * cofactor;
          for (int a = 0; a < 8; ++a) b[a][i] += slopes[a][d] * cofactor;
        }
    }
    for (int a = 0; a < 8; ++a)
      for (int i = 0; i < 3; ++i) b[a][i] = b[a][i] / volume;
  }
};

}  // namespace ritz
