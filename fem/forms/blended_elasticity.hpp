// Anisotropic elasticity between two stiffnesses, whose shares are given at points: of a stiffness that is a table over
// the temperature, between two of its rows. Several stand on the same cells, one for each interval of the table; where
// the temperature lies in another interval both shares are next to nothing. So strains, which count by the sum of the
// shares, add up, as stresses do.
#pragma once

#include "fem/forms/anisotropic.hpp"

namespace ritz {

// Oriented: along material axes that vary from point to point; else along those of space.
template <bool Oriented = false>
struct BlendedElasticity {
  static constexpr const char* name = Oriented ? "oriented_blended_elasticity" : "blended_elasticity";
  static constexpr int components = 3, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  static constexpr const char *unknown = "displacement", *derives = "strain_and_stress";
  static constexpr int derived = 12, count = Oriented ? 8 : 2;
  static constexpr auto given = [] {
    std::array<ParameterFacts, count> all{};
    for (int i = 0; i < count - 2; ++i) all[i] = axis_given[i];
    all[count - 2] = {.name = "first_share"};
    all[count - 1] = {.name = "second_share"};
    return all;
  }();
  double first[Voigt::entries], second[Voigt::entries];  // [Pa]

  template <class T>
  constexpr void operator()(const Location<T, 3, count>& p, const Fields<T, 3, 3>& u, Fields<T, 3, 3>& f) const {
    T strain[6];
    stress_at(p, u, strain, f.gradient);
  }
  template <class T>
  constexpr void derive(const Location<T, 3, count>& p, const Fields<T, 3, 3>& u, T* out) const {
    T strain[6], ignored[6], sigma[3][3];
    stress_at(p, u, ignored, sigma);
    voigt_strain(u.gradient, strain);
    for (int k = 0; k < 6; ++k) strain[k] = (p.given[count - 2] + p.given[count - 1]) * strain[k];
    const T stress[6] = {sigma[0][0], sigma[1][1], sigma[2][2], sigma[0][1], sigma[1][2], sigma[0][2]};
    put_derived(strain, stress, out);
  }

 private:
  template <class T>
  constexpr void stress_at(const Location<T, 3, count>& p, const Fields<T, 3, 3>& u, T (&strain)[6],
                           T (&sigma)[3][3]) const {
    T axis[3][3], local[3][3], stress[6], more[6];
    if constexpr (Oriented) {
      material_axes(p.given, axis);
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
          local[a][b] = 0.0;
          for (int i = 0; i < 3; ++i)
            local[a][b] += axis[a][i] * (u.gradient[i][0] * axis[b][0] + u.gradient[i][1] * axis[b][1] +
                                         u.gradient[i][2] * axis[b][2]);
        }
      voigt_strain(local, strain);
    } else {
      voigt_strain(u.gradient, strain);
    }
    voigt_stress(first, strain, stress);
    voigt_stress(second, strain, more);
    for (int k = 0; k < 6; ++k) stress[k] = p.given[count - 2] * stress[k] + p.given[count - 1] * more[k];
    if constexpr (Oriented) {
      put_stress(stress, local);
      from_material_axes(axis, local, sigma);
    } else {
      put_stress(stress, sigma);
    }
  }
};

}  // namespace ritz
