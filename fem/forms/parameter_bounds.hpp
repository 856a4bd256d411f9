// Bounds of parameters in words, and whether a number keeps them: for errors, and for the checks of forms.
#pragma once

#include "fem/forms/parameter.hpp"

#include <string>

namespace ritz {

// "above 0", "of at least 0 and of at most 1"; empty without bounds.
std::string bounds_of(const ParameterFacts& facts);
bool keeps_bounds(const ParameterFacts& facts, double value);
// A value to try: the declared example, else the fallback, else one within the bounds.
double example_of(const ParameterFacts& facts);

}  // namespace ritz
