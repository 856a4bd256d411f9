// Rubber as a network of eight chains that lock at a stretch, W = mu sum_i C_i / lock^(2i-2) (I1^i - 3^i) +
// K/2 ((J^2 - 1)/2 - ln J), i = 1...5, C = 1/2, 1/20, 11/1050, 19/7000, 519/673750; I1 of the deformation at constant
// volume. Arruda and Boyce, J. Mech. Phys. Solids 41 (1993) 389, equation 19; the volumetric part as in Abaqus.
#pragma once

#include "fem/materials/law.hpp"

namespace ritz {

struct ArrudaBoyce {
  static constexpr const char* name = "arruda_boyce";
  static constexpr Strain large = Strain::green_lagrange;
  double shear, locking_stretch, bulk;
  static constexpr Parameter<ArrudaBoyce> parameters[] = {
      {&ArrudaBoyce::shear,
       {.name = "shear", .unit = "Pa", .about = "mu: modulus of the chains", .above = 0, .example = 200}},
      {&ArrudaBoyce::locking_stretch,
       {.name = "locking_stretch", .about = "of the chains", .above = 1, .example = 2.8}},
      bulk_of(&ArrudaBoyce::bulk)};

  template <class T>
  constexpr T energy(const Invariants<T>& c) const {
    using std::log;
    const double a = 1 / (locking_stretch * locking_stretch), b = a * a;
    const T x = c.first;
    const T sum = x * (0.5 + x * (a / 20 + x * (b * 11 / 1050 + x * (a * b * 19 / 7000 + x * (b * b * 519 / 673750)))));
    const double at_rest =
        3 * (0.5 + 3 * (a / 20 + 3 * (b * 11 / 1050 + 3 * (a * b * 19 / 7000 + 3 * (b * b * 519 / 673750)))));
    return shear * (sum - at_rest) + (0.5 * bulk) * (0.5 * (c.volume * c.volume - 1.0) - log(c.volume));
  }
};

}  // namespace ritz
