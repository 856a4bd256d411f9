// Densities: of force or heat per volume (codimension 0) or per area (codimension 1), and pressure.
// Loads enter residuals with a minus sign: residual = internal - external.
#pragma once

#include "fem/forms/form.hpp"
#include "fem/forms/parameter.hpp"

#include <array>
#include <string_view>

namespace ritz {

// "facet_load3_3": of forces on facets of solids.
constexpr std::array<char, 16> load_name(int codimension, int components, int dimension) {
  std::array<char, 16> text{};
  std::size_t length = 0;
  for (const char letter : std::string_view(codimension == 1 ? "facet_load" : "load")) text[length++] = letter;
  for (const char letter : {static_cast<char>('0' + components), '_', static_cast<char>('0' + dimension)})
    text[length++] = letter;
  return text;
}

// A density b: f.value = -b. In two dimensions `weight` is the thickness; axisymmetric: 2 pi, times r.
template <int C, int G, int Codimension>
struct Load {
  static constexpr auto text = load_name(Codimension, C, G);
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
  double density[C];  // [force or heat per volume or area]
  double weight = 1;
  bool axisymmetric = false;
  constexpr std::array<double, C> numbers() const { return std::to_array(density); }

  template <class T>
  constexpr void operator()(const Location<T, G, C>& p, const Fields<T, C, G>&, Fields<T, C, G>& f) const {
    for (int c = 0; c < C; ++c) {
      f.value[c] = -weight * p.given[c];
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
  static constexpr std::array<ParameterFacts, 1> given = {
      {{.name = "pressure", .unit = "Pa", .about = "positive when it pushes into the body"}}};
  double pressure;    // [Pa]
  double weight = 1;  // thickness [m]; or, when axisymmetric, 2 pi
  bool axisymmetric = false;
  static constexpr Parameter<Pressure> parameters[] = {
      {&Pressure::weight,
       {.name = "thickness", .unit = "m", .about = "of a plate; 1 in three dimensions", .above = 0, .fallback = 1}}};
  constexpr std::array<double, 1> numbers() const { return {pressure}; }

  template <class T>
  constexpr void operator()(const Location<T, G, 1>& p, const Fields<T, G, G>&, Fields<T, G, G>& f) const {
    for (int c = 0; c < G; ++c) {
      f.value[c] = weight * p.given[0] * p.normal[c];
      if (axisymmetric) f.value[c] = f.value[c] * p.x[0];
    }
  }
};

}  // namespace ritz
