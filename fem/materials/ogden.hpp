// Rubber by powers of the principal stretches at constant volume l_k, W = sum_i 2 mu_i / a_i^2 (l_1^a_i + l_2^a_i +
// l_3^a_i - 3) + K/2 (J - 1)^2, up to three terms; shear modulus at small strain: the sum of mu_i. Ogden, Proc. R. Soc.
// Lond. A 326 (1972) 565, with mu_i as Abaqus has them (Ogden's are 2 mu_i / a_i). Its stress
// S = sum_i 2 mu_i / a_i J^(-a_i/3) (C^(a_i/2 - 1) - tr(C^(a_i/2)) / 3 C^-1) + K (J - 1) J C^-1.
#pragma once

#include "fem/materials/law.hpp"

namespace ritz {

struct Ogden {
  static constexpr const char* name = "ogden";
  static constexpr Strain large = Strain::green_lagrange;
  static constexpr bool small = false;
  double mu1, alpha1, mu2, alpha2, mu3, alpha3, bulk;
  static constexpr Parameter<Ogden> parameters[] = {
      {&Ogden::mu1, {.name = "mu1", .unit = "Pa", .about = "shear modulus of the first term", .example = 150}},
      {&Ogden::alpha1, {.name = "alpha1", .about = "its exponent, not 0", .example = 1.3}},
      {&Ogden::mu2, {.name = "mu2", .unit = "Pa", .about = "of the second term", .fallback = 0, .example = 20}},
      {&Ogden::alpha2, {.name = "alpha2", .about = "its exponent, not 0", .fallback = 2, .example = 5}},
      {&Ogden::mu3, {.name = "mu3", .unit = "Pa", .about = "of the third term", .fallback = 0, .example = 30}},
      {&Ogden::alpha3, {.name = "alpha3", .about = "its exponent, not 0", .fallback = -2, .example = -2}},
      bulk_of(&Ogden::bulk)};

  template <class T>
  constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& E, const Plain<T>*, T*) const {
    using std::sqrt, std::pow;
    const Symmetric<T> C = Symmetric<T>::identity() + 2.0 * E, inverted = inverse(C);
    const T square = 1.0 + det_less_one(2.0 * E), J = sqrt(square);
    Symmetric<T> S = (bulk * ((J - 1.0) * J)) * inverted;
    const double mu[3] = {mu1, mu2, mu3}, alpha[3] = {alpha1, alpha2, alpha3};
    for (int i = 0; i < 3; ++i) {
      const Symmetric<T> lower = power(C, alpha[i] / 2 - 1);
      const T factor = (2 * mu[i] / alpha[i]) * pow(square, -alpha[i] / 6);
      S += factor * (lower - ((1.0 / 3) * contract(lower, C)) * inverted);
    }
    return S;
  }
};

}  // namespace ritz
