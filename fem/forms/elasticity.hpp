// Small-strain isotropic linear elasticity: sigma = lambda tr(eps) I + 2 mu eps, f.gradient = sigma.
// Hughes, The Finite Element Method, Dover 2000, sections 2.7 and 2.12.
// Derived quantities: strain (xx, yy, zz, xy, yz, xz; tensor components), then stress [Pa] in the same order.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"

#include <numbers>

namespace ritz {

// Lame's parameters. [Pa]
struct Lame {
  double lambda, mu;
  static constexpr Lame from(double young, double poisson) {
    return {young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson))};
  }
};

struct Elasticity {
  static constexpr const char* name = "elasticity";
  static constexpr int components = 3, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  static constexpr bool objective = true;
  static constexpr const char *unknown = "displacement", *derives = "strain_and_stress";
  static constexpr int derived = 12;
  double lambda, mu;  // [Pa]
  static constexpr Parameter<Elasticity> parameters[] = {
      {&Elasticity::lambda, {.name = "lambda", .unit = "Pa", .about = "Lame's first parameter"}},
      {&Elasticity::mu, {.name = "mu", .unit = "Pa", .about = "shear modulus", .above = 0}}};

  template <class T>
  constexpr void operator()(const Location<T, 3>&, const Fields<T, 3, 3>& u, Fields<T, 3, 3>& f) const {
    const auto& g = u.gradient;
    const T pressure = lambda * (g[0][0] + g[1][1] + g[2][2]);
    for (int i = 0; i < 3; ++i) {
      f.gradient[i][i] = pressure + (2 * mu) * g[i][i];
      for (int j = 0; j < i; ++j) f.gradient[i][j] = f.gradient[j][i] = mu * (g[i][j] + g[j][i]);
    }
  }
  template <class T>
  constexpr void derive(const Location<T, 3>&, const Fields<T, 3, 3>& u, T* out) const {
    const auto& g = u.gradient;
    const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
    const T pressure = lambda * (g[0][0] + g[1][1] + g[2][2]);
    for (int k = 0; k < 6; ++k) {
      out[k] = 0.5 * (g[row[k]][column[k]] + g[column[k]][row[k]]);
      out[6 + k] = (2 * mu) * out[k];
      if (k < 3) out[6 + k] = out[6 + k] + pressure;
    }
  }
};

// Plane strain and plane stress. Plane stress replaces lambda by 2 lambda mu / (lambda + 2 mu) in the plane and lets
// the thickness strain follow from sigma_zz = 0.
struct PlaneElasticity {
  static constexpr const char* name = "plane_elasticity";
  static constexpr int components = 2, dimension = 2;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  static constexpr int derived = 12;
  double lambda, mu;  // [Pa]; lambda as it acts in the plane
  double thickness;   // [m]
  // eps_zz = zz_strain * (eps_xx + eps_yy): 0 in plane strain, -lambda3/(lambda3 + 2 mu) in plane stress
  double zz_strain;
  double zz_stress;  // sigma_zz = zz_stress * (eps_xx + eps_yy): lambda3 in plane strain, 0 in plane stress

  static constexpr PlaneElasticity plane_strain(Lame l, double thickness) {
    return {l.lambda, l.mu, thickness, 0, l.lambda};
  }
  static constexpr PlaneElasticity plane_stress(Lame l, double thickness) {
    const double modulus = l.lambda + 2 * l.mu;
    return {2 * l.lambda * l.mu / modulus, l.mu, thickness, -l.lambda / modulus, 0};
  }

  template <class T>
  constexpr void operator()(const Location<T, 2>&, const Fields<T, 2, 2>& u, Fields<T, 2, 2>& f) const {
    const auto& g = u.gradient;
    const T pressure = (thickness * lambda) * (g[0][0] + g[1][1]);
    f.gradient[0][0] = pressure + (2 * thickness * mu) * g[0][0];
    f.gradient[1][1] = pressure + (2 * thickness * mu) * g[1][1];
    f.gradient[0][1] = f.gradient[1][0] = (thickness * mu) * (g[0][1] + g[1][0]);
  }
  template <class T>
  constexpr void derive(const Location<T, 2>&, const Fields<T, 2, 2>& u, T* out) const {
    const auto& g = u.gradient;
    const T trace = g[0][0] + g[1][1];
    const T shear = 0.5 * (g[0][1] + g[1][0]);
    const T strain[6] = {g[0][0], g[1][1], zz_strain * trace, shear, 0.0, 0.0};
    const T stress[6] = {lambda * trace + (2 * mu) * g[0][0],
                         lambda * trace + (2 * mu) * g[1][1],
                         zz_stress * trace,
                         (2 * mu) * shear,
                         0.0,
                         0.0};
    for (int k = 0; k < 6; ++k) {
      out[k] = strain[k];
      out[6 + k] = stress[k];
    }
  }
};

// A body of revolution about the y axis: x = r, y = axial, z = hoop; eps_zz = u_r / r. Integrals run over 2 pi r dA.
struct AxisymmetricElasticity {
  static constexpr const char* name = "axisymmetric_elasticity";
  static constexpr int components = 2, dimension = 2, extra_degree = 1;
  static constexpr bool of_revolution = true, uses_value = true, uses_gradient = true, symmetric = true, linear = true;
  static constexpr int derived = 12;
  double lambda, mu;  // [Pa]

  template <class T>
  constexpr void operator()(const Location<T, 2>& p, const Fields<T, 2, 2>& u, Fields<T, 2, 2>& f) const {
    const auto& g = u.gradient;
    const T measure = (2 * std::numbers::pi) * p.x[0];
    const T hoop = u.value[0] / p.x[0];
    const T pressure = lambda * (g[0][0] + g[1][1] + hoop);
    f.gradient[0][0] = measure * (pressure + (2 * mu) * g[0][0]);
    f.gradient[1][1] = measure * (pressure + (2 * mu) * g[1][1]);
    f.gradient[0][1] = f.gradient[1][0] = measure * (mu * (g[0][1] + g[1][0]));
    f.value[0] = (2 * std::numbers::pi) * (pressure + (2 * mu) * hoop);
    f.value[1] = 0.0;
  }
  template <class T>
  constexpr void derive(const Location<T, 2>& p, const Fields<T, 2, 2>& u, T* out) const {
    const auto& g = u.gradient;
    const T hoop = u.value[0] / p.x[0];
    const T pressure = lambda * (g[0][0] + g[1][1] + hoop);
    const T strain[6] = {g[0][0], g[1][1], hoop, 0.5 * (g[0][1] + g[1][0]), 0.0, 0.0};
    for (int k = 0; k < 6; ++k) {
      out[k] = strain[k];
      out[6 + k] = (2 * mu) * strain[k];
      if (k < 3) out[6 + k] = out[6 + k] + pressure;
    }
  }
};

}  // namespace ritz
