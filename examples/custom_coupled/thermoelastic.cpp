// Two fields that are solved for together: displacements (components 0 to 2) and temperature (3) of a body that expands
// as it is heated. stress = lambda tr(eps) I + 2 mu eps - (3 lambda + 2 mu) alpha T I, heat flux = -k grad T (Boley and
// Weiner 1960, chapter 1, without the heat that straining makes). Displacements do not act on the temperature, so the
// matrix is not symmetric.
#include "fem/add_form.hpp"

struct Thermoelastic {
  static constexpr const char *name = "thermoelastic", *unknown = "displacement_and_temperature", *derives = "stress";
  static constexpr int components = 4, dimension = 3, derived = 6;
  static constexpr bool uses_value = true, uses_gradient = true, linear = true;
  double lambda, mu, expansion, conductivity;
  static constexpr ritz::Parameter<Thermoelastic> parameters[] = {
      {&Thermoelastic::lambda, {.name = "lambda", .unit = "Pa", .about = "Lame's first parameter", .minimum = 0}},
      {&Thermoelastic::mu, {.name = "mu", .unit = "Pa", .about = "shear modulus", .above = 0}},
      {&Thermoelastic::expansion, {.name = "expansion", .unit = "1/K", .about = "strain per degree", .example = 0.1}},
      {&Thermoelastic::conductivity, {.name = "conductivity", .unit = "W/(m K)", .about = "of heat", .above = 0}}};

  template <class T>
  constexpr T stress(const ritz::Fields<T, 4, 3>& u, int i, int j) const {
    const auto& g = u.gradient;
    const T shear = mu * (g[i][j] + g[j][i]);
    if (i != j) return shear;
    return shear + lambda * (g[0][0] + g[1][1] + g[2][2]) - ((3 * lambda + 2 * mu) * expansion) * u.value[3];
  }
  template <class T>
  constexpr void operator()(const ritz::Location<T, 3>&, const ritz::Fields<T, 4, 3>& u,
                            ritz::Fields<T, 4, 3>& f) const {
    for (int c = 0; c < 4; ++c) f.value[c] = 0.0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) f.gradient[i][j] = stress(u, i, j);
      f.gradient[3][i] = conductivity * u.gradient[3][i];
    }
  }
  template <class T>
  constexpr void derive(const ritz::Location<T, 3>&, const ritz::Fields<T, 4, 3>& u, T* out) const {
    constexpr int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};  // xx yy zz xy yz xz
    for (int k = 0; k < 6; ++k) out[k] = stress(u, row[k], column[k]);
  }
};

const ritz::AddForm<Thermoelastic> thermoelastic;
