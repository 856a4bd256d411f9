// Rubber by a cubic of both invariants, W = sum of c_ij (I1 - 3)^i (I2 - 3)^j over 1 <= i + j <= 3, and K/2 (J - 1)^2;
// I1 and I2 of the deformation at constant volume. Shear modulus at small strain 2 (c10 + c01). Rivlin and Saunders,
// Phil. Trans. R. Soc. A 243 (1951) 251; *HYPERELASTIC, POLYNOMIAL of Abaqus and CalculiX.
#pragma once

#include "fem/materials/law.hpp"

namespace ritz {

template <class L>
constexpr Parameter<L> coefficient_of(double L::*member, const char* name, double example) {
  return {member, {.name = name, .unit = "Pa", .about = "c_ij", .fallback = 0, .example = example}};
}

struct Polynomial {
  static constexpr const char* name = "polynomial";
  static constexpr Strain large = Strain::green_lagrange;
  double c10, c01, c20, c11, c02, c30, c21, c12, c03, bulk;
  static constexpr Parameter<Polynomial> parameters[] = {
      {&Polynomial::c10, {.name = "c10", .unit = "Pa", .about = "of the first invariant", .above = 0, .example = 80}},
      {&Polynomial::c01,
       {.name = "c01", .unit = "Pa", .about = "of the second invariant", .fallback = 0, .example = 20}},
      coefficient_of(&Polynomial::c20, "c20", -2),
      coefficient_of(&Polynomial::c11, "c11", 1),
      coefficient_of(&Polynomial::c02, "c02", 0.5),
      coefficient_of(&Polynomial::c30, "c30", 0.5),
      coefficient_of(&Polynomial::c21, "c21", 0.1),
      coefficient_of(&Polynomial::c12, "c12", 0.05),
      coefficient_of(&Polynomial::c03, "c03", 0.2),
      bulk_of(&Polynomial::bulk)};

  template <class T>
  constexpr T energy(const Invariants<T>& c) const {
    const T x = c.first - 3.0, y = c.second - 3.0, change = c.volume - 1.0;
    return x * (c10 + x * (c20 + c30 * x + c21 * y) + y * (c11 + c12 * y)) + y * (c01 + y * (c02 + c03 * y)) +
           (0.5 * bulk) * (change * change);
  }
};

}  // namespace ritz
