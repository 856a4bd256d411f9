// Metal plasticity by von Mises's yield surface whose yield stress depends on the plastic strain p, the temperature and
// the rate of p: tables over the plastic strain at several temperatures, times Cowper and Symonds's factor
//   yield(p, T) (1 + (p' / rate)^(1 / rate_exponent)),   p' = dp / dt over the increment,
// an overstress of viscoplasticity (Perzyna's law, solved for the stress). An increment that takes no time is elastic,
// as one of an infinite rate. Implicit Euler, radial return, with one scalar equation for y = (p' / rate)^(1 /
// rate_exponent), in which it is smooth. Cowper and Symonds, Brown University technical report 28, 1957; de Souza Neto,
// Peric and Owen, Computational Methods for Plasticity, 2008, section 11.3; *PLASTIC and *RATE DEPENDENT of Abaqus.
// With large displacements the strain is logarithmic.
#pragma once

#include "fem/materials/hardening.hpp"
#include "fem/materials/root.hpp"

#include <array>
#include <cmath>

namespace ritz {

struct J2Rate {
  static constexpr const char* name = "j2_rate";
  static constexpr Strain large = Strain::logarithmic;
  static constexpr bool reads_time = true;
  static constexpr std::array<StateFacts, 2> state = {
      {{.name = "plastic_strain", .about = "xx yy zz xy yz xz", .components = 6},
       {.name = "equivalent_plastic_strain", .about = "its rate is sqrt(2/3 D:D), D that of the plastic strain"}}};
  double young, poisson, rate, rate_exponent;
  HardeningOverTemperature yield;
  static constexpr Parameter<J2Rate> parameters[] = {
      young_of(&J2Rate::young),
      poisson_of(&J2Rate::poisson),
      {&J2Rate::rate,
       {.name = "rate",
        .unit = "1/s",
        .about = "of the plastic strain at which the yield stress doubles; 0: it does not depend on the rate",
        .minimum = 0,
        .fallback = 0,
        .example = 0.05}},
      {&J2Rate::rate_exponent,
       {.name = "rate_exponent", .about = "exponent of the overstress", .minimum = 1, .fallback = 1, .example = 3}}};
  static constexpr HardeningOverTemperature J2Rate::*table = &J2Rate::yield;
  constexpr bool needs_time() const { return rate > 0; }
  constexpr bool needs_temperature() const { return yield.has_temperatures(); }

  template <class T>
  constexpr Symmetric<T> stress(const Time& time, const Plain<T>& temperature, const Symmetric<T>& strain,
                                const Plain<T>* before, T* now) const {
    using std::pow;
    using X = Plain<T>;
    const ElasticModuli m = ElasticModuli::from(young, poisson);
    Symmetric<T> elastic = strain;
    for (int k = 0; k < 6; ++k) elastic[k] -= before[k];
    const Symmetric<T> trial = (2 * m.shear) * deviator(elastic);
    const T q = von_mises(trial);
    const auto curve = yield.at(temperature);
    const double G3 = 3 * m.shear;
    const X start = before[6], size = plain_of(q), limit = curve.at(start);
    const X yields = rate > 0 && !(time.dt > 0) ? X(-1.0) : size - limit - 1e-10 * limit;
    // dp = scale y^n; without rates y is dp itself
    const bool has_rate = rate > 0 && time.dt > 0;
    const double n = has_rate ? rate_exponent : 1, scale = has_rate ? rate * time.dt : 1, over = has_rate ? 1 : 0;
    const auto increment = [&](const auto& y) { return has_rate ? scale * (y * pow(y, n - 1)) : y; };
    const auto beyond = [&](const auto& length, const auto& y) {
      const auto dp = increment(y);
      return length - G3 * dp - curve.at(start + dp) * (1.0 + over * y);
    };
    // without hardening and without overstress
    X most = (1 / (G3 * scale)) * size;
    if (has_rate) {
      const X other = size / limit;
      most = pow(most, 1 / n);
      most = select(most - other, other, most);
    }
    const X root = root_of_decreasing([&](const Dual<X>& y) { return beyond(Dual<X>(size), y); }, most, limit);
    const X slope = beyond(Dual<X>(size), Dual<X>(root, X(1.0))).derivative;
    const T slip = increment(with_derivatives<T>(root, beyond(q, T(root)), slope));
    const T along = select(T(yields), 1.5 * slip / q, T(0.0));
    for (int k = 0; k < 6; ++k) {
      now[k] = T(before[k]) + along * trial[k];
      elastic[k] -= along * trial[k];
    }
    now[6] = T(start) + select(T(yields), slip, T(0.0));
    return elastic_stress(m, elastic);
  }
};

}  // namespace ritz
