// Residuals, tangents and results of whole elements (fem/forms/whole_element.hpp). Teams and scratch memory are those
// of element_engine.hpp; an item is an unknown, a pair of unknowns, or a point. The space may have more unknowns per
// node than the element: the others get zeros.
#pragma once

#include "fem/launch/element_engine.hpp"
#include "fem/launch/whole_calls.hpp"

namespace ritz::RITZ_BACKEND {

// Row and column of pair `item` of a lower triangle, row by row.
struct Pair {
  int i = 0, j = 0;
  constexpr explicit Pair(int item) {
    while (item > i) item -= ++i;
    j = item;
  }
};

// One where the number is j, without an index that the compiler does not know: arrays stay in registers.
constexpr double unit(int number, int j) { return number == j ? 1.0 : 0.0; }

// Entry (i, j) of the element matrix, in the blocks of the space.
template <class Sh>
constexpr int matrix_entry(int i, int j, int components) {
  const int a = i / Sh::C, b = j / Sh::C;
  return (a * Sh::N + b) * components * components + i % Sh::C * components + j % Sh::C;
}

template <class Sh, class Team>
constexpr void store_empty_blocks(const Team& team, const ElementArguments& arguments, Index batch) {
  const int components = arguments.components, entries = Sh::N * Sh::N * components * components;
  if (components == Sh::C) return;
  team.each(Sh::N * Sh::N, [&](int block) {
    for (int i = 0; i < components; ++i)
      for (int j = i < Sh::C ? Sh::C : 0; j < components; ++j)
        team.store(arguments, batch, (block * components + i) * components + j, entries, typename Team::Number(0.0));
  });
}

// Entry i of the element's vector, times the factor of the integral; zeros for the unknowns that the element does not
// know.
template <class Sh, class Team, class T>
constexpr void store_entry(const Team& team, const ElementArguments& arguments, Index batch, int i, T value) {
  const int components = arguments.components, a = i / Sh::C, c = i % Sh::C;
  team.store(arguments, batch, a * components + c, Sh::N * components, factor_of<T>(arguments) * value);
  if (c == Sh::C - 1)
    for (int k = Sh::C; k < components; ++k)
      team.store(arguments, batch, a * components + k, Sh::N * components, T(0.0));
}

template <class Sh, class Team, class P>
constexpr void load_whole(const Team& team, const ElementArguments& arguments, Index batch, const P& x, const P& u) {
  team.each(Sh::N, [&](int a) {
    team.load_coordinates(arguments, batch, a, Sh::N, Sh::G, x);
    team.load_unknowns(arguments, batch, a, Sh::N, arguments.components, u);
  });
  team.sync();
}

// ---- elements with strains ----

// Column j of the strains' derivative: the strains of a unit of unknown j. Returns the weight.
template <class Sh, class T, class E, class X>
constexpr T strain_column(const E& element, int point, const X& x, int j, T (&column)[Sh::K]) {
  const Unknowns<Sh, T> u([&](int a, int c) { return T(unit(a * Sh::C + c, j)); });
  return element.strain(point, x.values, u.values, column);
}

// d(energy)/d(strain k)
template <class Sh, class T, class E>
constexpr T stress(const E& element, const T (&strain)[Sh::K], int k, const Kept<Sh, T>& kept) {
  Dual<T> e[Sh::K];
  for (int i = 0; i < Sh::K; ++i) e[i] = Dual<T>(strain[i], T(unit(i, k)));
  return strain_energy<Sh>(element, e, kept).derivative;
}

// The derivative of that in a direction of the strains.
template <class Sh, class T, class E>
constexpr T stress_change(const E& element, const T (&strain)[Sh::K], int k, const T (&direction)[Sh::K],
                          const Kept<Sh, T>& kept) {
  using D = Dual<T>;
  Dual<D> e[Sh::K];
  for (int i = 0; i < Sh::K; ++i) e[i] = Dual<D>(D(strain[i], direction[i]), D(T(unit(i, k)), T(0.0)));
  return strain_energy<Sh>(element, e, kept).derivative.derivative;
}

// The state where the tangent is taken; that of a linear element is the same everywhere.
template <class Sh, class T, class E, class X, class U>
constexpr void strains_for_tangent(const E& element, int point, const X& x, const U& u, T (&e)[Sh::K]) {
  if constexpr (Sh::Facts::linear) {
    for (int k = 0; k < Sh::K; ++k) e[k] = 0.0;
  } else {
    element.strain(point, x.values, u.values, e);
  }
}

// r_j = sum over the points of weighted stresses times column j; `stresses` [point][strain] are in scratch.
template <class Sh, class Team, class E, class X, class P>
constexpr void test_stresses(const Team& team, const ElementArguments& arguments, Index batch, const E& element,
                             const X& x, const P& stresses) {
  using T = typename Team::Number;
  team.sync();
  team.each(Sh::n, [&](int j) {
    T sum = 0.0;
    for (int p = 0; p < Sh::P; ++p) {
      T column[Sh::K];
      strain_column<Sh, T>(element, p, x, j, column);
      for (int k = 0; k < Sh::K; ++k) sum += column[k] * stresses(p * Sh::K + k);
    }
    store_entry<Sh>(team, arguments, batch, j, sum);
  });
}

template <class Sh, class Team, class E, class X, class P>
constexpr void strain_matrices(const Team& team, ElementArguments arguments, Index batch, const E& element, const X& x,
                               const P& u, const P& rest) {
  using T = typename Team::Number;
  constexpr int K = Sh::K, n = Sh::n;
  const int components = arguments.components, entries = Sh::N * Sh::N * components * components;
  const P columns = rest, products = columns.from(n * K), tangent = products.from(n * K), strains = tangent.from(K * K),
          weight = strains.from(K);
  constexpr bool linear = Sh::Facts::linear;
  const auto factor = factor_of<T>(arguments);
  for (int p = 0; p < Sh::P; ++p) {
    team.each(n + 1, [&](int j) {  // the last: the strains where the tangent is taken, and the weight
      T column[K];
      if (j < n) {
        strain_column<Sh, T>(element, p, x, j, column);
        for (int k = 0; k < K; ++k) columns(j * K + k) = column[k];
      } else if constexpr (linear) {
        weight(0) = factor * strain_column<Sh, T>(element, p, x, 0, column);
        for (int k = 0; k < K; ++k) strains(k) = 0.0;
      } else {
        const Unknowns<Sh, T> at([&](int a, int c) { return u(a * components + c); });
        weight(0) = factor * element.strain(p, x.values, at.values, column);
        for (int k = 0; k < K; ++k) strains(k) = column[k];
      }
    });
    team.sync();
    team.each(K * (K + 1) / 2, [&](int item) {
      const Pair pair(item);
      T e[K], direction[K];
      for (int k = 0; k < K; ++k) {
        e[k] = strains(k);
        direction[k] = unit(k, pair.j);
      }
      const Kept<Sh, T> kept(team, arguments, batch, p);
      tangent(pair.i * K + pair.j) = tangent(pair.j * K + pair.i) =
          weight(0) * stress_change<Sh, T>(element, e, pair.i, direction, kept);
    });
    team.sync();
    team.each(n, [&](int j) {
      for (int k = 0; k < K; ++k) {
        T sum = 0.0;
        for (int l = 0; l < K; ++l) sum += tangent(k * K + l) * columns(j * K + l);
        products(j * K + k) = sum;
      }
    });
    team.sync();
    team.each(n * Sh::N, [&](int item) {  // row i, the columns of node b; the upper triangle, mirrored
      const int i = item / Sh::N, b = item % Sh::N;
      for (int j = b * Sh::C; j < (b + 1) * Sh::C; ++j) {
        if (j < i) continue;
        T sum = columns(i * K) * products(j * K);
        for (int k = 1; k < K; ++k) sum += columns(i * K + k) * products(j * K + k);
        team.store(arguments, batch, matrix_entry<Sh>(i, j, components), entries, sum);
        if (i != j) team.store(arguments, batch, matrix_entry<Sh>(j, i, components), entries, sum);
      }
    });
    team.sync();
    arguments.accumulate = true;
  }
}

// ---- elements with an energy or a residual ----

template <class Sh, class T, class E, class X>
constexpr T energy_derivative(const E& element, const X& x, const Unknowns<Sh, T>& u, int i, const Kept<Sh, T>& kept) {
  const Unknowns<Sh, Dual<T>> v([&](int a, int c) { return Dual<T>(u.values[a][c], T(unit(a * Sh::C + c, i))); });
  return element_energy<Sh>(element, x, v, kept).derivative;
}

// d2(energy) in the directions of unknown i and of du
template <class Sh, class T, class E, class X, class Direction>
constexpr T energy_change(const E& element, const X& x, const Unknowns<Sh, T>& u, int i, const Direction& du,
                          const Kept<Sh, T>& kept) {
  using D = Dual<T>;
  const Unknowns<Sh, Dual<D>> v(
      [&](int a, int c) { return Dual<D>(D(u.values[a][c], du(a, c)), D(T(unit(a * Sh::C + c, i)), T(0.0))); });
  return element_energy<Sh>(element, x, v, kept).derivative.derivative;
}

template <class Sh, class T, class E, class X, class Direction>
constexpr Unknowns<Sh, Dual<T>> residual_change(const E& element, const X& x, const Unknowns<Sh, T>& u,
                                                const Direction& du, const Kept<Sh, T>& kept) {
  const Unknowns<Sh, Dual<T>> v([&](int a, int c) { return Dual<T>(u.values[a][c], du(a, c)); });
  return element_residual<Sh>(element, x, v, kept);
}

// ---- the tasks ----

template <WholeElement E, class Team, class Memory>
constexpr void whole_residuals(const Team& team, const Memory& memory, const E& element,
                               const ElementArguments& arguments, Index batch) {
  using Sh = WholeShape<E>;
  using T = typename Team::Number;
  const int components = arguments.components;
  const Piece<Memory> nodes{memory, 0}, unknown = nodes.from(Sh::N * Sh::G),
                                        rest = unknown.from(2 * Sh::N * components);
  load_whole<Sh>(team, arguments, batch, nodes, unknown);
  const Coordinates<Sh, T, Piece<Memory>> x(nodes);
  const Unknowns<Sh, T> u([&](int a, int c) { return unknown(a * components + c); });
  if constexpr (HasStrains<E>) {
    team.each(Sh::P, [&](int p) {
      T e[Sh::K];
      const T weight = element.strain(p, x.values, u.values, e);
      const Kept<Sh, T> kept(team, arguments, batch, p);
      for (int k = 0; k < Sh::K; ++k) rest(p * Sh::K + k) = weight * stress<Sh, T>(element, e, k, kept);
    });
    test_stresses<Sh>(team, arguments, batch, element, x, rest);
  } else if constexpr (WholeElementFacts<E>::has_energy) {
    const Kept<Sh, T> kept(team, arguments, batch, 0);
    team.each(Sh::n, [&](int i) {
      store_entry<Sh>(team, arguments, batch, i, energy_derivative<Sh, T>(element, x, u, i, kept));
    });
  } else {
    team.each(1, [&](int) {
      const Unknowns<Sh, T> r = element_residual<Sh>(element, x, u, Kept<Sh, T>(team, arguments, batch, 0));
      for (int i = 0; i < Sh::n; ++i) store_entry<Sh>(team, arguments, batch, i, r.values[i / Sh::C][i % Sh::C]);
    });
  }
  team.sync();
}

template <WholeElement E, class Team, class Memory>
constexpr void whole_matrices(const Team& team, const Memory& memory, const E& element,
                              const ElementArguments& arguments, Index batch) {
  using Sh = WholeShape<E>;
  using T = typename Team::Number;
  const int components = arguments.components, entries = Sh::N * Sh::N * components * components;
  const Piece<Memory> nodes{memory, 0}, unknown = nodes.from(Sh::N * Sh::G),
                                        rest = unknown.from(2 * Sh::N * components);
  load_whole<Sh>(team, arguments, batch, nodes, unknown);
  const Coordinates<Sh, T, Piece<Memory>> x(nodes);
  store_empty_blocks<Sh>(team, arguments, batch);
  if constexpr (HasStrains<E>) {
    strain_matrices<Sh>(team, arguments, batch, element, x, unknown, rest);
  } else if constexpr (WholeElementFacts<E>::has_energy) {
    const Unknowns<Sh, T> u([&](int a, int c) { return unknown(a * components + c); });
    const Kept<Sh, T> kept(team, arguments, batch, 0);
    team.each(Sh::pairs, [&](int item) {
      const Pair pair(item);
      const T entry = factor_of<T>(arguments) *
                      energy_change<Sh, T>(
                          element, x, u, pair.i, [&](int a, int c) { return T(unit(a * Sh::C + c, pair.j)); }, kept);
      team.store(arguments, batch, matrix_entry<Sh>(pair.i, pair.j, components), entries, entry);
      if (pair.i != pair.j) team.store(arguments, batch, matrix_entry<Sh>(pair.j, pair.i, components), entries, entry);
    });
  } else {
    const Unknowns<Sh, T> u([&](int a, int c) { return unknown(a * components + c); });
    const Kept<Sh, T> kept(team, arguments, batch, 0);
    team.each(Sh::n, [&](int j) {
      const auto r = residual_change<Sh, T>(
          element, x, u, [&](int a, int c) { return T(unit(a * Sh::C + c, j)); }, kept);
      for (int a = 0; a < Sh::N; ++a)
        for (int c = 0; c < Sh::C; ++c) {
          const int i = a * Sh::C + c;
          const T entry = factor_of<T>(arguments) * r.values[a][c].derivative;
          if constexpr (WholeElementFacts<E>::symmetric) {
            if (i > j) continue;
            if (i != j) team.store(arguments, batch, matrix_entry<Sh>(j, i, components), entries, entry);
          }
          team.store(arguments, batch, matrix_entry<Sh>(i, j, components), entries, entry);
        }
    });
  }
  team.sync();
}

// The tangent applied to the direction.
template <WholeElement E, class Team, class Memory>
constexpr void whole_actions(const Team& team, const Memory& memory, const E& element,
                             const ElementArguments& arguments, Index batch) {
  using Sh = WholeShape<E>;
  using T = typename Team::Number;
  const int components = arguments.components;
  const Piece<Memory> nodes{memory, 0}, unknown = nodes.from(Sh::N * Sh::G),
                                        direction = unknown.from(Sh::N * components),
                                        rest = direction.from(Sh::N * components);
  team.each(Sh::N, [&](int a) { team.load_direction(arguments, batch, a, Sh::N, components, direction); });
  load_whole<Sh>(team, arguments, batch, nodes, unknown);
  const Coordinates<Sh, T, Piece<Memory>> x(nodes);
  const Unknowns<Sh, T> u([&](int a, int c) { return unknown(a * components + c); });
  const Unknowns<Sh, T> v([&](int a, int c) { return direction(a * components + c); });
  if constexpr (HasStrains<E>) {
    team.each(Sh::P, [&](int p) {
      T e[Sh::K], de[Sh::K];
      const T weight = element.strain(p, x.values, v.values, de);
      strains_for_tangent<Sh, T>(element, p, x, u, e);
      const Kept<Sh, T> kept(team, arguments, batch, p);
      for (int k = 0; k < Sh::K; ++k) rest(p * Sh::K + k) = weight * stress_change<Sh, T>(element, e, k, de, kept);
    });
    test_stresses<Sh>(team, arguments, batch, element, x, rest);
  } else if constexpr (WholeElementFacts<E>::has_energy) {
    const Kept<Sh, T> kept(team, arguments, batch, 0);
    team.each(Sh::n, [&](int i) {
      store_entry<Sh>(team, arguments, batch, i,
                      energy_change<Sh, T>(
                          element, x, u, i, [&](int a, int c) { return v.values[a][c]; }, kept));
    });
  } else {
    team.each(1, [&](int) {
      const Kept<Sh, T> kept(team, arguments, batch, 0);
      const auto r = residual_change<Sh, T>(
          element, x, u, [&](int a, int c) { return v.values[a][c]; }, kept);
      for (int i = 0; i < Sh::n; ++i)
        store_entry<Sh>(team, arguments, batch, i, r.values[i / Sh::C][i % Sh::C].derivative);
    });
  }
  team.sync();
}

template <WholeElement E, class Team, class Memory>
constexpr void whole_diagonals(const Team& team, const Memory& memory, const E& element,
                               const ElementArguments& arguments, Index batch) {
  using Sh = WholeShape<E>;
  using T = typename Team::Number;
  const int components = arguments.components;
  const Piece<Memory> nodes{memory, 0}, unknown = nodes.from(Sh::N * Sh::G);
  load_whole<Sh>(team, arguments, batch, nodes, unknown);
  const Coordinates<Sh, T, Piece<Memory>> x(nodes);
  const Unknowns<Sh, T> u([&](int a, int c) { return unknown(a * components + c); });
  team.each(Sh::n, [&](int i) {
    const auto along = [&](int a, int c) { return T(unit(a * Sh::C + c, i)); };
    if constexpr (HasStrains<E>) {
      T sum = 0.0;
      for (int p = 0; p < Sh::P; ++p) {
        T e[Sh::K], column[Sh::K];
        const T weight = strain_column<Sh, T>(element, p, x, i, column);
        strains_for_tangent<Sh, T>(element, p, x, u, e);
        const Kept<Sh, T> kept(team, arguments, batch, p);
        for (int k = 0; k < Sh::K; ++k) sum += weight * column[k] * stress_change<Sh, T>(element, e, k, column, kept);
      }
      store_entry<Sh>(team, arguments, batch, i, sum);
    } else if constexpr (WholeElementFacts<E>::has_energy) {
      store_entry<Sh>(team, arguments, batch, i,
                      energy_change<Sh, T>(element, x, u, i, along, Kept<Sh, T>(team, arguments, batch, 0)));
    } else {
      const auto r = residual_change<Sh, T>(element, x, u, along, Kept<Sh, T>(team, arguments, batch, 0));
      T own = 0.0;
      for (int a = 0; a < Sh::N; ++a)
        for (int c = 0; c < Sh::C; ++c) own += unit(a * Sh::C + c, i) * r.values[a][c].derivative;
      store_entry<Sh>(team, arguments, batch, i, own);
    }
  });
  team.sync();
}

// The state becomes what the element makes of it at u.
template <WholeElement E, class Team, class Memory>
constexpr void whole_commits(const Team& team, const Memory& memory, const E& element,
                             const ElementArguments& arguments, Index batch) {
  using Sh = WholeShape<E>;
  using T = typename Team::Number;
  const int components = arguments.components;
  const Piece<Memory> nodes{memory, 0}, unknown = nodes.from(Sh::N * Sh::G);
  load_whole<Sh>(team, arguments, batch, nodes, unknown);
  team.each(Sh::Facts::state_points, [&](int p) {
    const Coordinates<Sh, T, Piece<Memory>> x(nodes);
    const Unknowns<Sh, T> u([&](int a, int c) { return unknown(a * components + c); });
    const Kept<Sh, T> kept(team, arguments, batch, p);
    T now[Sh::S];
    if constexpr (HasStrains<E>) {
      T e[Sh::K];
      element.strain(p, x.values, u.values, e);
      strain_energy<Sh>(element, e, kept, now);
    } else if constexpr (Sh::Facts::has_energy) {
      element_energy<Sh>(element, x, u, kept, now);
    } else {
      element_residual<Sh>(element, x, u, kept, now);
    }
    for (int i = 0; i < Sh::S; ++i)
      team.store_state(arguments, batch, p * Sh::S + i, Sh::Facts::state_points * Sh::S, now[i]);
  });
  team.sync();
}

// Derived quantities, and means of the state over the points, are those of the whole element: the same at all of its
// nodes.
template <WholeElement E, class Team, class Memory>
constexpr void whole_evaluate(const Team& team, const Memory& memory, const E& element,
                              const ElementArguments& arguments, Index batch) {
  using Sh = WholeShape<E>;
  using T = typename Team::Number;
  constexpr int D = Sh::Facts::derived, K = Sh::Facts::evaluated, P = Sh::Facts::state_points;
  const int components = arguments.components;
  const Piece<Memory> nodes{memory, 0}, unknown = nodes.from(Sh::N * Sh::G);
  load_whole<Sh>(team, arguments, batch, nodes, unknown);
  team.each(1, [&](int) {
    const Coordinates<Sh, T, Piece<Memory>> x(nodes);
    const Unknowns<Sh, T> u([&](int a, int c) { return unknown(a * components + c); });
    T out[K];
    for (int k = 0; k < K; ++k) out[k] = unset;
    if constexpr (Sh::S == 0) {
      element.derive(x.values, u.values, out);
    } else {
      T state[P * Sh::S], sum = 0.0;
      for (int i = 0; i < Sh::S; ++i) out[D + i] = 0.0;
      for (int p = 0; p < P; ++p) {
        const Kept<Sh, T> kept(team, arguments, batch, p);
        T weight = 1.0;
        if constexpr (HasStrains<E>) {
          T e[Sh::K];
          weight = element.strain(p, x.values, u.values, e);
        }
        sum += weight;
        for (int i = 0; i < Sh::S; ++i) {
          state[p * Sh::S + i] = kept.values[i];
          out[D + i] += weight * kept.values[i];
        }
      }
      for (int i = 0; i < Sh::S; ++i) out[D + i] = out[D + i] / sum;
      if constexpr (D > 0) element.derive(x.values, u.values, state, out);
    }
    for (int k = 0; k < K; ++k) {
      for (int a = 0; a < Sh::N; ++a) team.store(arguments, batch, a * K + k, Sh::N * K, out[k]);
      team.store_cell(arguments, batch, k, K, out[k]);
    }
  });
  team.sync();
}

}  // namespace ritz::RITZ_BACKEND
