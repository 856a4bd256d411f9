// The mass form, integral of u v: it turns nodal values of a source into a right-hand side.
#pragma once

#include "fem/forms/form.hpp"

namespace ritz {

struct BenchMass {
  static constexpr const char* name = "bench_mass";
  static constexpr int components = 1, dimension = 3;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true, linear = true;
  double factor = 1;

  template <class T>
  constexpr void operator()(const Location<T, 3>&, const Fields<T, 1, 3>& u, Fields<T, 1, 3>& f) const {
    f.value[0] = factor * u.value[0];
  }
};

}  // namespace ritz
