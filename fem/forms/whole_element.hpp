// A whole element: the physics of one element where it is no integral of a flux at points: bars, springs, beams,
// shells, and whatever acts between a few nodes. A plain struct with its facts and one of three functions:
//
//   struct Rope {                                             // E A / 2 (stretch)^2, with large displacements
//     static constexpr const char* name = "rope";
//     static constexpr auto cell = CellKind::line2;           // two nodes; vertex1: one node
//     static constexpr int components = 3;                    // unknowns per node, up to 6
//     double stiffness;                                       // E A [N]
//     template <class X, class T>
//     constexpr T energy(const X (&x)[2][3], const T (&u)[2][3]) const { ... }
//   };
//
//   T energy(x, u)                    residual and tangent are its first and second derivatives: exactly symmetric
//   void residual(x, u, r)            r[node][component], zero before; the tangent is its derivative
//   X strain(point, x, u, e)          e[strains], linear in u and zero with it; returns the weight of the point. With
//   T energy(e)                       the energy density of the strains: exactly symmetric, and much faster on many
//                                     unknowns
//
// x are coordinates [node][3], u unknowns [node][component]. X is a number and T a number or Dual of it: numbers mix in
// + - * /, and branches on them are select(condition, a, b). Optional facts, with their defaults:
//   dimension = 3           of space
//   points, strains         how many, for the third kind
//   symmetric = false       of residual(): the tangent is symmetric, half of it is computed
//   linear = false          the tangent does not depend on u
//   has_matrix = true       false: a load
//   objective = false       rigid motions cause no residual: displacements, then (with 6 unknowns) rotations
//   small_displacements = linear, or the third kind     rigid rotations are infinitesimal
//   derived = 0             numbers for results; then also void derive(x, u, T* out) const
//   unknown = "u", derives = "derived", derived_names = ""     names in results; components with blanks between them
//   parameters              as of forms: fem/forms/parameter.hpp
//   state                   numbers kept from increment to increment (fem/forms/point_state.hpp), of the element, or of
//                           each of its points where it has strains; the functions take them as they were and as they
//                           will be: energy(x, u, before, now), residual(x, u, before, now, r), energy(e, before, now);
//                           derive(x, u, state, out) has the present ones [point][number]. An energy is that of an
//                           increment, stationary in `now`
//   rate_independent = false  with a state: an increment without a change of u changes nothing
#pragma once

#include "fem/forms/form.hpp"
#include "fem/numbers/dual.hpp"
#include "mesh/cell_kind.hpp"

#include <concepts>
#include <type_traits>

namespace ritz {

constexpr int nodes_on(CellKind kind) {
  constexpr int counts[] = {1, 2, 3, 3, 6, 4, 8, 9, 4, 10, 8, 20, 27, 6, 15, 18, 5, 13, 14};
  return counts[static_cast<int>(kind)];
}

template <class E>
concept WholeElement = std::is_trivially_copyable_v<E> &&(sizeof(E) <= largest_form) && requires {
  { E::name } -> std::convertible_to<const char*>;
  { E::cell } -> std::convertible_to<CellKind>;
  { E::components } -> std::convertible_to<int>;
};

template <class E>
concept HasStrains = WholeElement<E> && requires {
  { E::strains } -> std::convertible_to<int>;
  { E::points } -> std::convertible_to<int>;
};

template <WholeElement E>
struct WholeElementFacts {
  static constexpr int nodes = nodes_on(E::cell), components = E::components, unknowns = nodes * components;
  static_assert(components >= 1 && components <= 6, "an element has one to six unknowns per node");
  // clang-format off
  static constexpr int dimension =
      [] { if constexpr (requires { E::dimension; }) return E::dimension; else return 3; }();
  static constexpr int points =
      [] { if constexpr (HasStrains<E>) return E::points; else return 0; }();
  static constexpr int strains =
      [] { if constexpr (HasStrains<E>) return E::strains; else return 0; }();
  // clang-format on
  static constexpr int state = state_numbers_of<E>();  // numbers at a point
  static constexpr int state_points = HasStrains<E> ? points : 1;
  using Coordinates = double[nodes][dimension];
  using Unknowns = double[nodes][components];
  using State = double[state > 0 ? state : 1];
  static constexpr bool has_energy = [] {
    if constexpr (HasStrains<E>) return false;
    else if constexpr (state > 0)
      return requires(const E& e, const Coordinates& x, const Unknowns& u, const State& before, State& now) {
        { e.energy(x, u, before, now) } -> std::convertible_to<double>;
      };
    else return requires(const E& e, const Coordinates& x, const Unknowns& u) {
        { e.energy(x, u) } -> std::convertible_to<double>;
      };
  }();
  static constexpr bool has_residual = [] {
    if constexpr (HasStrains<E>) return false;
    else if constexpr (state > 0)
      return requires(const E& e, const Coordinates& x, const Unknowns& u, const State& before, State& now,
                      Unknowns& r) {
        e.residual(x, u, before, now, r);
      };
    else return requires(const E& e, const Coordinates& x, const Unknowns& u, Unknowns& r) {
        e.residual(x, u, r);
      };
  }();
  static_assert(HasStrains<E> || has_energy || has_residual,
                "an element has energy(x, u), residual(x, u, r), or strain(point, x, u, e) with energy(e); where it "
                "has a state, with before and now");
  static_assert(!(has_energy && has_residual), "an element has an energy or a residual, not both");
  static constexpr bool symmetric = [] {
    if constexpr (has_residual) {
      if constexpr (requires { E::symmetric; }) return E::symmetric;
      else return false;
    } else {
      return true;
    }
  }();
  static constexpr bool linear = [] {
    if constexpr (requires { E::linear; }) return E::linear;
    else return false;
  }();
  static_assert(state == 0 || !linear, "an element with a state is not linear");
  // clang-format off
  static constexpr bool rate_independent =
      [] { if constexpr (requires { E::rate_independent; }) return E::rate_independent; else return false; }();
  static constexpr bool has_matrix =
      [] { if constexpr (requires { E::has_matrix; }) return E::has_matrix; else return true; }();
  static constexpr bool objective =
      [] { if constexpr (requires { E::objective; }) return E::objective; else return false; }();
  // clang-format on
  static constexpr bool small_displacements = [] {
    if constexpr (requires { E::small_displacements; }) return E::small_displacements;
    else return linear || HasStrains<E>;
  }();
  static constexpr int derived = [] {
    if constexpr (requires { E::derived; }) return E::derived;
    else return 0;
  }();
  static constexpr int evaluated = derived + state;  // numbers in results: the state as a mean over the points
  // clang-format off
  static constexpr const char* unknown =
      [] { if constexpr (requires { E::unknown; }) return E::unknown; else return "u"; }();
  static constexpr const char* derives =
      [] { if constexpr (requires { E::derives; }) return E::derives; else return "derived"; }();
  static constexpr const char* derived_names =
      [] { if constexpr (requires { E::derived_names; }) return E::derived_names; else return ""; }();
  // clang-format on
};

}  // namespace ritz
