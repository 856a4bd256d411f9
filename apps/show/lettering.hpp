// Text in pictures, drawn in strokes.
//
//   write_text(image, 10, 40, "von Mises [Pa]", 14);
#pragma once

#include "apps/show/canvas.hpp"

#include <string>

namespace ritz {

// Text from x to the right, standing on the line y; height of a capital. All in pixels. Letters beyond ASCII are
// asterisks.
void write_text(Image& image, double x, double y, const std::string& text, double height);
double text_width(const std::string& text, double height);

}  // namespace ritz
