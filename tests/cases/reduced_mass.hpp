// The mass as CalculiX integrates it on tetrahedra: with the points of the stiffness, one on C3D4 and four on C3D10.
#pragma once

#include "fem/forms/form.hpp"

namespace ritz::test {

struct ReducedMass {
  static constexpr const char* name = "reduced_mass";
  static constexpr int components = 3, dimension = 3, extra_degree = -2;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true, linear = true;
  double density;

  template <class T>
  constexpr void operator()(const Location<T, 3>&, const Fields<T, 3, 3>& u, Fields<T, 3, 3>& f) const {
    for (int c = 0; c < 3; ++c) f.value[c] = density * u.value[c];
  }
};

}  // namespace ritz::test
