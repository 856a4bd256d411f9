// Elastic ground under facets (Winkler): the traction on the body is minus a stiffness times the displacement, with one
// stiffness along the normal, one along the facet, and others along the axes beside these. Winkler, Die Lehre von der
// Elasticitaet und Festigkeit, 1867; Hetenyi, Beams on Elastic Foundation, 1946. In two dimensions `weight` is the
// thickness; of a body of revolution it is 2 pi, and r joins it.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"
#include "fem/numbers/dual.hpp"

#include <array>

namespace ritz {

// -traction = t u + (n - t) (u . normal) normal + (k_x u_x, k_y u_y, k_z u_z); factor: weight, and r.
template <int G, class T>
constexpr Fields<T, G, G> ground_traction(const T (&normal)[G], const T (&u)[G], T n, T t, const T (&along)[G],
                                          T factor) {
  Fields<T, G, G> f{};
  T out = 0.0;
  for (int d = 0; d < G; ++d) out = out + normal[d] * u[d];
  for (int d = 0; d < G; ++d) f.value[d] = factor * ((t + along[d]) * u[d] + (n - t) * out * normal[d]);
  return f;
}

template <int G>
struct Winkler {
  static constexpr const char* name = G == 3 ? "foundation3" : "foundation2";
  static constexpr int components = G, dimension = G, codimension = 1, extra_degree = 1;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true, linear = true;
  static constexpr const char* unknown = "displacement";
  static constexpr std::array<ParameterFacts, 2 + G> given = [] {
    constexpr ParameterFacts all[5] = {
        {.name = "normal", .unit = "N/m^3", .about = "along the normal", .minimum = 0},
        {.name = "tangential", .unit = "N/m^3", .about = "along the facet", .minimum = 0, .fallback = 0},
        {.name = "x", .unit = "N/m^3", .about = "along x", .minimum = 0, .fallback = 0},
        {.name = "y", .unit = "N/m^3", .about = "along y", .minimum = 0, .fallback = 0},
        {.name = "z", .unit = "N/m^3", .about = "along z", .minimum = 0, .fallback = 0}};
    std::array<ParameterFacts, 2 + G> first{};
    for (int i = 0; i < 2 + G; ++i) first[i] = all[i];
    return first;
  }();
  double normal;              // [N/m^3]
  double tangential;          // [N/m^3]
  double along_axes[G] = {};  // [N/m^3]
  double weight = 1;
  bool axisymmetric = false;
  static constexpr Parameter<Winkler> parameters[] = {
      {&Winkler::weight,
       {.name = "thickness", .unit = "m", .about = "of a plate; 1 in three dimensions", .above = 0, .fallback = 1}}};
  constexpr std::array<double, 2 + G> numbers() const {
    std::array<double, 2 + G> all{normal, tangential};
    for (int d = 0; d < G; ++d) all[2 + d] = along_axes[d];
    return all;
  }

  template <class T>
  constexpr void operator()(const Location<T, G, 2 + G>& p, const Fields<T, G, G>& u, Fields<T, G, G>& f) const {
    T along[G];
    for (int d = 0; d < G; ++d) along[d] = p.given[2 + d];
    T factor = weight;
    if (axisymmetric) factor = factor * p.x[0];
    f = ground_traction<G>(p.normal, u.value, p.given[0], p.given[1], along, factor);
  }
};

// Ground that presses and does not pull: the body lifts off. traction = -k max(u . normal, 0) normal; k [N/m^3].
template <int G>
struct PressedGround {
  static constexpr const char* name = G == 3 ? "pressed_foundation3" : "pressed_foundation2";
  static constexpr int components = G, dimension = G, codimension = 1, extra_degree = 1;
  static constexpr bool uses_value = true, uses_gradient = false, symmetric = true;
  static constexpr const char* unknown = "displacement";
  static constexpr std::array<ParameterFacts, 1> given = {
      {{.name = "normal", .unit = "N/m^3", .about = "along the normal, against the body", .minimum = 0}}};
  double weight = 1;
  bool axisymmetric = false;

  template <class T>
  constexpr void operator()(const Location<T, G, 1>& p, const Fields<T, G, G>& u, Fields<T, G, G>& f) const {
    T out = 0.0, factor = weight * p.given[0];
    for (int d = 0; d < G; ++d) out = out + p.normal[d] * u.value[d];
    if (axisymmetric) factor = factor * p.x[0];
    const T pressure = factor * select(-out, T(0.0), out);  // in touch at out = 0, or else nothing holds the body there
    for (int d = 0; d < G; ++d) f.value[d] = pressure * p.normal[d];
  }
};

}  // namespace ritz
