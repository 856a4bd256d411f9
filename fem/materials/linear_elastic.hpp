// Isotropic elasticity, stress proportional to strain. With large displacements it is the material of St. Venant and
// Kirchhoff, second Piola-Kirchhoff stress from Green and Lagrange's strain: for large rotations at small strain, soft
// in strong compression. Holzapfel, Nonlinear Solid Mechanics, 2000, equation 6.151.
#pragma once

#include "fem/materials/law.hpp"

namespace ritz {

struct LinearElastic {
  static constexpr const char* name = "linear_elastic";
  static constexpr Strain large = Strain::green_lagrange;
  double young, poisson;
  static constexpr Parameter<LinearElastic> parameters[] = {young_of(&LinearElastic::young),
                                                            poisson_of(&LinearElastic::poisson)};

  template <class T>
  constexpr Symmetric<T> stress(const Time&, const Symmetric<T>& strain, const Plain<T>*, T*) const {
    return elastic_stress(ElasticModuli::from(young, poisson), strain);
  }
};

}  // namespace ritz
