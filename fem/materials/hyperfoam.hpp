// Elastomeric foam by powers of the principal stretches l_k, W = sum_i 2 mu_i / a_i^2 (l_1^a_i + l_2^a_i + l_3^a_i - 3
// + (J^(-a_i b) - 1) / b), up to two terms, b = nu / (1 - 2 nu) with the Poisson ratio nu of all terms, which holds at
// any strain for one term. Shear modulus at small strain: mu_1 + mu_2. Storakers, J. Mech. Phys. Solids 34 (1986) 125;
// the form of Abaqus and CalculiX (*HYPERFOAM). Its stress S = sum_i 2 mu_i / a_i (C^(a_i/2 - 1) - J^(-a_i b) C^-1).
#pragma once

#include "fem/materials/law.hpp"

namespace ritz {

struct Hyperfoam {
  static constexpr const char* name = "hyperfoam";
  static constexpr Strain large = Strain::green_lagrange;
  static constexpr bool small = false;
  double mu1, alpha1, mu2, alpha2, poisson;
  static constexpr Parameter<Hyperfoam> parameters[] = {
      {&Hyperfoam::mu1, {.name = "mu1", .unit = "Pa", .about = "shear modulus of the first term", .example = 150}},
      {&Hyperfoam::alpha1, {.name = "alpha1", .about = "its exponent, not 0", .example = 8}},
      {&Hyperfoam::mu2, {.name = "mu2", .unit = "Pa", .about = "of the second term", .fallback = 0, .example = 20}},
      {&Hyperfoam::alpha2, {.name = "alpha2", .about = "its exponent, not 0", .fallback = 2, .example = -2}},
      {&Hyperfoam::poisson,
       {.name = "poisson", .about = "Poisson's ratio", .minimum = 0, .below = 0.5, .fallback = 0, .example = 0.1}}};

  template <class T>
  constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& E, const Plain<T>*, T*) const {
    using std::pow;
    const Symmetric<T> C = Symmetric<T>::identity() + 2.0 * E, inverted = inverse(C);
    const T square = 1.0 + det_less_one(2.0 * E);
    const double beta = poisson / (1 - 2 * poisson), mu[2] = {mu1, mu2}, alpha[2] = {alpha1, alpha2};
    Symmetric<T> S = Symmetric<T>::zero();
    for (int i = 0; i < 2; ++i)
      S += T(2 * mu[i] / alpha[i]) * (power(C, alpha[i] / 2 - 1) - pow(square, -alpha[i] * beta / 2) * inverted);
    return S;
  }
};

}  // namespace ritz
