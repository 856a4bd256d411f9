// Forms on facets that take the gradient of the unknown along the facet, as loads do that turn with the body; the
// gradient across it is zero. A kernel source of such a form includes this header.
#pragma once

#include "fem/launch/element_points.hpp"

namespace ritz::RITZ_BACKEND {

template <class F>
concept FormAlongFacets = Form<F> && FormFacts<F>::codimension == 1 && F::uses_gradient;

// The form as one of values alone, whose sizes and geometry are the same.
template <FormAlongFacets F>
struct ValuesOf : F {
  static constexpr bool uses_gradient = false;
};

template <FormAlongFacets F, int NodeCount, int ReferenceDimension>
struct Shape<F, NodeCount, ReferenceDimension> : Shape<ValuesOf<F>, NodeCount, ReferenceDimension> {
  using Facts = FormFacts<F>;
  using OfValues = Shape<ValuesOf<F>, NodeCount, ReferenceDimension>;
  static constexpr bool along_facets = true;
  static constexpr int S = Facts::slots;
};

// The pseudo-inverse (J^T J)^-1 J^T of the Jacobian takes gradients along the facet to space.
template <class Sh, class T, class X>
requires(Sh::along_facets) constexpr Geometry<Sh, T> geometry_at(const X& x, const ReferenceTable& table, int q) {
  constexpr int D = Sh::D, G = Sh::G;
  const Geometry<typename Sh::OfValues, T> plain = geometry_at<typename Sh::OfValues, T>(x, table, q);
  Geometry<Sh, T> g{};
  g.point = plain.point;
  g.measure = plain.measure;
  const int N = Sh::geometry_nodes(table);
  const auto* gradients = numbers_of<T>(table).geometry_gradients + q * N * D;
  T jacobian[G][D];
  for (int i = 0; i < G; ++i)
    for (int d = 0; d < D; ++d) jacobian[i][d] = 0.0;
  for (int a = 0; a < N; ++a)
    for (int i = 0; i < G; ++i)
      for (int d = 0; d < D; ++d) jacobian[i][d] += gradients[a * D + d] * x(a * G + i);
  T metric[D][D];
  for (int d = 0; d < D; ++d)
    for (int e = 0; e < D; ++e) {
      metric[d][e] = jacobian[0][d] * jacobian[0][e];
      for (int i = 1; i < G; ++i) metric[d][e] += jacobian[i][d] * jacobian[i][e];
    }
  const T scale = 1.0 / (g.measure * g.measure);  // det(J^T J) is the square of the ratio of areas
  for (int i = 0; i < G; ++i) {
    if constexpr (D == 1) {
      g.inverse[0][i] = jacobian[i][0] * scale;
    } else {
      g.inverse[0][i] = (metric[1][1] * jacobian[i][0] - metric[0][1] * jacobian[i][1]) * scale;
      g.inverse[1][i] = (metric[0][0] * jacobian[i][1] - metric[0][1] * jacobian[i][0]) * scale;
    }
  }
  return g;
}

}  // namespace ritz::RITZ_BACKEND
