// Tangents kept at quadrature points. Where a form's tangent depends on the unknown, it is evaluated once, by dual
// numbers, and kept in single precision; then a multigrid cycle's products, diagonals and coarser matrices need neither
// form nor unknown nor geometry:
//
//   D_(c d)(e f) = weight * d(flux_c)/d(grad u_e), both pulled back to the reference directions d and f
//   K x = factor * sum over the points of  grad N . D . grad N x,   gradients being those of the reference cell
//
// The integral's factor is no part of D, which holds whatever the factor becomes.
//
// D is symmetric: its lower triangle by rows, c * D + d the row, is kept as [batch][point][entry][lane]. Elements of
// another order on the same cells, tabulated at the same points, give the Galerkin product of that order. Davydov,
// Pelteret, Arndt, Kronbichler, Steinmann, Int. J. Numer. Meth. Eng. 121 (2020) 2874, compare what may be kept. Same
// text and teams as element_engine.hpp.
#pragma once

#include "fem/launch/element_engine.hpp"

namespace ritz::RITZ_BACKEND {

// Forms of vectors in space that depend on their gradients, as in solids.
template <Form F, int D>
constexpr bool keeps_tangents = FormFacts<F>::has_matrix&& FormFacts<F>::symmetric &&
                                (!FormFacts<F>::linear || FormFacts<F>::from_law > 0) && F::uses_gradient &&
                                !F::uses_value && FormFacts<F>::codimension == 0 && F::components == 3 && D == 3;

constexpr int tangent_entry(int row, int column) {
  return row < column ? column * (column + 1) / 2 + row : row * (row + 1) / 2 + column;
}

// Sizes; NodeCount 0: nodes are counted at run time.
template <int Components, int Dimension, int NodeCount>
struct TangentShape {
  static constexpr int C = Components, D = Dimension, rows = C * D, entries = rows * (rows + 1) / 2;
  static constexpr int nodes(const ReferenceTable& t) { return NodeCount > 0 ? NodeCount : t.node_count; }
  static constexpr int actions_scratch(const ReferenceTable& t) { return nodes(t) * C + t.point_count * rows; }
};

template <Form F, int NodeCount, int D, class Team, class Memory>
constexpr void element_tangents(const Team& team, const Memory& memory, const F& form,
                                const ElementArguments& arguments, Index batch) {
  using Sh = Shape<F, NodeCount, D>;
  using Kept = TangentShape<Sh::C, D, NodeCount>;
  using T = typename Team::Number;
  constexpr int C = Sh::C, G = Sh::G;
  const ReferenceTable& table = arguments.table;
  const Piece<Memory> x{memory, 0}, u = x.from(Sh::geometry_nodes(table) * G);

  load_element<Sh, true>(team, arguments, batch, x, u);
  team.sync();
  team.each(table.point_count, [&](int q) {
    const Geometry<Sh, T> g = geometry_of<Sh, T>(team, arguments, batch, x, q);
    const Fields<T, C, G> fields = interpolate<Sh, true, T>(u, g, table, q);
    const T weight = table.weights[q] * g.measure;
    for (int column = 0; column < Kept::rows; ++column) {
      Fields<T, C, G> direction{};
      for (int c = 0; c < C; ++c)
        for (int i = 0; i < G; ++i) direction.gradient[c][i] = c == column / D ? g.inverse[column % D][i] : T(0.0);
      const Fields<T, C, G> flux = tangent_flux<F, Sh, T>(form, g.point, fields, direction);
      for (int row = column; row < Kept::rows; ++row) {
        T entry = 0.0;
        for (int i = 0; i < G; ++i) entry += flux.gradient[row / D][i] * g.inverse[row % D][i];
        team.store_tangent(arguments, batch, q * Kept::entries + tangent_entry(row, column),
                           table.point_count * Kept::entries, weight * entry);
      }
    }
  });
  team.sync();
}

// The tangents applied to the direction.
template <class Sh, class Team, class Memory>
constexpr void tangent_actions(const Team& team, const Memory& memory, const ElementArguments& arguments, Index batch) {
  using T = typename Team::Number;
  constexpr int C = Sh::C, D = Sh::D, rows = Sh::rows;
  const auto& gradients = numbers_of<T>(arguments.table).gradients;
  const int N = Sh::nodes(arguments.table), points = arguments.table.point_count;
  const auto factor = factor_of<T>(arguments);
  const Piece<Memory> direction{memory, 0}, flux = direction.from(N * C);

  team.each(N, [&](int a) { team.load_direction(arguments, batch, a, N, C, direction); });
  team.sync();
  team.each(points, [&](int q) {
    T slope[rows], sum[rows];
    for (int row = 0; row < rows; ++row) slope[row] = sum[row] = 0.0;
    for (int a = 0; a < N; ++a)
      for (int c = 0; c < C; ++c) {
        const T value = direction(a * C + c);
        for (int d = 0; d < D; ++d) slope[c * D + d] += gradients[(q * N + a) * D + d] * value;
      }
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column <= row; ++column) {
        const T entry =
            team.tangent(arguments, batch, q * Sh::entries + tangent_entry(row, column), points * Sh::entries);
        sum[row] += entry * slope[column];
        if (column < row) sum[column] += entry * slope[row];
      }
    for (int row = 0; row < rows; ++row) flux(q * rows + row) = sum[row];
  });
  team.sync();
  team.each(N, [&](int a) {
    T sum[C];
    for (int c = 0; c < C; ++c) sum[c] = 0.0;
    for (int q = 0; q < points; ++q)
      for (int c = 0; c < C; ++c)
        for (int d = 0; d < D; ++d) sum[c] += gradients[(q * N + a) * D + d] * flux(q * rows + c * D + d);
    for (int c = 0; c < C; ++c) team.store(arguments, batch, a * C + c, N * C, factor * sum[c]);
  });
  team.sync();
}

// Rows of node a and columns of node b of the element matrix.
template <class Sh, class Team, class T>
constexpr void tangent_block(const Team& team, const ElementArguments& arguments, Index batch, int a, int b,
                             T (&sum)[Sh::C][Sh::C]) {
  constexpr int C = Sh::C, D = Sh::D;
  const double* gradients = arguments.table.gradients;
  const int N = Sh::nodes(arguments.table), points = arguments.table.point_count;
  for (int i = 0; i < C; ++i)
    for (int j = 0; j < C; ++j) sum[i][j] = 0.0;
  for (int q = 0; q < points; ++q)
    for (int i = 0; i < C; ++i)
      for (int d = 0; d < D; ++d)
        for (int j = 0; j < C; ++j) {
          T along = 0.0;
          for (int e = 0; e < D; ++e)
            along += gradients[(q * N + b) * D + e] *
                     team.tangent(arguments, batch, q * Sh::entries + tangent_entry(i * D + d, j * D + e),
                                  points * Sh::entries);
          sum[i][j] += gradients[(q * N + a) * D + d] * along;
        }
}

template <class Sh, class Team>
constexpr void tangent_matrices(const Team& team, const ElementArguments& arguments, Index batch) {
  using T = typename Team::Number;
  constexpr int C = Sh::C;
  const int N = Sh::nodes(arguments.table);
  team.each(half_count(N), [&](int half) {
    const auto [a, b] = nodes_of_half(half);
    T sum[C][C];
    tangent_block<Sh>(team, arguments, batch, a, b, sum);
    for (int i = 0; i < C; ++i)
      for (int j = 0; j < C; ++j) sum[i][j] *= factor_of<T>(arguments);
    store_pair<true>(team, arguments, batch, a, b, N, sum);
  });
  team.sync();
}

template <class Sh, class Team>
constexpr void tangent_diagonals(const Team& team, const ElementArguments& arguments, Index batch) {
  using T = typename Team::Number;
  constexpr int C = Sh::C, D = Sh::D;
  const double* gradients = arguments.table.gradients;
  const int N = Sh::nodes(arguments.table), points = arguments.table.point_count;
  team.each(N, [&](int a) {
    for (int c = 0; c < C; ++c) {
      T sum = 0.0;
      for (int q = 0; q < points; ++q) {
        const double* slope = gradients + (q * N + a) * D;
        for (int d = 0; d < D; ++d)
          for (int e = 0; e <= d; ++e)
            sum += ((d == e ? 1 : 2) * slope[d] * slope[e]) *
                   team.tangent(arguments, batch, q * Sh::entries + tangent_entry(c * D + d, c * D + e),
                                points * Sh::entries);
      }
      team.store(arguments, batch, a * C + c, N * C, factor_of<T>(arguments) * sum);
    }
  });
  team.sync();
}

}  // namespace ritz::RITZ_BACKEND
