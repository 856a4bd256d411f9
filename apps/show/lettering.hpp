// Text and lines in pictures.
//
//   write_text(image, 10, 40, "von Mises [Pa]", 14);
#pragma once

#include "apps/show/canvas.hpp"

#include <array>
#include <string>

namespace ritz {

// Text from x to the right, standing on the line y; height of a capital. All in pixels. Letters beyond ASCII are
// asterisks.
void write_text(Image& image, double x, double y, const std::string& text, double height);
double text_width(const std::string& text, double height);
// From one point to another, nearly black.
void draw_line(Image& image, const std::array<double, 2>& from, const std::array<double, 2>& to, double thickness);

}  // namespace ritz
