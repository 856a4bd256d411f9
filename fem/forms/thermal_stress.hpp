// The part of the stress that a free strain takes away: sigma = C (eps - eps_free), f.gradient = -C eps_free. It stands
// beside a form of elasticity on the same cells; both derive strain and stress, which add up. The free strain is theta
// times a fixed one, such as a thermal strain times the identity. Timoshenko and Goodier, Theory of Elasticity, ch. 13.
#pragma once

#include "fem/forms/material_axes.hpp"

#include <numbers>

namespace ritz {

// Puts the stress, in the order of Voigt, into the flux: over a thickness, or around the axis of a body of revolution.
template <int G, class T, int M>
constexpr void subtract_stress(const Location<T, G, M>& p, const T (&sigma)[3][3], double weight, bool axisymmetric,
                               Fields<T, G, G>& f) {
  T measure = weight;
  if (axisymmetric) measure = measure * p.x[0];
  for (int i = 0; i < G; ++i)
    for (int d = 0; d < G; ++d) f.gradient[i][d] = -1.0 * measure * sigma[i][d];
  if constexpr (G == 2) {
    f.value[1] = 0.0;
    f.value[0] = axisymmetric ? -weight * sigma[2][2] : T(0.0);
  }
}

// Numbers at a point: `Axes` of them for the material axes, theta and, in the plane, the strain across it that is free
// where the stress across is zero.
template <int G, int Axes>
inline constexpr auto thermal_given = [] {
  std::array<ParameterFacts, Axes + (G == 2 ? 2 : 1)> all{};
  for (int i = 0; i < Axes; ++i) all[i] = axis_given[i];
  all[Axes] = {.name = "theta"};
  if constexpr (G == 2) all[Axes + 1] = {.name = "strain_across"};
  return all;
}();

// Oriented: along material axes that vary from point to point; else along those of space.
template <int G, bool Oriented = false>
struct ThermalStress {
  static constexpr const char* name = G == 3 ? (Oriented ? "oriented_thermal_stress3" : "thermal_stress3")
                                             : (Oriented ? "oriented_thermal_stress2" : "thermal_stress2");
  static constexpr int components = G, dimension = G, extra_degree = 1, axes = Oriented ? 6 : 0;
  static constexpr bool uses_value = G == 2, uses_gradient = true, linear = true, has_matrix = false;
  static constexpr const char *unknown = "displacement", *derives = "strain_and_stress";
  static constexpr int derived = 12;
  static constexpr auto given = thermal_given<G, axes>;
  double stress[6];  // C times the free strain at theta = 1 [Pa]: xx, yy, zz, xy, yz, xz
  double weight = 1;
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G, axes + (G == 2 ? 2 : 1)>& p, const Fields<T, G, G>&,
                            Fields<T, G, G>& f) const {
    T sigma[3][3];
    stress_at(p, sigma);
    subtract_stress(p, sigma, weight, axisymmetric, f);
  }
  template <class T>
  constexpr void derive(const Location<T, G, axes + (G == 2 ? 2 : 1)>& p, const Fields<T, G, G>&, T* out) const {
    T sigma[3][3];
    stress_at(p, sigma);
    const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k) {
      out[k] = 0.0;
      out[6 + k] = -1.0 * sigma[row[k]][column[k]];
    }
    if constexpr (G == 2) out[2] = p.given[axes + 1];
  }

 private:
  template <class T>
  constexpr void stress_at(const Location<T, G, axes + (G == 2 ? 2 : 1)>& p, T (&sigma)[3][3]) const {
    T along[6], local[3][3];
    for (int k = 0; k < 6; ++k) along[k] = stress[k] * p.given[axes];
    if constexpr (Oriented) {
      T axis[3][3];
      put_stress<3>(along, local);
      material_axes(p.given, axis);
      from_material_axes(axis, local, sigma);
    } else {
      put_stress<3>(along, sigma);
    }
  }
};

}  // namespace ritz
