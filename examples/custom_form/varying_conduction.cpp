// Heat conduction with a conductivity that grows with temperature, -div(k (1 + b T) grad T) = q: a form by its flux.
#include "fem/add_form.hpp"

struct VaryingConduction {
  static constexpr const char *name = "varying_conduction", *unknown = "temperature";
  static constexpr int components = 1, dimension = 3;
  static constexpr bool uses_value = true, uses_gradient = true;
  double conductivity, growth, source;

  static constexpr ritz::Parameter<VaryingConduction> parameters[] = {
      {&VaryingConduction::conductivity,
       {.name = "conductivity", .unit = "W/(m K)", .about = "k at T = 0", .above = 0}},
      {&VaryingConduction::growth,
       {.name = "growth", .unit = "1/K", .about = "b of k (1 + b T)", .fallback = 0, .example = 0.5}},
      {&VaryingConduction::source,
       {.name = "source", .unit = "W/m^3", .about = "heat produced", .fallback = 0, .example = 2}}};

  template <class T>
  constexpr void operator()(const ritz::Location<T, 3>&, const ritz::Fields<T, 1, 3>& u,
                            ritz::Fields<T, 1, 3>& f) const {
    const T k = conductivity * (1.0 + growth * u.value[0]);
    for (int d = 0; d < 3; ++d) f.gradient[0][d] = k * u.gradient[0][d];
    f.value[0] = -source;
  }
};

const ritz::AddForm<VaryingConduction> varying_conduction;
