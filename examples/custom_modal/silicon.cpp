// A crystal of cubic symmetry along the axes: three moduli, as of silicon. With c11 = lambda + 2 mu, c12 = lambda and
// c44 = mu it is isotropic. Landau and Lifshitz, Theory of Elasticity, 1986, section 10.
#include "fem/add_form.hpp"

struct CubicCrystal {
  static constexpr const char *name = "cubic_crystal", *unknown = "displacement";
  static constexpr int components = 3, dimension = 3;
  static constexpr bool uses_value = false, uses_gradient = true;
  static constexpr bool linear = true, symmetric = true, objective = true;
  double c11, c12, c44;

  static constexpr ritz::Parameter<CubicCrystal> parameters[] = {
      {&CubicCrystal::c11, {.name = "c11", .unit = "Pa", .about = "stress per strain along an axis", .above = 0}},
      {&CubicCrystal::c12, {.name = "c12", .unit = "Pa", .about = "the same across the strain", .example = 0.5}},
      {&CubicCrystal::c44, {.name = "c44", .unit = "Pa", .about = "of shear between axes", .above = 0}}};

  template <class T>
  constexpr void operator()(const ritz::Location<T, 3>&, const ritz::Fields<T, 3, 3>& u,
                            ritz::Fields<T, 3, 3>& f) const {
    const auto& g = u.gradient;
    const T across = c12 * (g[0][0] + g[1][1] + g[2][2]);
    for (int i = 0; i < 3; ++i) {
      f.gradient[i][i] = across + (c11 - c12) * g[i][i];
      for (int j = 0; j < i; ++j) f.gradient[i][j] = f.gradient[j][i] = c44 * (g[i][j] + g[j][i]);
    }
  }
};

const ritz::AddForm<CubicCrystal> cubic_crystal;
