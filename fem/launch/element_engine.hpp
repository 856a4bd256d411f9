// From a form at a point to element matrices, residuals and derived quantities, for any tabulated element. The text is
// the same on every machine; a Team says who does the items of a loop:
//   CPU   one thread does all items for a batch of elements at once; T = Pack, a lane per element
//   CUDA  block = up to lane_count elements, thread = item (a quadrature point, a pair of nodes, ...); T = double
// team.each(n, f) runs f(0..n-1), team.each_tile(n, t, f) f(0), f(t), ... with all of the team; team.sync() makes what
// was written visible to the team. Scratch arrays live in the team's fast memory (stack or L2 on a CPU, shared memory
// on a GPU). Numbers of nodes are compile-time constants for common cells, the geometry's for linear ones (Shape,
// element_points.hpp); 0 stands for any element, with numbers from its table.
#pragma once

#include "fem/launch/element_points.hpp"
#include "fem/launch/pair_tiles.hpp"

namespace ritz::RITZ_BACKEND {

// Scratch entries (numbers of type T) that the engines need for a table.
template <class F, class Sh>
constexpr int nodal_scratch(const ReferenceTable& t, int vectors = 1) {
  return Sh::geometry_nodes(t) * Sh::G + vectors * Sh::nodes(t) * Sh::C;
}
template <class F, class Sh, int Columns = Sh::column_tile>
constexpr int matrices_scratch(const ReferenceTable& t) {
  const int point = 1 + Sh::place_size + fields_size<F, Sh> + Sh::nodes(t) * Sh::S;
  return nodal_scratch<F, Sh>(t) + t.point_count * (point + Columns * Sh::C * Sh::C * Sh::S);
}
template <class F, class Sh>
constexpr int residuals_scratch(const ReferenceTable& t) {
  return nodal_scratch<F, Sh>(t) + t.point_count * Sh::C * (1 + Sh::D);
}
template <class F, class Sh>
constexpr int evaluate_scratch(const ReferenceTable& t, int results = Sh::K) {
  return nodal_scratch<F, Sh>(t) + t.point_count * (results + 1);
}

// Coordinates, and the unknown where WithUnknown, from global memory to scratch; the team must sync before reading.
template <class Sh, bool WithUnknown, class Team, class P>
constexpr void load_element(const Team& team, const ElementArguments& arguments, Index batch, const P& x, const P& u) {
  const int N = Sh::nodes(arguments.table), M = Sh::geometry_nodes(arguments.table);
  team.each(M, [&](int a) { team.load_coordinates(arguments, batch, a, M, Sh::G, x); });
  if constexpr (WithUnknown) {
    team.each(N, [&](int a) { team.load_unknowns(arguments, batch, a, N, Sh::C, u); });
  }
}

// Block (a, b) of an element matrix; of a symmetric one, where a <= b, also (b, a), or that of the half alone.
template <bool symmetric, class Team, class T, int C>
constexpr void store_pair(const Team& team, const ElementArguments& arguments, Index batch, int a, int b, int N,
                          const T (&sum)[C][C]) {
  for (int i = 0; i < C; ++i)
    for (int j = 0; j < C; ++j) {
      T value = sum[i][j];
      if constexpr (symmetric && Team::mirrors_blocks) {
        if (i > j && a == b) value = sum[j][i];
      }
      if constexpr (symmetric && Team::tiles_pairs) {
        if (arguments.halves) {
          team.store(arguments, batch, half_of(a, b) * C * C + i * C + j, half_count(N) * C * C, value);
          continue;
        }
      }
      team.store(arguments, batch, (a * N + b) * C * C + i * C + j, N * N * C * C, value);
      if (symmetric && a != b) team.store(arguments, batch, (b * N + a) * C * C + j * C + i, N * N * C * C, value);
    }
}

// sum[r][c]: as test_columns() for rows a + r and columns c of the flux, of which there are `columns_left`.
template <class Sh, class T, int R, int Q, class P>
constexpr void test_tile(int N, int points, const P& basis, int a, const P& flux, int columns_left,
                         T (&sum)[R][Q][Sh::C][Sh::C]) {
  constexpr int C = Sh::C, S = Sh::S;
  for (int r = 0; r < R; ++r)
    for (int c = 0; c < Q; ++c)
      for (int i = 0; i < C; ++i)
        for (int j = 0; j < C; ++j) sum[r][c][i][j] = 0.0;
  for (int q = 0; q < points; ++q)
    for (int s = 0; s < S; ++s) {
      T slot[R];
      for (int r = 0; r < R; ++r) slot[r] = basis((q * N + (a + r < N ? a + r : N - 1)) * S + s);
      for (int c = 0; c < Q; ++c) {
        const int column = (c < columns_left ? c : columns_left - 1) * points + q;
        for (int j = 0; j < C; ++j)
          for (int i = 0; i < C; ++i) {
            const T entry = flux((column * C + j) * C * S + i * S + s);
            for (int r = 0; r < R; ++r) sum[r][c][i][j] += slot[r] * entry;
          }
      }
    }
}

// All pairs of an element. flux_of(column, q, b) writes the flux of node b at point q to number `column` of `flux`.
template <class Sh, bool symmetric, class Team, class P, class FluxOf>
constexpr void tiled_pairs(const Team& team, const ElementArguments& arguments, Index batch, int points, const P& basis,
                           const P& flux, const FluxOf& flux_of) {
  using T = typename Team::Number;
  using Tiles = PairTiles<Sh::fixed_nodes, Sh::C, symmetric>;
  constexpr int C = Sh::C, R = Tiles::rows, Q = Tiles::columns;
  const int N = Sh::nodes(arguments.table);
  const Tiles tiles{N};
  for (int step = 0; step < tiles.steps(); ++step) {
    team.each(tiles.columns_of(step) * points, [&](int item) {
      const int column = item / points, b = tiles.node(step, column);
      if (b < N) flux_of(column, item % points, b);
    });
    team.sync();
    team.each(tiles.tiles_of_step(step), [&](int item) {
      const auto [a, b, second] = tiles.tile(step, item);
      T sum[R][Q][C][C];
      test_tile<Sh>(N, points, basis, a, flux.from(second ? Q * points * C * C * Sh::S : 0), N - b, sum);
      for (int r = 0; r < R; ++r)
        for (int c = 0; c < Q; ++c)
          if (a + r < N && b + c < N && (!symmetric || a + r <= b + c))
            store_pair<symmetric>(team, arguments, batch, a + r, b + c, N, sum[r][c]);
    });
    team.sync();
  }
}

// K_(a i)(b j) = integral of grad N_a . d(flux_i)/d(u_j) . grad N_b, with the value slots where the form uses them.
// Points: compile-time number of quadrature points, or 0 when it is known at run time only.
template <Form F, int NodeCount, int D, int Points, class Team, class Memory>
constexpr void element_matrices(const Team& team, const Memory& memory, const F& form,
                                const ElementArguments& arguments, Index batch) {
  using Sh = Shape<F, NodeCount, D>;
  using T = typename Team::Number;
  constexpr int C = Sh::C, G = Sh::G, S = Sh::S, tile = Sh::column_tile;
  constexpr bool linear = FormFacts<F>::linear, symmetric = FormFacts<F>::symmetric;
  const ReferenceTable& table = arguments.table;
  const int N = Sh::nodes(table), points = Points > 0 ? Points : table.point_count;

  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * G), basis = u.from(N * C),
                                    weight = basis.from(points * N * S), place = weight.from(points),
                                    kept = place.from(points * Sh::place_size),
                                    flux = kept.from(points * fields_size<F, Sh>);

  load_element<Sh, !linear>(team, arguments, batch, x, u);
  team.sync();
  team.each(points, [&](int q) {
    const Geometry<Sh, T> g = geometry_of<Sh, T>(team, arguments, batch, x, q);
    basis_at<F, Sh, T>(g, table, q, basis.from(q * N * S));
    weight(q) = weight_at(arguments, g, q);
    keep_place<Sh, T>(g.point, place.from(q * Sh::place_size));
    if constexpr (!linear) {
      keep_fields<Sh, T>(fields_at<F, Sh, T>(u, N, basis.from(q * N * S)), kept.from(q * fields_size<F, Sh>));
    }
  });
  team.sync();
  // Column b at point q, number `column` of those that are handled together.
  const auto flux_of = [&](int column, int q, int b) {
    const Location<T, G, Sh::M> point = kept_place<Sh, T>(place.from(q * Sh::place_size), arguments.time);
    Fields<T, C, G> fields{};
    if constexpr (!linear) { fields = kept_fields<Sh, T>(kept.from(q * fields_size<F, Sh>)); }
    for (int c = 0; c < C; ++c)
      flux_derivative<F, Sh, T>(form, point, fields, c, basis.from((q * N + b) * S), weight(q),
                                flux.from(((column * points + q) * C + c) * C * S));
  };
  if constexpr (Team::tiles_pairs) {
    tiled_pairs<Sh, symmetric>(team, arguments, batch, points, basis, flux, flux_of);
  } else {  // one thread does all items
    team.each_tile(N, tile, [&](int first) {
      const int columns = N - first < tile ? N - first : tile;
      team.each(columns * points, [&](int item) { flux_of(item / points, item % points, first + item / points); });
      team.sync();
      team.each(columns * N, [&](int item) {
        const int a = item % N, b = first + item / N;
        if (symmetric && a > b) return;
        T sum[C][C];
        test_columns<S>(points, basis.from(a * S), N * S, flux.from((item / N) * points * C * C * S), sum);
        store_pair<symmetric>(team, arguments, batch, a, b, N, sum);
      });
      team.sync();
    });
  }
}

// weight * flux at a point, pulled back to reference directions: flux(c * (1 + D)) with the value, then the gradient
// part.
template <class F, class Sh, class T, class P>
constexpr void pull_back(const Fields<T, Sh::C, Sh::G>& f, const Geometry<Sh, T>& g, T weight, const P& flux) {
  constexpr int D = Sh::D, G = Sh::G;
  for (int c = 0; c < Sh::C; ++c) {
    if constexpr (F::uses_value) { flux(c * (1 + D)) = weight * f.value[c]; }
    if constexpr (F::uses_gradient) {
      for (int d = 0; d < D; ++d) {
        T component = f.gradient[c][0] * g.inverse[d][0];
        for (int i = 1; i < G; ++i) component += f.gradient[c][i] * g.inverse[d][i];
        flux(c * (1 + D) + 1 + d) = weight * component;
      }
    }
  }
}

// Entry (a, c) of the element's vector: sum over the points of flux against the shape function of node a. Stored.
template <class F, class Sh, class Team, class P>
constexpr void test_fluxes(const Team& team, const ElementArguments& arguments, Index batch, int points,
                           const P& flux) {
  using T = typename Team::Number;
  constexpr int C = Sh::C, D = Sh::D, width = C * (1 + D);
  const auto& numbers = numbers_of<T>(arguments.table);
  const int N = Sh::nodes(arguments.table);
  team.each(N, [&](int a) {
    T sum[C];
    for (int c = 0; c < C; ++c) sum[c] = 0.0;
    for (int q = 0; q < points; ++q)
      for (int c = 0; c < C; ++c) {
        if constexpr (F::uses_value) { sum[c] += numbers.values[q * N + a] * flux(q * width + c * (1 + D)); }
        if constexpr (F::uses_gradient) {
          for (int d = 0; d < D; ++d)
            sum[c] += numbers.gradients[(q * N + a) * D + d] * flux(q * width + c * (1 + D) + 1 + d);
        }
      }
    for (int c = 0; c < C; ++c) team.store(arguments, batch, a * C + c, N * C, sum[c]);
  });
  team.sync();
}

// r_(a i) = integral of N_a f.value_i + grad N_a . f.gradient_i
template <Form F, int NodeCount, int D, class Team, class Memory>
constexpr void element_residuals(const Team& team, const Memory& memory, const F& form,
                                 const ElementArguments& arguments, Index batch) {
  using Sh = Shape<F, NodeCount, D>;
  using T = typename Team::Number;
  constexpr int C = Sh::C, G = Sh::G;
  const ReferenceTable& table = arguments.table;
  const int N = Sh::nodes(table), points = table.point_count;
  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * G), flux = u.from(N * C);

  load_element<Sh, true>(team, arguments, batch, x, u);
  team.sync();
  team.each(points, [&](int q) {
    const Geometry<Sh, T> g = geometry_of<Sh, T>(team, arguments, batch, x, q);
    const Fields<T, C, G> fields = interpolate<Sh, F::uses_gradient, T>(u, g, table, q);
    Fields<T, C, G> f{};
    call_form(form, g.point, fields, f);
    pull_back<F, Sh, T>(f, g, weight_at(arguments, g, q), flux.from(q * C * (1 + D)));
  });
  team.sync();
  test_fluxes<F, Sh>(team, arguments, batch, points, flux);
}

// The point state becomes what the form makes of it at u.
template <Form F, int NodeCount, int D, class Team, class Memory>
constexpr void element_commits(const Team& team, const Memory& memory, const F& form, const ElementArguments& arguments,
                               Index batch) {
  using Sh = Shape<F, NodeCount, D>;
  using T = typename Team::Number;
  constexpr int S = FormFacts<F>::state;
  const ReferenceTable& table = arguments.table;
  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * Sh::G);

  load_element<Sh, true>(team, arguments, batch, x, u);
  team.sync();
  team.each(table.point_count, [&](int q) {
    const Geometry<Sh, T> g = geometry_of<Sh, T>(team, arguments, batch, x, q);
    Fields<T, Sh::C, Sh::G> f{};
    T now[S];
    call_form(form, g.point, interpolate<Sh, F::uses_gradient, T>(u, g, table, q), f, now);
    for (int i = 0; i < S; ++i) team.store_state(arguments, batch, q * S + i, table.point_count * S, now[i]);
  });
  team.sync();
}

// Derived quantities (strain, stress, heat flux) at the nodes, extrapolated from the points of the table, and their
// means over the cells; likewise the point state.
template <Form F, int NodeCount, int D, class Team, class Memory>
constexpr void element_evaluate(const Team& team, const Memory& memory, const F& form,
                                const ElementArguments& arguments, Index batch) {
  using Sh = Shape<F, NodeCount, D>;
  using T = typename Team::Number;
  constexpr int C = Sh::C, G = Sh::G;
  constexpr bool of_law = FormFacts<F>::from_law > 0;
  const ReferenceTable& table = arguments.table;
  const int K = of_law ? arguments.law_results : Sh::K;
  const int N = Sh::nodes(table), points = table.point_count;
  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * G), derived = u.from(N * C),
                                    weight = derived.from(points * K);

  load_element<Sh, true>(team, arguments, batch, x, u);
  team.sync();
  team.each(points, [&](int q) {
    const Geometry<Sh, T> g = geometry_of<Sh, T, false>(team, arguments, batch, x, q);
    if constexpr (of_law) {
      for (int k = 0; k < K; ++k) derived(q * K + k) = team.from_law(arguments, batch, q * K + k, points * K);
    } else {
      const Fields<T, C, G> fields = interpolate<Sh, !Sh::on_facets, T>(u, g, table, q);
      T out[Sh::K];
      for (int k = 0; k < K; ++k) out[k] = unset;
      derive_at(form, g.point, fields, out);
      for (int k = 0; k < K; ++k) derived(q * K + k) = out[k];
    }
    weight(q) = table.weights[q] * g.measure;
    if (is_of_revolution(form)) weight(q) = weight(q) * g.point.x[0];
  });
  team.sync();
  team.each(N, [&](int a) {
    for (int k = 0; k < K; ++k) {
      T sum = table.extrapolation[a * points] * derived(k);
      for (int q = 1; q < points; ++q) sum += table.extrapolation[a * points + q] * derived(q * K + k);
      team.store(arguments, batch, a * K + k, N * K, sum);
    }
  });
  team.each(K, [&](int k) {
    T sum = 0.0, volume = 0.0;
    for (int q = 0; q < points; ++q) {
      sum += weight(q) * derived(q * K + k);
      volume += weight(q);
    }
    team.store_cell(arguments, batch, k, K, sum / volume);
  });
  team.sync();
}

}  // namespace ritz::RITZ_BACKEND
