// Given densities: of force or heat per volume (codimension 0) or per area (codimension 1), and pressure.
// Loads enter residuals with a minus sign: residual = internal - external.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"

namespace ritz {

// A constant density b: f.value = -b. In two dimensions `weight` is the thickness; axisymmetric: 2 pi, times r.
template <int C, int G, int Codimension>
struct Load {
  static constexpr const char* names[2][3][2] = {{{"load1_2", "facet_load1_2"}, {"load2_2", "facet_load2_2"}, {"", ""}},
                                                 {{"load1_3", "facet_load1_3"}, {"", ""}, {"load3_3", "facet_load3_3"}}};
  static constexpr const char* name = names[G - 2][C - 1][Codimension];
  static constexpr int components = C, dimension = G, codimension = Codimension;
  static constexpr bool uses_value = true, uses_gradient = false, linear = true, has_matrix = false;
  double density[C];  // [force or heat per volume or area]
  double weight = 1;
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G>& p, const Fields<T, C, G>&, Fields<T, C, G>& f) const {
    for (int c = 0; c < C; ++c) {
      f.value[c] = -weight * density[c];
      if (axisymmetric) f.value[c] = f.value[c] * p.x[0];
    }
  }
};

// Pressure on facets, positive when it pushes into the body: traction = -p n.
template <int G>
struct Pressure {
  static constexpr const char* name = G == 3 ? "pressure3" : "pressure2";
  static constexpr int components = G, dimension = G, codimension = 1;
  static constexpr bool uses_value = true, uses_gradient = false, linear = true, has_matrix = false;
  double pressure;  // [Pa]
  double weight = 1;
  bool axisymmetric = false;
  static constexpr Parameter<Pressure> parameters[] = {
      {&Pressure::pressure, {.name = "pressure", .unit = "Pa", .about = "positive when it pushes into the body"}}};

  template <class T>
  constexpr void operator()(const Location<T, G>& p, const Fields<T, G, G>&, Fields<T, G, G>& f) const {
    for (int c = 0; c < G; ++c) {
      f.value[c] = (weight * pressure) * p.normal[c];
      if (axisymmetric) f.value[c] = f.value[c] * p.x[0];
    }
  }
};

}  // namespace ritz
