// Compressible rubber of one modulus, W = mu/2 (I1 - 3) - mu ln J + lambda/2 (ln J)^2 with I1 = tr C, in which lambda
// and mu follow from young and poisson, its constants at small strain. Bonet and Wood, Nonlinear Continuum Mechanics
// for Finite Element Analysis, 2nd ed. 2008, equation 6.27.
#pragma once

#include "fem/materials/law.hpp"

namespace ritz {

struct NeoHooke {
  static constexpr const char* name = "neo_hooke";
  static constexpr Strain large = Strain::green_lagrange;
  double young, poisson;
  static constexpr Parameter<NeoHooke> parameters[] = {young_of(&NeoHooke::young), poisson_of(&NeoHooke::poisson)};

  template <class T>
  constexpr T energy(const Invariants<T>& c) const {
    using std::log, std::exp;
    const auto [shear, bulk] = ElasticModuli::from(young, poisson);
    const T logarithm = log(c.volume);
    const T first = exp((2.0 / 3) * logarithm) * c.first;  // of C itself
    return (0.5 * shear) * (first - 3.0) - shear * logarithm +
           (0.5 * (bulk - 2.0 / 3 * shear)) * (logarithm * logarithm);
  }
};

}  // namespace ritz
