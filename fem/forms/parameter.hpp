// Meaning of a form's numbers, declared once: the keys of the case file, their checks and --describe follow from it.
//
//   struct MyDiffusion {
//     double conductivity;
//     static constexpr Parameter<MyDiffusion> parameters[] = {
//         {&MyDiffusion::conductivity, {.name = "conductivity", .unit = "W/(m K)", .about = "k", .above = 0}},
//     };
//   };
#pragma once

#include <limits>

namespace ritz {

// Bounds: minimum <= value <= maximum, above < value < below; NaN: none. A parameter without a fallback must be given.
struct ParameterFacts {
  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const char* name = "";
  const char* unit = "";
  const char* about = "";
  double minimum = none, maximum = none, above = none, below = none, fallback = none;
  // a value that suits checks of the form (ritz element check); else the fallback, else one in bounds
  double example = none;
};

// One number, or the three components of a vector: `double direction[3];`.
template <class F>
struct Parameter {
  constexpr Parameter(double F::*number, const ParameterFacts& given) : member(number), facts(given) {}
  constexpr Parameter(double (F::*numbers)[3], const ParameterFacts& given) : vector(numbers), facts(given) {}
  double F::*member = nullptr;
  double (F::*vector)[3] = nullptr;  // else this
  ParameterFacts facts;
};

}  // namespace ritz
