// -div(K grad u) with a full conductivity tensor, as in wood or laminates: a form that Ritz does not have.
#pragma once

#include "fem/forms/form.hpp"

struct AnisotropicDiffusion {
  static constexpr const char* name = "anisotropic_diffusion";
  static constexpr int components = 1, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  double conductivity[3][3];  // symmetric, positive definite [W/(m K)]

  template <class T>
  constexpr void operator()(const ritz::Location<T, 3>&, const ritz::Fields<T, 1, 3>& u,
                            ritz::Fields<T, 1, 3>& f) const {
    for (int i = 0; i < 3; ++i) {
      f.gradient[0][i] = 0;
      for (int j = 0; j < 3; ++j) f.gradient[0][i] = f.gradient[0][i] + conductivity[i][j] * u.gradient[0][j];
    }
  }
};
