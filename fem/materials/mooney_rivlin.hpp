// Rubber by the first two invariants, W = c10 (I1 - 3) + c01 (I2 - 3) + K/2 (J - 1)^2, I1 and I2 of the deformation at
// constant volume; c01 = 0 is neo-Hooke's. Shear modulus at small strain 2 (c10 + c01). Holzapfel, Nonlinear Solid
// Mechanics, 2000, equation 6.147; the volumetric part as in Abaqus, K = 2 / D1.
#pragma once

#include "fem/materials/law.hpp"

namespace ritz {

struct MooneyRivlin {
  static constexpr const char* name = "mooney_rivlin";
  static constexpr Strain large = Strain::green_lagrange;
  double c10, c01, bulk;
  static constexpr Parameter<MooneyRivlin> parameters[] = {
      {&MooneyRivlin::c10, {.name = "c10", .unit = "Pa", .about = "of the first invariant", .above = 0, .example = 80}},
      {&MooneyRivlin::c01,
       {.name = "c01", .unit = "Pa", .about = "of the second invariant", .fallback = 0, .example = 20}},
      bulk_of(&MooneyRivlin::bulk)};

  template <class T>
  constexpr T energy(const Invariants<T>& c) const {
    const T change = c.volume - 1.0;
    return c10 * (c.first - 3.0) + c01 * (c.second - 3.0) + (0.5 * bulk) * (change * change);
  }
};

}  // namespace ritz
