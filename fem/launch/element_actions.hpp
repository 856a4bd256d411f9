// Tangents of a form on any element without their matrices: their action on a vector, and their diagonal. Same text and
// teams as element_engine.hpp.
#pragma once

#include "fem/launch/element_engine.hpp"

namespace ritz::RITZ_BACKEND {

template <class F, class Sh>
constexpr int actions_scratch(const ReferenceTable& t) {
  return nodal_scratch<F, Sh>(t, 2) + t.point_count * Sh::C * (1 + Sh::D);
}
template <class F, class Sh>
constexpr int diagonals_scratch(const ReferenceTable& t) {
  return nodal_scratch<F, Sh>(t) + t.point_count * (1 + Sh::place_size + Sh::D * Sh::G + fields_size<F, Sh>);
}
// The tangent at u applied to the direction, without its matrix: as the residual, with the flux's derivative.
template <Form F, int NodeCount, int D, class Team, class Memory>
constexpr void element_actions(const Team& team, const Memory& memory, const F& form, const ElementArguments& arguments,
                               Index batch) {
  using Sh = Shape<F, NodeCount, D>;
  using T = typename Team::Number;
  constexpr int C = Sh::C, G = Sh::G;
  constexpr bool linear = FormFacts<F>::linear;
  const ReferenceTable& table = arguments.table;
  const int N = Sh::nodes(table), points = table.point_count;
  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * G), direction = u.from(N * C),
                                    flux = direction.from(N * C);

  const int M = Sh::geometry_nodes(table);
  const auto origin = team.origin_of(arguments, batch, M, G);
  team.each(M, [&](int a) { team.load_coordinates_from(origin, arguments, batch, a, M, G, x); });
  if constexpr (!linear) team.each(N, [&](int a) { team.load_unknowns(arguments, batch, a, N, C, u); });
  team.each(N, [&](int a) { team.load_direction(arguments, batch, a, N, C, direction); });
  team.sync();
  team.each(points, [&](int q) {
    Geometry<Sh, T> g = geometry_of<Sh, T>(team, arguments, batch, x, q);
    for (int i = 0; i < G; ++i) g.point.x[i] += origin(i);
    Fields<T, C, G> fields{};
    if constexpr (!linear) { fields = interpolate<Sh, F::uses_gradient, T>(u, g, table, q); }
    const Fields<T, C, G> change = interpolate<Sh, F::uses_gradient, T>(direction, g, table, q);
    pull_back<F, Sh, T>(tangent_flux<F, Sh, T>(form, g.point, fields, change), g, weight_at(arguments, g, q),
                        flux.from(q * C * (1 + D)));
  });
  team.sync();
  test_fluxes<F, Sh>(team, arguments, batch, points, flux);
}

// The diagonal of the element matrix.
template <Form F, int NodeCount, int D, class Team, class Memory>
constexpr void element_diagonals(const Team& team, const Memory& memory, const F& form,
                                 const ElementArguments& arguments, Index batch) {
  using Sh = Shape<F, NodeCount, D>;
  using T = typename Team::Number;
  constexpr int C = Sh::C, G = Sh::G, S = Sh::S, first = FormFacts<F>::first_gradient_slot;
  constexpr bool linear = FormFacts<F>::linear;
  const ReferenceTable& table = arguments.table;
  const int N = Sh::nodes(table), points = table.point_count;
  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * G), weight = u.from(N * C),
                                    place = weight.from(points), inverse = place.from(points * Sh::place_size),
                                    kept = inverse.from(points * D * G);

  load_element<Sh, !linear>(team, arguments, batch, x, u);
  team.sync();
  team.each(points, [&](int q) {
    const Geometry<Sh, T> g = geometry_of<Sh, T>(team, arguments, batch, x, q);
    weight(q) = weight_at(arguments, g, q);
    keep_place<Sh, T>(g.point, place.from(q * Sh::place_size));
    for (int d = 0; d < D; ++d)
      for (int i = 0; i < G; ++i) inverse((q * D + d) * G + i) = g.inverse[d][i];
    if constexpr (!linear) {
      keep_fields<Sh, T>(interpolate<Sh, F::uses_gradient, T>(u, g, table, q), kept.from(q * fields_size<F, Sh>));
    }
  });
  team.sync();
  team.each(N, [&](int a) {
    T sum[C];
    for (int c = 0; c < C; ++c) sum[c] = 0.0;
    for (int q = 0; q < points; ++q) {
      T slots[S > 0 ? S : 1], out[C * S > 0 ? C * S : 1];
      if constexpr (F::uses_value) { slots[0] = table.values[q * N + a]; }
      if constexpr (F::uses_gradient) {
        const double* gradient = table.gradients + (q * N + a) * D;
        for (int i = 0; i < G; ++i) {
          T slope = gradient[0] * inverse(q * D * G + i);
          for (int d = 1; d < D; ++d) slope += gradient[d] * inverse((q * D + d) * G + i);
          slots[first + i] = slope;
        }
      }
      const Location<T, G, Sh::M> point = kept_place<Sh, T>(place.from(q * Sh::place_size), arguments.time);
      Fields<T, C, G> fields{};
      if constexpr (!linear) { fields = kept_fields<Sh, T>(kept.from(q * fields_size<F, Sh>)); }
      for (int c = 0; c < C; ++c) {
        flux_derivative<F, Sh, T>(form, point, fields, c, LocalEntries<T>{slots}, weight(q), LocalEntries<T>{out});
        for (int s = 0; s < S; ++s) sum[c] += slots[s] * out[c * S + s];
      }
    }
    for (int c = 0; c < C; ++c) team.store(arguments, batch, a * C + c, N * C, sum[c]);
  });
  team.sync();
}

}  // namespace ritz::RITZ_BACKEND
