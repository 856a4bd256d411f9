// Plane stress of any law: the strain zz at which the stress zz vanishes, by Newton's method, and the moduli condensed
// to that.
#pragma once

#include "fem/materials/law.hpp"

#include <limits>

namespace ritz {

inline constexpr int plane_stress_steps = 16;

// The next strain zz. Where displacements are large it stays above that of no thickness: 1 + 2 e falls by at most 2/3
// in a step. `change` returns the square of the relative change.
template <class T>
constexpr T next_strain_across(const Symmetric<T>& strain, const T& stress, const T& modulus, Strain measure) {
  const T e = strain[2], next = e - stress / modulus;
  if (measure != Strain::green_lagrange) return next;
  const T least = (e - 1.0) * (1.0 / 3);  // 1 + 2 least = (1 + 2 e) / 3
  return select(next - least, next, least);
}

// Above 0 where the stress across is too large for rounding to be its cause. Rounding leaves 1e-16 of the modulus where
// there is no strain: the sums of an energy's derivatives do not cancel to zero there.
template <class T>
constexpr T stress_across_is_left(const Symmetric<T>& strain, const T& stress, const T& modulus) {
  const T size = contract(strain, strain);
  return stress * stress - 1e-20 * (modulus * modulus * (size + 1e-10));
}

template <class T>
constexpr void condense(Response<T>& r) {
  const T scale = T(1.0) / r.moduli[2][2];
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b)
      if (a != 2 && b != 2) r.moduli[a][b] -= scale * (r.moduli[a][2] * r.moduli[2][b]);
  for (int a = 0; a < 6; ++a) r.moduli[a][2] = r.moduli[2][a] = 0.0;
  r.stress[2] = 0.0;
}

}  // namespace ritz
