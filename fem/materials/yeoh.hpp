// Rubber by a cubic of the first invariant, W = c10 (I1 - 3) + c20 (I1 - 3)^2 + c30 (I1 - 3)^3 + K/2 (J - 1)^2, I1 of
// the deformation at constant volume: stiffens at large stretch. Yeoh, Rubber Chemistry and Technology 66 (1993) 754;
// Holzapfel, Nonlinear Solid Mechanics, 2000, equation 6.149.
#pragma once

#include "fem/materials/law.hpp"

namespace ritz {

struct Yeoh {
  static constexpr const char* name = "yeoh";
  static constexpr Strain large = Strain::green_lagrange;
  double c10, c20, c30, bulk;
  static constexpr Parameter<Yeoh> parameters[] = {
      {&Yeoh::c10, {.name = "c10", .unit = "Pa", .about = "half of the shear modulus", .above = 0, .example = 100}},
      {&Yeoh::c20, {.name = "c20", .unit = "Pa", .about = "of the square", .fallback = 0, .example = -2}},
      {&Yeoh::c30, {.name = "c30", .unit = "Pa", .about = "of the cube", .fallback = 0, .example = 0.5}},
      bulk_of(&Yeoh::bulk)};

  template <class T>
  constexpr T energy(const Invariants<T>& c) const {
    const T x = c.first - 3.0, change = c.volume - 1.0;
    return x * (c10 + x * (c20 + c30 * x)) + (0.5 * bulk) * (change * change);
  }
};

}  // namespace ritz
