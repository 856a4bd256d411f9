// The forms of loads.hpp, diffusion.hpp, elasticity.hpp and mass.hpp with numbers that vary from point to point: what
// formulas and tables of a case file give. The others are faster where a number is constant.
#pragma once

#include "fem/forms/in_plane.hpp"
#include "fem/forms/loads.hpp"
#include "fem/forms/parameter.hpp"

#include <array>
#include <numbers>

namespace ritz {

// A density of force or heat, per volume (codimension 0) or per area (1). Loads enter residuals with a minus sign.
template <int C, int G, int Codimension>
struct GivenLoad {
  static constexpr auto text = load_name("given_", Codimension, C, G);
  static constexpr const char* name = text.data();
  static constexpr int components = C, dimension = G, codimension = Codimension;
  static constexpr bool uses_value = true, uses_gradient = false, linear = true, has_matrix = false;
  static constexpr std::array<ParameterFacts, C> given = [] {
    constexpr ParameterFacts all[6] = {{.name = "density_x"}, {.name = "density_y"}, {.name = "density_z"},
                                       {.name = "density_3"}, {.name = "density_4"}, {.name = "density_5"}};
    std::array<ParameterFacts, C> first{};
    for (int c = 0; c < C; ++c) first[c] = all[c];
    return first;
  }();
  double weight = 1;  // thickness, or 2 pi
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G, C>& p, const Fields<T, C, G>&, Fields<T, C, G>& f) const {
    for (int c = 0; c < C; ++c) {
      f.value[c] = -weight * p.given[c];
      if (axisymmetric) f.value[c] = f.value[c] * p.x[0];
    }
  }
};

// Pressure on facets, positive into the body.
template <int G>
struct GivenPressure {
  static constexpr const char* name = G == 3 ? "given_pressure3" : "given_pressure2";
  static constexpr int components = G, dimension = G, codimension = 1;
  static constexpr bool uses_value = true, uses_gradient = false, linear = true, has_matrix = false;
  static constexpr std::array<ParameterFacts, 1> given = {{{.name = "pressure", .unit = "Pa"}}};
  double weight = 1;
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G, 1>& p, const Fields<T, G, G>&, Fields<T, G, G>& f) const {
    for (int c = 0; c < G; ++c) {
      f.value[c] = weight * p.given[0] * p.normal[c];
      if (axisymmetric) f.value[c] = f.value[c] * p.x[0];
    }
  }
};

// -div(k grad u).
template <int G>
struct VaryingDiffusion {
  static constexpr const char* name = G == 3 ? "varying_diffusion3" : "varying_diffusion2";
  static constexpr int components = 1, dimension = G, extra_degree = G == 2 ? 1 : 0;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  static constexpr const char *unknown = "temperature", *derives = "heat_flux";
  static constexpr int derived = G;
  static constexpr std::array<ParameterFacts, 1> given = {
      {{.name = "conductivity", .unit = "W/(m K)", .about = "k", .above = 0}}};
  double weight = 1;  // thickness [m], or 2 pi
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G, 1>& p, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    T k = weight * p.given[0];
    if (axisymmetric) k = k * p.x[0];
    for (int d = 0; d < G; ++d) f.gradient[0][d] = k * u.gradient[0][d];
  }
  template <class T>
  constexpr void derive(const Location<T, G, 1>& p, const Fields<T, 1, G>& u, T* out) const {
    for (int d = 0; d < G; ++d) out[d] = -1.0 * p.given[0] * u.gradient[0][d];
  }
};

// Newton's law of cooling on facets: heat h (u - ambient) leaves the body.
template <int G>
struct VaryingConvection {
  static constexpr const char* name = G == 3 ? "varying_convection3" : "varying_convection2";
  static constexpr int components = 1, dimension = G, codimension = 1, extra_degree = 1;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true, linear = true;
  static constexpr std::array<ParameterFacts, 2> given = {
      {{.name = "coefficient", .unit = "W/(m^2 K)", .about = "h", .above = 0},
       {.name = "ambient", .unit = "K", .about = "temperature of the fluid", .example = 20}}};
  double weight = 1;
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G, 2>& p, const Fields<T, 1, G>& u, Fields<T, 1, G>& f) const {
    f.value[0] = weight * p.given[0] * (u.value[0] - p.given[1]);
    if (axisymmetric) f.value[0] = f.value[0] * p.x[0];
  }
};

// Elastic parameters that vary from point to point.
inline constexpr std::array<ParameterFacts, 2> elastic_given = {
    {{.name = "young", .unit = "Pa", .about = "Young's modulus", .above = 0},
     {.name = "poisson", .about = "Poisson's ratio", .above = -1, .below = 0.5, .example = 0.3}}};

template <class T>
struct LameAt {
  T lambda, mu;
  constexpr LameAt(T young, T poisson)
      : lambda(young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))), mu(young / (2.0 * (1.0 + poisson))) {}
};

// Isotropic linear elasticity of solids; derived: strain, then stress, as in elasticity.hpp.
struct VaryingElasticity {
  static constexpr const char* name = "varying_elasticity";
  static constexpr int components = 3, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true, symmetric = true, linear = true;
  static constexpr const char *unknown = "displacement", *derives = "strain_and_stress";
  static constexpr int derived = 12;
  static constexpr std::array<ParameterFacts, 2> given = elastic_given;

  template <class T>
  constexpr void operator()(const Location<T, 3, 2>& p, const Fields<T, 3, 3>& u, Fields<T, 3, 3>& f) const {
    const LameAt<T> l(p.given[0], p.given[1]);
    const auto& g = u.gradient;
    const T pressure = l.lambda * (g[0][0] + g[1][1] + g[2][2]);
    for (int i = 0; i < 3; ++i) {
      f.gradient[i][i] = pressure + 2.0 * l.mu * g[i][i];
      for (int j = 0; j < i; ++j) f.gradient[i][j] = f.gradient[j][i] = l.mu * (g[i][j] + g[j][i]);
    }
  }
  template <class T>
  constexpr void derive(const Location<T, 3, 2>& p, const Fields<T, 3, 3>& u, T* out) const {
    const LameAt<T> l(p.given[0], p.given[1]);
    const auto& g = u.gradient;
    const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
    const T pressure = l.lambda * (g[0][0] + g[1][1] + g[2][2]);
    for (int k = 0; k < 6; ++k) {
      out[k] = 0.5 * (g[row[k]][column[k]] + g[column[k]][row[k]]);
      out[6 + k] = 2.0 * l.mu * out[k];
      if (k < 3) out[6 + k] = out[6 + k] + pressure;
    }
  }
};

// Plane strain, plane stress, and bodies of revolution about the y axis (x = r, eps_zz = u_r / r, integrals over 2 pi r
// dA).
template <PlaneKind Kind>
struct VaryingPlaneElasticity {
  static constexpr bool axisymmetric = Kind == PlaneKind::axisymmetric, stress = Kind == PlaneKind::stress;
  static constexpr const char* name = axisymmetric ? "varying_axisymmetric_elasticity"
                                      : stress     ? "varying_plane_stress"
                                                   : "varying_plane_strain";
  static constexpr int components = 2, dimension = 2, extra_degree = axisymmetric ? 1 : 0;
  static constexpr bool uses_value = axisymmetric, uses_gradient = true, symmetric = true, linear = true;
  static constexpr int derived = 12;
  static constexpr std::array<ParameterFacts, 2> given = elastic_given;
  double thickness = 1;  // [m]

  template <class T>
  constexpr void operator()(const Location<T, 2, 2>& p, const Fields<T, 2, 2>& u, Fields<T, 2, 2>& f) const {
    const LameAt<T> l = in_plane(p);
    const auto& g = u.gradient;
    T trace = g[0][0] + g[1][1], measure = 0.0, hoop = 0.0;
    if constexpr (axisymmetric) {
      hoop = u.value[0] / p.x[0];
      trace += hoop;
      measure = (2 * std::numbers::pi) * p.x[0];
    } else {
      measure = thickness;
    }
    const T pressure = l.lambda * trace;
    f.gradient[0][0] = measure * (pressure + 2.0 * l.mu * g[0][0]);
    f.gradient[1][1] = measure * (pressure + 2.0 * l.mu * g[1][1]);
    f.gradient[0][1] = f.gradient[1][0] = measure * (l.mu * (g[0][1] + g[1][0]));
    if constexpr (axisymmetric) {
      f.value[0] = (2 * std::numbers::pi) * (pressure + 2.0 * l.mu * hoop);
      f.value[1] = 0.0;
    }
  }
  template <class T>
  constexpr void derive(const Location<T, 2, 2>& p, const Fields<T, 2, 2>& u, T* out) const {
    const LameAt<T> l = in_plane(p);
    const auto& g = u.gradient;
    const T plane = g[0][0] + g[1][1];
    T across = 0.0;  // eps_zz
    if constexpr (axisymmetric) across = u.value[0] / p.x[0];
    if constexpr (stress) across = -1.0 * p.given[1] / (1.0 - p.given[1]) * plane;
    T pressure = l.lambda * plane, sigma_zz = 0.0;
    if constexpr (!stress) {
      pressure = l.lambda * (plane + across);
      sigma_zz = pressure + 2.0 * l.mu * across;
    }
    const T shear = 0.5 * (g[0][1] + g[1][0]);
    const T strain[6] = {g[0][0], g[1][1], across, shear, 0.0, 0.0};
    const T stresses[6] = {
        pressure + 2.0 * l.mu * g[0][0], pressure + 2.0 * l.mu * g[1][1], sigma_zz, 2.0 * l.mu * shear, 0.0, 0.0};
    for (int k = 0; k < 6; ++k) {
      out[k] = strain[k];
      out[6 + k] = stresses[k];
    }
  }

 private:
  // In plane stress 2 lambda mu / (lambda + 2 mu) acts instead of lambda.
  template <class T>
  static constexpr LameAt<T> in_plane(const Location<T, 2, 2>& p) {
    LameAt<T> l(p.given[0], p.given[1]);
    if constexpr (stress) l.lambda = 2.0 * l.lambda * l.mu / (l.lambda + 2.0 * l.mu);
    return l;
  }
};

// Integral of rho u . v; of a body of revolution `weight` is 2 pi, and r joins it.
template <int G, bool Axisymmetric = false>
struct VaryingMass {
  static constexpr const char* name = G == 3         ? "varying_mass3"
                                      : Axisymmetric ? "varying_axisymmetric_mass2"
                                                     : "varying_mass2";
  static constexpr int components = G, dimension = G, extra_degree = Axisymmetric ? 1 : 0;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true, linear = true;
  static constexpr std::array<ParameterFacts, 1> given = {{{.name = "density", .unit = "kg/m^3", .above = 0}}};
  double weight = 1;

  template <class T>
  constexpr void operator()(const Location<T, G, 1>& p, const Fields<T, G, G>& u, Fields<T, G, G>& f) const {
    T density = weight * p.given[0];
    if constexpr (Axisymmetric) density = density * p.x[0];
    for (int c = 0; c < G; ++c) f.value[c] = density * u.value[c];
  }
};

}  // namespace ritz
