// Diffusion with a reaction, -div(k grad u) + r u = 0: a cooled rod, or a substance that decays on its way.
#include "fem/add_form.hpp"

struct ReactingRod {
  static constexpr const char *name = "reacting_rod", *unknown = "concentration";
  static constexpr int components = 1, dimension = 3;
  static constexpr bool uses_value = true, uses_gradient = true, symmetric = true, linear = true;
  double diffusivity, rate;

  static constexpr ritz::Parameter<ReactingRod> parameters[] = {
      {&ReactingRod::diffusivity, {.name = "diffusivity", .unit = "m^2/s", .about = "k", .above = 0}},
      {&ReactingRod::rate, {.name = "rate", .unit = "1/s", .about = "of decay", .minimum = 0}}};

  template <class T>
  constexpr void operator()(const ritz::Location<T, 3>&, const ritz::Fields<T, 1, 3>& u,
                            ritz::Fields<T, 1, 3>& f) const {
    for (int d = 0; d < 3; ++d) f.gradient[0][d] = diffusivity * u.gradient[0][d];
    f.value[0] = rate * u.value[0];
  }
};

// with kernels for hex8 beside those for any element
const ritz::AddForm<ReactingRod, ritz::RITZ_BACKEND::Cell<8, 3>> reacting_rod;
