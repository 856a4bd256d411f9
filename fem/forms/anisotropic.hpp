// Small-strain linear elasticity of anisotropic materials: sigma = C eps, f.gradient = sigma. Stiffness in Voigt's
// notation, in the order xx, yy, zz, xy, yz, xz, with engineering shear strains (gamma_xy = 2 eps_xy). Jones, Mechanics
// of Composite Materials, 2nd ed. 1999, sections 2.2 and 2.6. Derived quantities: as in elasticity.hpp.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"

#include <array>

namespace ritz {

// The upper triangle of a symmetric 6 x 6 matrix, row by row.
struct Voigt {
  static constexpr int entries = 21;
  static constexpr int entry(int i, int j) { return i <= j ? 6 * i - i * (i - 1) / 2 + j - i : entry(j, i); }
};

// Engineering strains of a displacement gradient.
template <class T>
constexpr void voigt_strain(const T (&g)[3][3], T (&strain)[6]) {
  for (int i = 0; i < 3; ++i) strain[i] = g[i][i];
  strain[3] = g[0][1] + g[1][0];
  strain[4] = g[1][2] + g[2][1];
  strain[5] = g[0][2] + g[2][0];
}

template <class T>
constexpr void voigt_stress(const double (&stiffness)[Voigt::entries], const T (&strain)[6], T (&stress)[6]) {
  for (int i = 0; i < 6; ++i) {
    stress[i] = stiffness[Voigt::entry(i, 0)] * strain[0];
    for (int j = 1; j < 6; ++j) stress[i] += stiffness[Voigt::entry(i, j)] * strain[j];
  }
}

template <class T>
constexpr void put_stress(const T (&stress)[6], T (&gradient)[3][3]) {
  for (int i = 0; i < 3; ++i) gradient[i][i] = stress[i];
  gradient[0][1] = gradient[1][0] = stress[3];
  gradient[1][2] = gradient[2][1] = stress[4];
  gradient[0][2] = gradient[2][0] = stress[5];
}

// Strain (tensor components), then stress.
template <class T>
constexpr void put_derived(const T (&strain)[6], const T (&stress)[6], T* out) {
  for (int k = 0; k < 6; ++k) {
    out[k] = k < 3 ? strain[k] : 0.5 * strain[k];
    out[6 + k] = stress[k];
  }
}

// The same stiffness everywhere, along the axes of space.
struct AnisotropicElasticity {
  static constexpr const char* name = "anisotropic_elasticity";
  static constexpr int components = 3, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  static constexpr bool objective = true;
  static constexpr const char *unknown = "displacement", *derives = "strain_and_stress";
  static constexpr int derived = 12;
  double stiffness[Voigt::entries];  // [Pa]

  template <class T>
  constexpr void operator()(const Location<T, 3>&, const Fields<T, 3, 3>& u, Fields<T, 3, 3>& f) const {
    T strain[6], stress[6];
    voigt_strain(u.gradient, strain);
    voigt_stress(stiffness, strain, stress);
    put_stress(stress, f.gradient);
  }
  template <class T>
  constexpr void derive(const Location<T, 3>&, const Fields<T, 3, 3>& u, T* out) const {
    T strain[6], stress[6];
    voigt_strain(u.gradient, strain);
    voigt_stress(stiffness, strain, stress);
    put_derived(strain, stress, out);
  }
};

// Material axes at a point, from the first two, which are unit vectors at right angles: axis[a][d].
template <class T, int N>
constexpr void material_axes(const T (&given)[N], T (&axis)[3][3]) {
  for (int d = 0; d < 3; ++d) {
    axis[0][d] = given[d];
    axis[1][d] = given[3 + d];
  }
  for (int d = 0; d < 3; ++d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    axis[2][d] = axis[0][e] * axis[1][f] - axis[0][f] * axis[1][e];
  }
}

// Components of a tensor along the axes of space, from those along the material axes.
template <class T>
constexpr void from_material_axes(const T (&axis)[3][3], const T (&local)[3][3], T (&global)[3][3]) {
  T half[3][3];
  for (int a = 0; a < 3; ++a)
    for (int j = 0; j < 3; ++j)
      half[a][j] = local[a][0] * axis[0][j] + local[a][1] * axis[1][j] + local[a][2] * axis[2][j];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      global[i][j] = axis[0][i] * half[0][j] + axis[1][i] * half[1][j] + axis[2][i] * half[2][j];
}

inline constexpr ParameterFacts axis_given[6] = {{.name = "axis1_x"}, {.name = "axis1_y"}, {.name = "axis1_z"},
                                                 {.name = "axis2_x"}, {.name = "axis2_y"}, {.name = "axis2_z"}};

// The stiffness along material axes that vary from point to point.
struct OrientedElasticity {
  static constexpr const char* name = "oriented_elasticity";
  static constexpr int components = 3, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  static constexpr const char *unknown = "displacement", *derives = "strain_and_stress";
  static constexpr int derived = 12;
  static constexpr std::array<ParameterFacts, 6> given = {axis_given[0], axis_given[1], axis_given[2],
                                                          axis_given[3], axis_given[4], axis_given[5]};
  double stiffness[Voigt::entries];  // [Pa] along the material axes

  template <class T>
  constexpr void operator()(const Location<T, 3, 6>& p, const Fields<T, 3, 3>& u, Fields<T, 3, 3>& f) const {
    stress_at(p, u, f.gradient);
  }
  template <class T>
  constexpr void derive(const Location<T, 3, 6>& p, const Fields<T, 3, 3>& u, T* out) const {
    T strain[6], sigma[3][3];
    voigt_strain(u.gradient, strain);
    stress_at(p, u, sigma);
    const T stress[6] = {sigma[0][0], sigma[1][1], sigma[2][2], sigma[0][1], sigma[1][2], sigma[0][2]};
    put_derived(strain, stress, out);
  }

 private:
  template <class T>
  constexpr void stress_at(const Location<T, 3, 6>& p, const Fields<T, 3, 3>& u, T (&sigma)[3][3]) const {
    T axis[3][3], local[3][3], strain[6], stress[6];
    material_axes(p.given, axis);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        local[a][b] = 0.0;
        for (int i = 0; i < 3; ++i)
          local[a][b] += axis[a][i] * (u.gradient[i][0] * axis[b][0] + u.gradient[i][1] * axis[b][1] +
                                       u.gradient[i][2] * axis[b][2]);
      }
    voigt_strain(local, strain);
    voigt_stress(stiffness, strain, stress);
    put_stress(stress, local);
    from_material_axes(axis, local, sigma);
  }
};

}  // namespace ritz
