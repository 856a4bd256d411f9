// Curves over one axis as a picture, with measured points as marks.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace ritz {

struct PlottedCurve {
  std::string name;
  std::vector<std::array<double, 2>> points = {};  // joined by a line
  std::vector<std::array<double, 2>> marks = {};
};
struct PlotLook {
  std::string title;
  int width = 1000, height = 700;
};

// PNG. Points that are not finite are left out.
std::string plot_of(const std::vector<PlottedCurve>& curves, const PlotLook& look);

}  // namespace ritz
