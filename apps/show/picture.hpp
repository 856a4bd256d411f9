// A picture of a result without a display, as PNG: the surface, coloured by a field, with its edges, a title, a colour
// bar, the axes, and a ring around the greatest value.
#pragma once

#include "apps/show/shown.hpp"

#include <string>

namespace ritz {

// From above for what lies in a plane, else from the front right. `label` is the second part of the title, `unit` that
// of the values; empty: not known. Throws Error: Exit::input for a field or component that is not there.
std::string png_of(const Shown& shown, const ShownStep& step, const Look& look, const std::string& label,
                   const std::string& unit = "");

}  // namespace ritz
