// Forms and elements of the tests' own that keep a state: by an energy, on facets, and as whole elements in each of the
// three ways.
#pragma once

#include "fem/forms/elasticity.hpp"
#include "fem/forms/from_energy.hpp"
#include "fem/forms/parameter.hpp"
#include "fem/forms/whole_element.hpp"

#include <array>
#include <cmath>

namespace ritz::test {

// Antiplane shear of a yielding body, G |g - p|^2 / 2 + H a^2 / 2 + yield a, by its energy or by its flux.
struct YieldingShear {
  static constexpr int components = 1, dimension = 2;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, objective = true,
                        rate_independent = true;
  static constexpr std::array<StateFacts, 2> state = {{{.name = "slip", .components = 2}, {.name = "amount"}}};
  double stiffness, yield, hardening;
  static constexpr Parameter<YieldingShear> parameters[] = {
      {&YieldingShear::stiffness, {.name = "stiffness", .above = 0, .example = 2}},
      {&YieldingShear::yield, {.name = "yield", .above = 0, .example = 0.05}},
      {&YieldingShear::hardening, {.name = "hardening", .above = 0, .example = 0.3}}};

  template <class T>
  constexpr void update(const T (&g)[2], const T (&before)[3], T (&now)[3]) const {
    using std::sqrt;
    T trial[2], square = 0.0;
    for (int d = 0; d < 2; ++d) {
      trial[d] = stiffness * (g[d] - before[d]);
      square += trial[d] * trial[d];
    }
    const T size = sqrt(square), beyond = size - (yield + hardening * before[2]);
    const T amount = select(beyond, beyond / (stiffness + hardening), T(0.0)),
            along = select(beyond, amount / size, T(0.0));
    for (int d = 0; d < 2; ++d) now[d] = before[d] + along * trial[d];
    now[2] = before[2] + amount;
  }
};
struct YieldingByEnergy : YieldingShear {
  static constexpr const char* name = "test_yielding_by_energy";
  template <class T>
  constexpr T energy(const Location<T, 2>&, const Fields<T, 1, 2>& u, const T (&before)[3], T (&now)[3]) const {
    update(u.gradient[0], before, now);
    const T x = u.gradient[0][0] - now[0], y = u.gradient[0][1] - now[1];
    return (0.5 * stiffness) * (x * x + y * y) + (0.5 * hardening) * (now[2] * now[2]) + yield * now[2];
  }
};
struct YieldingByFlux : YieldingShear {
  static constexpr const char* name = "test_yielding_by_flux";
  template <class T>
  constexpr void operator()(const Location<T, 2>&, const Fields<T, 1, 2>& u, const T (&before)[3], T (&now)[3],
                            Fields<T, 1, 2>& f) const {
    update(u.gradient[0], before, now);
    for (int d = 0; d < 2; ++d) f.gradient[0][d] = stiffness * (u.gradient[0][d] - now[d]);
  }
};

// Heat h u / (1 + m) leaves through a facet, m the highest temperature that it has had, at first 0.5: fouling.
struct FouledWall {
  static constexpr const char* name = "test_fouled_wall";
  static constexpr int components = 1, dimension = 2, codimension = 1, derived = 1;
  static constexpr bool uses_value = true, uses_gradient = false, rate_independent = true;
  static constexpr std::array<StateFacts, 1> state = {{{.name = "highest", .unit = "K", .start = 0.5}}};
  double coefficient;
  static constexpr Parameter<FouledWall> parameters[] = {
      {&FouledWall::coefficient, {.name = "coefficient", .above = 0, .example = 1}}};

  template <class T>
  constexpr void operator()(const Location<T, 2>&, const Fields<T, 1, 2>& u, const T (&before)[1], T (&now)[1],
                            Fields<T, 1, 2>& f) const {
    now[0] = select(u.value[0] - before[0], u.value[0], before[0]);
    f.value[0] = coefficient * u.value[0] / (1.0 + now[0]);
  }
  template <class T>
  constexpr void derive(const Location<T, 2>&, const Fields<T, 1, 2>& u, const T* state, T* out) const {
    out[0] = coefficient * u.value[0] / (1.0 + state[0]);
  }
};

// Elasticity by another name: that in the plane must not be the library's.
struct OwnElasticity : Elasticity {
  static constexpr const char* name = "test_elasticity";
};

// A bar with both hardenings, E/2 (e - p)^2 + Hi a^2 / 2 + Hk p^2 / 2 + yield a; state p, a. Simo and Hughes, box 1.5.
enum class Way { strains, energy, residual };
template <Way W>
struct PlasticLine {
  static constexpr const char* name = W == Way::strains  ? "test_plastic_by_strains"
                                      : W == Way::energy ? "test_plastic_by_energy"
                                                         : "test_plastic_by_residual";
  static constexpr const char *unknown = "displacement", *derives = "force", *derived_names = "N";
  static constexpr auto cell = CellKind::line2;
  static constexpr int components = 3, derived = 1;
  static constexpr bool symmetric = true, rate_independent = true;
  static constexpr std::array<StateFacts, 2> state = {
      {{.name = "plastic_strain"}, {.name = "equivalent_plastic_strain"}}};
  double young, yield, isotropic, kinematic;
  static constexpr Parameter<PlasticLine> parameters[] = {
      {&PlasticLine::young, {.name = "young", .above = 0, .example = 1}},
      {&PlasticLine::yield, {.name = "yield", .above = 0, .example = 0.05}},
      {&PlasticLine::isotropic, {.name = "isotropic", .minimum = 0, .example = 0.2}},
      {&PlasticLine::kinematic, {.name = "kinematic", .minimum = 0, .example = 0.1}}};

  template <class T>
  constexpr T update(const T& strain, const T (&before)[2], T (&now)[2]) const {  // the stress
    const T xi = young * (strain - before[0]) - kinematic * before[0];
    const T size = select(xi, xi, T(0.0) - xi), beyond = size - (yield + isotropic * before[1]);
    const T slip = select(beyond, beyond / (young + isotropic + kinematic), T(0.0));
    now[0] = before[0] + select(xi, slip, T(0.0) - slip);
    now[1] = before[1] + slip;
    return young * (strain - now[0]);
  }
  template <class T>
  constexpr T density(const T& strain, const T (&before)[2], T (&now)[2]) const {
    update(strain, before, now);
    const T elastic = strain - now[0];
    return (0.5 * young) * (elastic * elastic) + (0.5 * kinematic) * (now[0] * now[0]) +
           (0.5 * isotropic) * (now[1] * now[1]) + yield * now[1];
  }
  template <class X, class T>
  static constexpr X strain_of(const X (&x)[2][3], const T (&u)[2][3], T& strain) {
    using std::sqrt;
    X square = 0.0;
    T change = 0.0;
    for (int d = 0; d < 3; ++d) {
      const X D = x[1][d] - x[0][d];
      square += D * D;
      change += D * (u[1][d] - u[0][d]);
    }
    strain = change / square;
    return sqrt(square);
  }
  template <class X, class T>
  constexpr T energy(const X (&x)[2][3], const T (&u)[2][3], const T (&before)[2], T (&now)[2]) const
      requires(W == Way::energy) {
    T strain;
    const X length = strain_of(x, u, strain);
    return length * density(strain, before, now);
  }
  template <class X, class T>
  constexpr void residual(const X (&x)[2][3], const T (&u)[2][3], const T (&before)[2], T (&now)[2], T (&r)[2][3]) const
      requires(W == Way::residual) {
    T strain;
    const X length = strain_of(x, u, strain);
    const T stress = update(strain, before, now);
    for (int d = 0; d < 3; ++d) {
      r[1][d] = (x[1][d] - x[0][d]) / length * stress;
      r[0][d] = T(0.0) - r[1][d];
    }
  }
  template <class X, class T>
  constexpr void derive(const X (&x)[2][3], const T (&u)[2][3], const T* state, T* out) const {
    T strain;
    strain_of(x, u, strain);
    out[0] = young * (strain - state[0]);
  }
};

// The same with two points of half the length.
struct PlasticByStrains : PlasticLine<Way::strains> {
  static constexpr int points = 2, strains = 1;
  static constexpr bool objective = true;  // infinitesimal rotations
  template <class X, class T>
  constexpr X strain(int, const X (&x)[2][3], const T (&u)[2][3], T (&e)[1]) const {
    return 0.5 * strain_of(x, u, e[0]);
  }
  template <class T>
  constexpr T energy(const T (&e)[1], const T (&before)[2], T (&now)[2]) const {
    return density(e[0], before, now);
  }
};

}  // namespace ritz::test
