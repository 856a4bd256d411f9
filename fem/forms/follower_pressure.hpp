// Pressure on the deformed surface, which turns with the body: the force on an area element is -p n da with
// n da = cof(F) N dA (Nanson). cof(F) N depends on the gradient along the facet alone, as F a x F b of two tangents.
// The tangent is symmetric only as a whole, for a constant pressure on a closed surface or one whose edge is held
// (Schweizerhof and Ramm, Comput. Struct. 18, 1984); element by element it is not.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"

#include <array>

namespace ritz {

// cof(I + gradient) N, the normal times the ratio of areas; of a gradient along the facet.
template <class T>
constexpr void deformed_area(const T (&normal)[3], const T (&gradient)[3][3], T (&area)[3]) {
  T F[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) F[i][j] = gradient[i][j] + (i == j ? 1.0 : 0.0);
  for (int i = 0; i < 3; ++i) {
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    area[i] = 0.0;
    for (int j = 0; j < 3; ++j) {
      const int m = (j + 1) % 3, n = (j + 2) % 3;
      area[i] += (F[k][m] * F[l][n] - F[k][n] * F[l][m]) * normal[j];
    }
  }
}
template <class T>
constexpr void deformed_area(const T (&normal)[2], const T (&gradient)[2][2], T (&area)[2]) {
  const T along[2] = {0.0 - normal[1], normal[0]};  // the tangent of which the normal lies to the right
  T turned[2];
  for (int i = 0; i < 2; ++i) turned[i] = along[i] + gradient[i][0] * along[0] + gradient[i][1] * along[1];
  area[0] = turned[1];
  area[1] = 0.0 - turned[0];
}

// In two dimensions `weight` is the thickness; of a body of revolution it is 2 pi, and the deformed radius joins it.
template <int G>
struct FollowerPressure {
  static constexpr const char* name = G == 3 ? "follower_pressure3" : "follower_pressure2";
  static constexpr int components = G, dimension = G, codimension = 1;
  static constexpr bool uses_value = true, uses_gradient = true;
  static constexpr const char* unknown = "displacement";
  static constexpr std::array<ParameterFacts, 1> given = {
      {{.name = "pressure", .unit = "Pa", .about = "positive when it pushes into the body", .example = 2}}};
  double weight = 1;
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G, 1>& p, const Fields<T, G, G>& u, Fields<T, G, G>& f) const {
    T area[G];
    deformed_area(p.normal, u.gradient, area);
    T factor = weight * p.given[0];
    if (axisymmetric) factor = factor * (p.x[0] + u.value[0]);
    for (int i = 0; i < G; ++i) {
      f.value[i] = factor * area[i];
      for (int d = 0; d < G; ++d) f.gradient[i][d] = 0.0;
    }
  }
};

}  // namespace ritz
