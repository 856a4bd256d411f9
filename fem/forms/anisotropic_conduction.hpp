// -div(K grad u) with a conductivity for each of three axes at right angles: K = sum of k_a axis_a axis_a^T. Carslaw
// and Jaeger, Conduction of Heat in Solids, 2nd ed. 1959, section 1.17. In two dimensions `weight` is the thickness; of
// a body of revolution it is 2 pi, and r joins it.
#pragma once

#include "fem/forms/material_axes.hpp"

namespace ritz {

template <int G>
struct AnisotropicConduction {
  static constexpr const char* name = G == 3 ? "anisotropic_conduction3" : "anisotropic_conduction2";
  static constexpr int components = 1, dimension = G, extra_degree = G == 2 ? 1 : 0;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  static constexpr const char *unknown = "temperature", *derives = "heat_flux";
  static constexpr int derived = G;
  static constexpr std::array<ParameterFacts, 6> given = std::to_array(axis_given);
  double conductivity[3];               // k along axes 1, 2, 3 [W/(m K)]
  double axes[6] = {1, 0, 0, 0, 1, 0};  // 1 and 2
  double weight = 1;
  bool axisymmetric = false;
  constexpr std::array<double, 6> numbers() const { return std::to_array(axes); }

  template <class T>
  constexpr void operator()(const Location<T, G, 6>& p, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    T measure = weight;
    if (axisymmetric) measure = measure * p.x[0];
    T flux[G];
    flux_at(p, u, flux);
    for (int d = 0; d < G; ++d) f.gradient[0][d] = measure * flux[d];
  }
  template <class T>
  constexpr void derive(const Location<T, G, 6>& p, const Fields<T, 1, G>& u, T* out) const {
    T flux[G];
    flux_at(p, u, flux);
    for (int d = 0; d < G; ++d) out[d] = -1.0 * flux[d];
  }

 private:
  // K grad u
  template <class T>
  constexpr void flux_at(const Location<T, G, 6>& p, const Fields<T, 1, G>& u, T (&flux)[G]) const {
    T at[3][3];
    material_axes(p.given, at);
    for (int d = 0; d < G; ++d) flux[d] = 0.0;
    for (int a = 0; a < 3; ++a) {
      T along = 0.0;
      for (int d = 0; d < G; ++d) along += at[a][d] * u.gradient[0][d];
      for (int d = 0; d < G; ++d) flux[d] += conductivity[a] * along * at[a][d];
    }
  }
};

}  // namespace ritz
