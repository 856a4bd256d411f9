// Yield stress over equivalent plastic strain by points, linear between them and constant after the last one, as
// *PLASTIC of Abaqus and CalculiX has it.
#pragma once

#include "fem/materials/law.hpp"

namespace ritz {

inline constexpr int hardening_points = 8;

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
    T sum = stress[0];
    for (int i = 0; i + 1 < hardening_points; ++i) {
      const double length = strain[i + 1] - strain[i];
      const double slope = length > 0 ? (stress[i + 1] - stress[i]) / length : 0;
      const T along = plastic_strain - strain[i];
      sum += slope * select(along, select(along - length, T(length), along), T(0.0));
    }
    return sum;
  }
};

}  // namespace ritz
