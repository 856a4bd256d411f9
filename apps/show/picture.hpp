// A picture of a result without a display: the surface, coloured by a field, with a title and a colour bar, as PNG.
#pragma once

#include "apps/show/shown.hpp"

#include <string>

namespace ritz {

// From above for what lies in a plane, else from the front right. `label` is the second part of the title. Throws
// Error(Exit::input) for a field or component that is not there.
std::string png_of(const Shown& shown, const ShownStep& step, const Look& look, const std::string& label);

// Values of the first and the last colour: the ends of these values, or those that the look asks for.
std::pair<double, double> limits_of(const std::vector<float>& values, const Look& look);

}  // namespace ritz
