// The diagonal of a form's tangent on quadrilaterals and hexahedra of order P by sum factorisation. With slots 1, d/dx,
// d/dy, d/dz of a node's function N_a, the entry of a component is
//
//   sum over the points of  sum over the pairs of slots (r, s) of  D_rs (slot r of N_a) (slot s of N_a)
//
// N_a is a product of functions of one coordinate: a pair of slots is a product of their squares, where it does not
// differentiate along that coordinate, of function times slope, where it does once, and of squared slopes, where it
// does twice. So the pairs are summed direction by direction, the last one first: those that agree in the others fall
// together, 10 -> 6 -> 3 -> 1 in space. Text and team are those of tensor_engine.hpp; one component at a time:
//
//   scratch  the map of the cell, W and derivatives of the state, and one array of points per pair that is left
//   points   a line along the last direction is one item: geometry, form, sums over the line
//   sums     the same along y, then along x
#pragma once

#include "fem/launch/tensor_engine.hpp"

namespace ritz::RITZ_BACKEND {

// Three matrices [node][point] after LineTables: of the functions of the nodes their squares, products with their
// slopes, and squares of their slopes.
template <int N>
struct SquareTables {
  static constexpr int squares = 0, products = N * N, square_slopes = 2 * N * N, size = 3 * N * N;
};

// Number of a pair of slots: those of the first n slots are the first n (n + 1) / 2.
constexpr int slot_pair(int r, int s) { return r < s ? s * (s + 1) / 2 + r : r * (r + 1) / 2 + s; }

// Pairs of slots by how many directions there are left, counting the value.
constexpr int pairs_of(int directions) { return (directions + 1) * (directions + 2) / 2; }

template <Form F, int Order, int Dimension>
struct TensorDiagonalShape : TensorShape<F, Order, Dimension> {
  using Base = TensorShape<F, Order, Dimension>;
  static constexpr int state_size = Base::with_state ? Base::field_size : 0;
  static constexpr int scratch = Base::G * Base::corners + state_size + pairs_of(Dimension - 1) * Base::points;
};

// Adds what a pair of slots that has been summed over all points of the line but this one gives at point k to the pairs
// that are left once direction D - 1 is summed: out[pair][node of the line] += in(pair).
// ValuesToo: there are pairs with the value.
template <int N, int D, bool ValuesToo, class S, class T, class In>
constexpr void add_point(const S* squares, int k, const In& in, T (&out)[pairs_of(D - 1)][N]) {
  using L = SquareTables<N>;
  for (int s = 0; s < D; ++s)
    for (int r = 0; r <= s; ++r) {
      const int pair = slot_pair(r, s);
      if (r > 0 || ValuesToo) {
        const T value = in(pair);
        for (int i = 0; i < N; ++i) out[pair][i] += squares[L::squares + i * N + k] * value;
      }
      if (r == 0 && (s > 0 || ValuesToo)) {
        const T value = in(slot_pair(s, D));
        for (int i = 0; i < N; ++i) out[pair][i] += squares[L::products + i * N + k] * value;
      }
    }
  const T value = in(slot_pair(D, D));
  for (int i = 0; i < N; ++i) out[0][i] += squares[L::square_slopes + i * N + k] * value;
}

// D_rs + D_sr at a point, D_rr where both are one; for component c: how the flux in it answers to its own slots.
template <Form F, class Sh, class T>
constexpr void tangent_pairs(const F& form, const Location<T, Sh::G, Sh::M>& place, const Fields<T, Sh::C, Sh::G>& u,
                             const PointGeometry<Sh, T>& g, int c, T (&pairs)[pairs_of(Sh::D)]) {
  for (T& pair : pairs) pair = 0.0;
  for (int s = F::uses_value ? 0 : 1; s <= (F::uses_gradient ? Sh::D : 0); ++s) {
    Fields<T, Sh::C, Sh::G> du{};
    for (int b = 0; b < Sh::C; ++b) {
      du.value[b] = b == c && s == 0 ? 1.0 : 0.0;
      for (int i = 0; i < Sh::G; ++i) {
        if (b == c && s > 0) du.gradient[b][i] = g.in * g.m[s - 1][i];
        else du.gradient[b][i] = 0.0;
      }
    }
    const Fields<T, Sh::C, Sh::G> f = tangent_flux<F, Sh, T>(form, place, u, du);
    if constexpr (F::uses_value) { pairs[slot_pair(0, s)] += g.measure * f.value[c]; }
    if constexpr (F::uses_gradient) {
      for (int r = 1; r <= Sh::D; ++r) {
        T back = f.gradient[c][0] * g.m[r - 1][0];
        for (int i = 1; i < Sh::G; ++i) back += f.gradient[c][i] * g.m[r - 1][i];
        pairs[slot_pair(r, s)] += g.out * back;
      }
    }
  }
}

// Sums over the points of all lines along a direction below the last one, in place: the pairs of directions 0 ...
// Direction become those of the directions below.
template <class Sh, int Direction, class Team, class P, class Store>
constexpr void sum_lines(const Team& team, const typename Team::Scalar* squares, const P& pairs, const Store& store) {
  using T = typename Team::Number;
  constexpr int N = Sh::N, left = pairs_of(Direction);
  team.each(Sh::lines, [&](int item) {
    const Line<Sh, Direction> line(item);
    T out[left][N];
    for (int pair = 0; pair < left; ++pair)
      for (int i = 0; i < N; ++i) out[pair][i] = 0.0;
    for (int k = 0; k < N; ++k)
      add_point<N, Direction + 1, true>(
          squares, k, [&](int pair) -> const T& { return pairs(pair * Sh::points + line.first + k * line.stride); },
          out);
    for (int pair = 0; pair < left; ++pair)
      for (int i = 0; i < N; ++i) store(pair, line.first + i * line.stride, out[pair][i]);
  });
  team.sync();
}

// tables: LineTables, of which the transposed ones are not read.
template <Form F, int Order, int Dimension, class Team, class Memory>
constexpr void tensor_diagonals(const Team& team, const Memory& memory, const F& form,
                                const ElementArguments& arguments, Index batch, const typename Team::Scalar* tables,
                                const typename Team::Scalar* squares) {
  using Sh = TensorDiagonalShape<F, Order, Dimension>;
  using T = typename Team::Number;
  constexpr int N = Sh::N, D = Sh::D, C = Sh::C, points = Sh::points, left = pairs_of(D - 1);
  const Piece<Memory> corners{memory, 0}, state = corners.from(Sh::G * Sh::corners), pairs = state.from(Sh::state_size);
  const bool stored = arguments.point_geometry != nullptr;
  if (!stored) multilinear_coefficients<Sh>(team, arguments, batch, corners);
  if constexpr (Sh::with_state) {
    to_points<F, Sh>(team, tables, state, [&](int node, const LocalEntries<T>& values) {
      team.load_unknowns(arguments, batch, node, points, C, ShiftedEntries<T>{values.values, node * C});
    });
  } else {
    team.sync();
  }
  for (int c = 0; c < C; ++c) {
    team.each(Sh::lines, [&](int item) {
      OnLine<Sh, T> state_value, state_slope;
      if constexpr (Sh::with_state) { load_last_line<F, Sh, T>(tables, state, item, state_value, state_slope); }
      T out[left][N];
      for (int pair = 0; pair < left; ++pair)
        for (int i = 0; i < N; ++i) out[pair][i] = 0.0;
      with_line_geometry<Sh>(team, arguments, batch, tables, corners, item, stored, factor_of<T>(arguments),
                             [&](const auto& geometry_of) {
                               for (int k = 0; k < N; ++k) {
                                 const int n = item + k * Sh::lines;
                                 const PointGeometry<Sh, T> g = geometry_of(k);
                                 const Location<T, Sh::G, Sh::M> place = location_of(g, team, arguments, batch, n);
                                 Fields<T, C, Sh::G> u{};
                                 if constexpr (Sh::with_state) {
                                   u = fields_on_line<F, Sh, T>(state, n, state_value, state_slope, k, g);
                                 }
                                 T at_point[pairs_of(D)];
                                 tangent_pairs<F, Sh, T>(form, place, u, g, c, at_point);
                                 add_point<N, D, F::uses_value>(squares, k, LocalEntries<T>{at_point}, out);
                               }
                             });
      for (int pair = 0; pair < left; ++pair)
        for (int i = 0; i < N; ++i) pairs(pair * points + item + i * Sh::lines) = out[pair][i];
    });
    team.sync();
    if constexpr (D == 3) {
      sum_lines<Sh, 1>(team, squares, pairs, [&](int pair, int n, const T& sum) { pairs(pair * points + n) = sum; });
    }
    sum_lines<Sh, 0>(team, squares, pairs,
                     [&](int, int n, const T& sum) { team.store(arguments, batch, n * C + c, points * C, sum); });
  }
}

}  // namespace ritz::RITZ_BACKEND
