// A bar that yields at a stress, without hardening: plastic strain is kept from increment to increment.
#include "fem/add_form.hpp"

#include <array>

struct YieldingBar {
  static constexpr const char *name = "yielding_bar", *unknown = "displacement", *derives = "bar_force",
                              *derived_names = "N";
  static constexpr auto cell = ritz::CellKind::line2;
  static constexpr int components = 3, points = 1, strains = 1, derived = 1;
  static constexpr bool objective = true, rate_independent = true;
  static constexpr std::array<ritz::StateFacts, 1> state = {{{.name = "plastic_strain"}}};
  double young, area, yield;
  static constexpr ritz::Parameter<YieldingBar> parameters[] = {
      {&YieldingBar::young, {.name = "young", .unit = "Pa", .about = "Young's modulus", .above = 0, .example = 1}},
      {&YieldingBar::area, {.name = "area", .unit = "m^2", .about = "of the section", .above = 0, .example = 1}},
      {&YieldingBar::yield, {.name = "yield_stress", .unit = "Pa", .above = 0, .example = 0.05}}};

  template <class X, class T>
  constexpr X strain(int, const X (&x)[2][3], const T (&u)[2][3], T (&e)[1]) const {  // linear in u; returns the length
    using std::sqrt;
    X square = 0.0;
    T change = 0.0;
    for (int d = 0; d < 3; ++d) {
      const X D = x[1][d] - x[0][d];
      square += D * D;
      change += D * (u[1][d] - u[0][d]);
    }
    e[0] = change / square;
    return sqrt(square);
  }
  template <class T>
  constexpr T energy(const T (&e)[1], const T (&before)[1],
                     T (&now)[1]) const {  // per length: elastic, and what flowing took
    using ritz::select;
    const T trial = young * (e[0] - before[0]), size = select(trial, trial, T(0.0) - trial), beyond = size - yield;
    const T slip = select(beyond, beyond / young, T(0.0));
    now[0] = before[0] + select(trial, slip, T(0.0) - slip);
    const T elastic = e[0] - now[0];
    return area * (0.5 * young * elastic * elastic + yield * slip);
  }
  template <class X, class T>
  constexpr void derive(const X (&x)[2][3], const T (&u)[2][3], const T* state, T* out) const {
    T e[1];
    strain(0, x, u, e);
    out[0] = young * area * (e[0] - state[0]);
  }
};

const ritz::AddWholeElement<YieldingBar> yielding_bar;
