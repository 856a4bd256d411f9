// Damage of brittle materials by a nonlocal strain e as a second unknown, so that the width of a zone that softens, and
// the energy it takes, do not depend on the mesh: stress = (1 - damage) C : strain, and
//   e - length^2 Laplace(e) = equivalent strain,    no slope of e across the surface.
// The damage grows with kappa, the largest e that a point has seen, beyond a threshold:
//   damage = 1 - threshold / kappa (1 - alpha + alpha exp(-beta (kappa - threshold))).
// Peerlings, de Borst, Brekelmans and de Vree, Int. J. Numer. Meth. Engng 39 (1996) 3391, who write c for length^2. The
// equivalent strain is von Mises's with another strength in compression: de Vree, Brekelmans and van Gils, Computers
// and Structures 55 (1995) 581. Unknowns: the displacement, then e, both of one order; the equation of e is multiplied
// by Young's modulus, so that both have the unit of a stress.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"
#include "fem/forms/point_state.hpp"
#include "fem/numbers/tensor.hpp"

#include <array>
#include <cmath>

namespace ritz {

// In space, in the plane with plane strain, or with plane stress.
template <int D, bool PlaneStress = false>
struct GradientDamage {
  static constexpr const char* name = D == 3        ? "gradient_damage3"
                                      : PlaneStress ? "gradient_damage_of_sheet"
                                                    : "gradient_damage2";
  static constexpr const char *unknown = "displacement_and_strain", *derives = "stress:6 strain:6 damage:1";
  static constexpr int components = D + 1, dimension = D, derived = 13;
  static constexpr bool uses_value = true, uses_gradient = true, rate_independent = true;
  static constexpr std::array<StateFacts, 1> state = {
      {{.name = "largest_nonlocal_strain", .about = "kappa, which only grows"}}};
  double young, poisson, threshold, alpha, beta, strength_ratio, length;
  static constexpr Parameter<GradientDamage> parameters[] = {
      {&GradientDamage::young, {.name = "young", .unit = "Pa", .about = "Young's modulus", .above = 0, .example = 2}},
      {&GradientDamage::poisson,
       {.name = "poisson", .about = "Poisson's ratio", .above = -1, .below = 0.5, .example = 0.2}},
      {&GradientDamage::threshold,
       {.name = "threshold", .about = "nonlocal strain at which damage begins", .above = 0, .example = 0.02}},
      {&GradientDamage::alpha,
       {.name = "alpha", .about = "damage in the end", .minimum = 0, .maximum = 1, .example = 0.9}},
      {&GradientDamage::beta, {.name = "beta", .about = "how fast it grows, per strain", .minimum = 0, .example = 10}},
      {&GradientDamage::strength_ratio,
       {.name = "strength_ratio",
        .about = "strength in compression over that in tension",
        .minimum = 1,
        .fallback = 10,
        .example = 3}},
      {&GradientDamage::length,
       {.name = "length", .unit = "m", .about = "internal length, sqrt(c)", .above = 0, .example = 0.3}}};

  template <class T>
  constexpr T damage(const T& kappa) const {
    using std::exp;
    const T more = select(kappa - threshold, kappa - threshold, T(0.0)), at = threshold + more;
    return 1.0 - threshold / at * (1.0 - alpha + alpha * exp(-beta * more));
  }

  template <class T>
  constexpr Symmetric<T> strain(const Fields<T, components, D>& u) const {
    const auto& g = u.gradient;
    Symmetric<T> e = Symmetric<T>::zero();
    for (int k = 0; k < 6; ++k) {
      const int i = voigt_row(k), j = voigt_column(k);
      if (i < D && j < D) e[k] = 0.5 * (g[i][j] + g[j][i]);
    }
    if constexpr (PlaneStress) e[2] = (-poisson / (1 - poisson)) * (e[0] + e[1]);
    return e;
  }

  // The strain of a bar in tension that would be damaged as much.
  template <class T>
  constexpr T equivalent(const Symmetric<T>& e) const {
    using std::sqrt;
    const double k = strength_ratio, volumetric = (k - 1) / (1 - 2 * poisson),
                 shears = 2 * k / ((1 + poisson) * (1 + poisson));
    const T first = trace(e), second = 3.0 * contract(e, e) - first * first;
    // its root has a slope at rest, too
    return (1 / (2 * k)) *
           (volumetric * first + sqrt((volumetric * first) * (volumetric * first) + shears * second + 1e-300));
  }

  template <class T>
  constexpr Symmetric<T> stress(const Symmetric<T>& e, const T& kappa) const {
    const double shear = young / (2 * (1 + poisson)), lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    const T left = 1.0 - damage(kappa), pressure = lame * trace(e);
    Symmetric<T> s = (2 * shear) * e;
    for (int k = 0; k < 6; ++k) s[k] = left * (k < 3 ? T(s[k] + pressure) : s[k]);
    return s;
  }

  template <class T>
  constexpr void operator()(const Location<T, D>&, const Fields<T, components, D>& u, const T (&before)[1], T (&now)[1],
                            Fields<T, components, D>& f) const {
    const T nonlocal = u.value[D];
    now[0] = select(nonlocal - before[0], nonlocal, before[0]);
    const Symmetric<T> e = strain(u), s = stress(e, now[0]);
    for (int i = 0; i < D; ++i) {
      f.value[i] = 0.0;
      for (int j = 0; j < D; ++j) f.gradient[i][j] = s(i, j);
      f.gradient[D][i] = (young * length * length) * u.gradient[D][i];
    }
    f.value[D] = young * (nonlocal - equivalent(e));
  }

  template <class T>
  constexpr void derive(const Location<T, D>&, const Fields<T, components, D>& u, const T* kept, T* out) const {
    const Symmetric<T> e = strain(u), s = stress(e, kept[0]);
    for (int k = 0; k < 6; ++k) {
      out[k] = s[k];
      out[6 + k] = e[k];
    }
    out[12] = damage(kept[0]);
  }
};

}  // namespace ritz
