// Stiffness in Voigt's notation and axes of materials: order xx, yy, zz, xy, yz, xz, with engineering shear strains
// (gamma_xy = 2 eps_xy). In the plane only the first four exist, and axes 1 and 2 lie in it. Jones, Mechanics of
// Composite Materials, 2nd ed. 1999, sections 2.2 and 2.6.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"

#include <array>

namespace ritz {

// The upper triangle of a symmetric 6 x 6 matrix, row by row.
struct Voigt {
  static constexpr int entries = 21;
  static constexpr int entry(int i, int j) { return i <= j ? 6 * i - i * (i - 1) / 2 + j - i : entry(j, i); }
  static constexpr int rows(int dimension) { return dimension == 3 ? 6 : 4; }
};

// Engineering strains of a displacement gradient; zero across the plane.
template <int G, class T>
constexpr void voigt_strain(const T (&g)[G][G], T (&strain)[Voigt::rows(G)]) {
  for (int i = 0; i < 3; ++i) strain[i] = i < G ? g[i < G ? i : 0][i < G ? i : 0] : T(0.0);
  strain[3] = g[0][1] + g[1][0];
  if constexpr (G == 3) {
    strain[4] = g[1][2] + g[2][1];
    strain[5] = g[0][2] + g[2][0];
  }
}

// Row i of the stress.
template <int R, class T>
constexpr T voigt_row(const double (&stiffness)[Voigt::entries], int i, const T (&strain)[R]) {
  T sum = stiffness[Voigt::entry(i, 0)] * strain[0];
  for (int j = 1; j < R; ++j) sum += stiffness[Voigt::entry(i, j)] * strain[j];
  return sum;
}

template <int G, class T>
constexpr void put_stress(const T (&stress)[Voigt::rows(G)], T (&gradient)[G][G]) {
  for (int i = 0; i < G; ++i) gradient[i][i] = stress[i];
  gradient[0][1] = gradient[1][0] = stress[3];
  if constexpr (G == 3) {
    gradient[1][2] = gradient[2][1] = stress[4];
    gradient[0][2] = gradient[2][0] = stress[5];
  }
}

// Material axes at a point, from the first two, which are unit vectors at right angles: axis[a][d].
template <class T, int N>
constexpr void material_axes(const T (&given)[N], T (&axis)[3][3]) {
  for (int d = 0; d < 3; ++d) {
    axis[0][d] = given[d];
    axis[1][d] = given[3 + d];
  }
  for (int d = 0; d < 3; ++d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    axis[2][d] = axis[0][e] * axis[1][f] - axis[0][f] * axis[1][e];
  }
}

// Components of a tensor along the material axes.
template <int G, class A, class T>
constexpr void to_material_axes(const A (&axis)[3][3], const T (&global)[G][G], T (&local)[G][G]) {
  T half[G][G];
  for (int a = 0; a < G; ++a)
    for (int j = 0; j < G; ++j) {
      half[a][j] = axis[a][0] * global[0][j];
      for (int i = 1; i < G; ++i) half[a][j] += axis[a][i] * global[i][j];
    }
  for (int a = 0; a < G; ++a)
    for (int b = 0; b < G; ++b) {
      local[a][b] = half[a][0] * axis[b][0];
      for (int j = 1; j < G; ++j) local[a][b] += half[a][j] * axis[b][j];
    }
}

// Components of a tensor along the axes of space, from those along the material axes.
template <int G, class A, class T>
constexpr void from_material_axes(const A (&axis)[3][3], const T (&local)[G][G], T (&global)[G][G]) {
  T half[G][G];
  for (int a = 0; a < G; ++a)
    for (int j = 0; j < G; ++j) {
      half[a][j] = local[a][0] * axis[0][j];
      for (int b = 1; b < G; ++b) half[a][j] += local[a][b] * axis[b][j];
    }
  for (int i = 0; i < G; ++i)
    for (int j = 0; j < G; ++j) {
      global[i][j] = axis[0][i] * half[0][j];
      for (int a = 1; a < G; ++a) global[i][j] += axis[a][i] * half[a][j];
    }
}

inline constexpr ParameterFacts axis_given[6] = {{.name = "axis1_x"}, {.name = "axis1_y"}, {.name = "axis1_z"},
                                                 {.name = "axis2_x"}, {.name = "axis2_y"}, {.name = "axis2_z"}};

}  // namespace ritz
