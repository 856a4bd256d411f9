// The part of a tangent that couples the points of a cell (fem/materials/from_cell_law.hpp), added to what the engines
// of element_engine.hpp and element_actions.hpp have stored:
//   sum_kl z_k S_kl z_l^T,   z_k = sum_q w B^T Z_k(q)
// Z and S are what the law step left of the cell. Same text and teams.
#pragma once

#include "fem/launch/element_engine.hpp"

#include <algorithm>

namespace ritz::RITZ_BACKEND {

enum class CoupledTask { matrices, actions, diagonals };

template <class F, class Sh>
constexpr int coupled_scratch(const ReferenceTable& t) {
  const int vectors = FormFacts<F>::coupled * Sh::nodes(t) * Sh::C;
  return nodal_scratch<F, Sh>(t) + t.point_count * (1 + Sh::G + Sh::nodes(t) * Sh::S) + 2 * vectors +
         FormFacts<F>::coupled;
}
// Scratch of a task whose first part needs so many entries.
template <class F, class Sh>
constexpr int with_coupled_scratch(int entries, const ReferenceTable& t) {
  if constexpr (FormFacts<F>::coupled > 0) return std::max(entries, coupled_scratch<F, Sh>(t));
  else return entries;
}

// z_k(a, c), from slots, weights and positions at the points.
template <class F, class Sh, class Team, class P>
constexpr void coupled_vectors(const Team& team, const ElementArguments& arguments, Index batch, const P& basis,
                               const P& weight, const P& place, const P& z) {
  using T = typename Team::Number;
  constexpr int C = Sh::C, S = Sh::S, R = F::rows, first = FormFacts<F>::first_gradient_slot;
  const int N = Sh::nodes(arguments.table), points = arguments.table.point_count;
  const int left = points * F::from_law, numbers = left + FormFacts<F>::from_cell(points);
  team.each(F::coupled * N, [&](int item) {
    const int k = item / N, a = item % N;
    T sum[C];
    for (int c = 0; c < C; ++c) sum[c] = 0.0;
    for (int q = 0; q < points; ++q) {
      Location<T, Sh::G> point{};
      for (int d = 0; d < Sh::G; ++d) point.x[d] = place(q * Sh::G + d);
      T rows[R];
      for (int r = 0; r < R; ++r) rows[r] = team.from_law(arguments, batch, left + (k * points + q) * R + r, numbers);
      Fields<T, C, Sh::G> f{};
      F::put(point, rows, f);
      for (int c = 0; c < C; ++c) {
        T along = 0.0;
        if constexpr (F::uses_value) { along += basis((q * N + a) * S) * f.value[c]; }
        for (int d = 0; d < Sh::G; ++d) along += basis((q * N + a) * S + first + d) * f.gradient[c][d];
        sum[c] += weight(q) * along;
      }
    }
    for (int c = 0; c < C; ++c) z((k * N + a) * C + c) = sum[c];
  });
}

// Numbers of coupled nodes in scratch, [vector][node][component]: z, and y_k = sum_l S_kl z_l.
template <class Sh, int Vectors, class P>
struct CoupledNodes {
  P z, y;
  int N;
  constexpr int place(int k, int a, int c) const { return (k * N + a) * Sh::C + c; }
};

template <class Sh, bool symmetric, int Vectors, class Team, class P>
constexpr void store_coupled_matrices(const Team& team, const ElementArguments& arguments, Index batch,
                                      const CoupledNodes<Sh, Vectors, P>& nodes) {
  using T = typename Team::Number;
  constexpr int C = Sh::C;
  team.each(nodes.N * nodes.N, [&](int item) {
    const int a = item / nodes.N, b = item % nodes.N;
    if (symmetric && a > b) return;
    T sum[C][C];
    for (int i = 0; i < C; ++i)
      for (int j = 0; j < C; ++j) {
        sum[i][j] = 0.0;
        for (int k = 0; k < Vectors; ++k) sum[i][j] += nodes.z(nodes.place(k, a, i)) * nodes.y(nodes.place(k, b, j));
      }
    store_pair<symmetric>(team, arguments, batch, a, b, nodes.N, sum);
  });
}

// number(k, a, c): by what z_k(a, c) is multiplied.
template <class Sh, int Vectors, class Team, class P, class Number>
constexpr void store_coupled_nodes(const Team& team, const ElementArguments& arguments, Index batch,
                                   const CoupledNodes<Sh, Vectors, P>& nodes, const Number& number) {
  team.each(nodes.N, [&](int a) {
    for (int c = 0; c < Sh::C; ++c) {
      typename Team::Number sum = 0.0;
      for (int k = 0; k < Vectors; ++k) sum += nodes.z(nodes.place(k, a, c)) * number(k, a, c);
      team.store(arguments, batch, a * Sh::C + c, nodes.N * Sh::C, sum);
    }
  });
}

template <CoupledTask task, Form F, int NodeCount, int D, class Team, class Memory>
requires(FormFacts<F>::coupled > 0) constexpr void add_coupled(const Team& team, const Memory& memory, const F&,
                                                               const ElementArguments& of_points, Index batch) {
  using Sh = Shape<F, NodeCount, D>;
  using T = typename Team::Number;
  constexpr int C = Sh::C, G = Sh::G, V = F::coupled;
  ElementArguments arguments = of_points;
  arguments.accumulate = true;
  const ReferenceTable& table = arguments.table;
  const int N = Sh::nodes(table), points = table.point_count;
  const int coupling = points * (F::from_law + V * F::rows), numbers = coupling + V * V;
  const Piece<Memory> x{memory, 0}, direction = x.from(Sh::geometry_nodes(table) * G), basis = direction.from(N * C),
                                    weight = basis.from(points * N * Sh::S), place = weight.from(points),
                                    z = place.from(points * G), y = z.from(V * N * C), sums = y.from(V * N * C);
  const CoupledNodes<Sh, V, Piece<Memory>> nodes{z, y, N};
  load_element<Sh, false>(team, arguments, batch, x, x);
  if constexpr (task == CoupledTask::actions)
    team.each(N, [&](int a) { team.load_direction(arguments, batch, a, N, C, direction); });
  team.sync();
  team.each(points, [&](int q) {
    const Geometry<Sh, T> g = geometry_at<Sh, T>(x, table, q);
    basis_at<F, Sh, T>(g, table, q, basis.from(q * N * Sh::S));
    weight(q) = table.weights[q] * g.measure;
    for (int d = 0; d < G; ++d) place(q * G + d) = g.point.x[d];
  });
  team.sync();
  coupled_vectors<F, Sh>(team, arguments, batch, basis, weight, place, z);
  team.sync();
  const auto coupled = [&, factor = factor_of<T>(arguments)](int k, const auto& number) {  // sum_l S_kl number(l)
    T sum = 0.0;
    for (int l = 0; l < V; ++l) sum += team.from_law(arguments, batch, coupling + k * V + l, numbers) * number(l);
    return factor * sum;
  };
  if constexpr (task == CoupledTask::actions) {
    team.each(V, [&](int l) {
      y(l) = 0.0;
      for (int i = 0; i < N * C; ++i) y(l) += z(l * N * C + i) * direction(i);
    });
    team.sync();
    team.each(V, [&](int k) { sums(k) = coupled(k, [&](int l) { return y(l); }); });
    team.sync();
    store_coupled_nodes(team, arguments, batch, nodes, [&](int k, int, int) { return sums(k); });
  } else {
    team.each(V * N * C, [&](int item) {
      y(item) = coupled(item / (N * C), [&](int l) { return z(l * N * C + item % (N * C)); });
    });
    team.sync();
    if constexpr (task == CoupledTask::matrices)
      store_coupled_matrices<Sh, FormFacts<F>::symmetric>(team, arguments, batch, nodes);
    else
      store_coupled_nodes(team, arguments, batch, nodes, [&](int k, int a, int c) { return y(nodes.place(k, a, c)); });
  }
  team.sync();
}

}  // namespace ritz::RITZ_BACKEND
