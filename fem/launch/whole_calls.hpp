// A whole element's own functions (fem/forms/whole_element.hpp) as the engine calls them: in numbers of any kind, with
// the state before the increment where the element keeps one.
#pragma once

#include "fem/forms/whole_element.hpp"
#include "fem/launch/element_arguments.hpp"

#include <type_traits>

namespace ritz::RITZ_BACKEND {

template <WholeElement E>
struct WholeShape {
  using Facts = WholeElementFacts<E>;
  static constexpr int N = Facts::nodes, C = E::components, G = Facts::dimension, n = Facts::unknowns;
  static constexpr int K = Facts::strains, P = Facts::points, S = Facts::state;
  static constexpr int pairs = n * (n + 1) / 2;
  // Coordinates, the unknown and a direction of it; and of elements with strains: columns, tangent and both products.
  static constexpr int scratch(int components) {
    return N * G + 2 * N * components + (K > 0 ? 2 * n * K + K * K + (P + 1) * K + 1 : 0);
  }
};

// Numbers of the nodes as the user's function takes them; u holds `stride` per node, of which it takes the first.
template <class Sh, class T, class P>
struct Coordinates {
  T values[Sh::N][Sh::G];
  constexpr explicit Coordinates(const P& x) {
    for (int a = 0; a < Sh::N; ++a)
      for (int d = 0; d < Sh::G; ++d) values[a][d] = x(a * Sh::G + d);
  }
};
template <class Sh, class T>
struct Unknowns {
  T values[Sh::N][Sh::C];
  // set(a, c) gives each number
  template <class Set>
  constexpr explicit Unknowns(const Set& set) {
    for (int a = 0; a < Sh::N; ++a)
      for (int c = 0; c < Sh::C; ++c) values[a][c] = set(a, c);
  }
};

// The state of one point, or of the element, as it was after the last increment.
template <class Sh, class T>
struct Kept {
  T values[Sh::S > 0 ? Sh::S : 1];
  template <class Team>
  constexpr Kept(const Team& team, const ElementArguments& arguments, Index batch, int point) {
    for (int i = 0; i < Sh::S; ++i)
      values[i] = team.state(arguments, batch, point * Sh::S + i, Sh::Facts::state_points * Sh::S);
  }
};

// A number as one with derivatives, which vanish.
template <class V, class T>
constexpr V lifted(const T& number) {
  if constexpr (std::is_same_v<V, T>) return number;
  else return V(lifted<decltype(V::value)>(number));
}

// The state in numbers of any kind, as it was and as it will be.
template <class Sh, class V>
struct StateIn {
  V before[Sh::S > 0 ? Sh::S : 1], now[Sh::S > 0 ? Sh::S : 1];
  template <class T>
  constexpr explicit StateIn(const Kept<Sh, T>& kept) {
    for (int i = 0; i < Sh::S; ++i) before[i] = now[i] = lifted<V>(kept.values[i]);
  }
  constexpr void give(V* after) const {  // the state after the increment, where it is asked for
    if (after == nullptr) return;
    for (int i = 0; i < Sh::S; ++i) after[i] = now[i];
  }
};

// Calls the element's functions, with a state if it has one; the state after the increment goes to `now` if it is
// requested.
template <class Sh, class E, class V, class T>
constexpr V strain_energy(const E& element, const V (&e)[Sh::K], const Kept<Sh, T>& kept, V* now = nullptr) {
  if constexpr (Sh::S == 0) {
    return element.energy(e);
  } else {
    StateIn<Sh, V> state(kept);
    const V energy = element.energy(e, state.before, state.now);
    state.give(now);
    return energy;
  }
}
template <class Sh, class E, class X, class V, class T>
constexpr V element_energy(const E& element, const X& x, const Unknowns<Sh, V>& u, const Kept<Sh, T>& kept,
                           V* now = nullptr) {
  if constexpr (Sh::S == 0) {
    return element.energy(x.values, u.values);
  } else {
    StateIn<Sh, V> state(kept);
    const V energy = element.energy(x.values, u.values, state.before, state.now);
    state.give(now);
    return energy;
  }
}
template <class Sh, class E, class X, class V, class T>
constexpr Unknowns<Sh, V> element_residual(const E& element, const X& x, const Unknowns<Sh, V>& u,
                                           const Kept<Sh, T>& kept, V* now = nullptr) {
  Unknowns<Sh, V> r([](int, int) { return V(0.0); });
  if constexpr (Sh::S == 0) {
    element.residual(x.values, u.values, r.values);
  } else {
    StateIn<Sh, V> state(kept);
    element.residual(x.values, u.values, state.before, state.now, r.values);
    state.give(now);
  }
  return r;
}

}  // namespace ritz::RITZ_BACKEND
