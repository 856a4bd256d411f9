// Yield stress over equivalent plastic strain by points, linear between them and constant after the last one, as
// *PLASTIC of Abaqus and CalculiX has it.
#pragma once

#include "fem/materials/law.hpp"

namespace ritz {

inline constexpr int hardening_points = 8;

// The stress at a strain from 0 on, for points as below; strains and stresses are numbers of any kind.
template <class Stress, class T>
constexpr T hardened(const double (&strain)[hardening_points], const Stress (&stress)[hardening_points],
                     const T& plastic_strain) {
  T sum = stress[0];
  for (int i = 0; i + 1 < hardening_points; ++i) {
    const double length = strain[i + 1] - strain[i];
    const Stress slope = (length > 0 ? 1 / length : 0.0) * (stress[i + 1] - stress[i]);
    const T along = plastic_strain - strain[i];
    sum += slope * select(along, select(along - length, T(length), along), T(0.0));
  }
  return sum;
}

// Points that are not used have the stress of the last one, at a strain that is not smaller.
struct Hardening {
  double strain[hardening_points], stress[hardening_points];  // [1], [Pa]; strain[0] = 0

  static constexpr Hardening constant(double yield_stress) { return linear(yield_stress, 0); }
  // yield_stress + modulus times the strain, without an end.
  static constexpr Hardening linear(double yield_stress, double modulus) {
    Hardening h{};
    for (int i = 0; i < hardening_points; ++i) {
      h.strain[i] = i == 0 ? 0 : 1e6;
      h.stress[i] = yield_stress + modulus * h.strain[i];
    }
    return h;
  }
  template <class T>
  constexpr T at(const T& plastic_strain) const {
    return hardened(strain, stress, plastic_strain);
  }
};

inline constexpr int hardening_temperatures = 5;

// Such points at several temperatures, with the same strains; linear between two temperatures, constant outside. Rows
// that are not used repeat the last one.
struct HardeningOverTemperature {
  double strain[hardening_points], temperature[hardening_temperatures];  // [1], and the unit of the body's temperature
  double stress[hardening_temperatures][hardening_points];               // [Pa]

  static constexpr HardeningOverTemperature constant(double yield_stress) {
    HardeningOverTemperature h{};
    for (int i = 0; i < hardening_points; ++i) {
      h.strain[i] = i;
      for (auto& row : h.stress) row[i] = yield_stress;
    }
    return h;
  }
  constexpr bool has_temperatures() const { return temperature[hardening_temperatures - 1] > temperature[0]; }
  // The curve at a temperature.
  template <class X>
  struct Curve {
    const HardeningOverTemperature* of;
    X stress[hardening_points];
    template <class T>
    constexpr T at(const T& plastic_strain) const {
      return hardened(of->strain, stress, plastic_strain);
    }
  };
  template <class X>
  constexpr Curve<X> at(const X& T) const {
    Curve<X> curve{this, {}};
    for (int i = 0; i < hardening_points; ++i) curve.stress[i] = stress[0][i];
    for (int t = 0; t + 1 < hardening_temperatures; ++t) {
      const double width = temperature[t + 1] - temperature[t];
      const X share = (width > 0 ? 1 / width : 0.0) * (T - temperature[t]);
      const X inside = select(share, select(share - 1.0, X(1.0), share), X(0.0));
      for (int i = 0; i < hardening_points; ++i) curve.stress[i] += inside * (stress[t + 1][i] - stress[t][i]);
    }
    return curve;
  }
};

}  // namespace ritz
