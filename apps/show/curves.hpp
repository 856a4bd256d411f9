// Curves over one axis as a picture, with measured points as marks.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace ritz {

struct Curve {
  std::string name;
  std::vector<std::array<double, 2>> points = {};  // joined by a line
  std::vector<std::array<double, 2>> marks = {};
};
struct CurveLook {
  std::string title;
  int width = 1000, height = 700;
};

// PNG. Points that are not finite are left out.
std::string picture_of_curves(const std::vector<Curve>& curves, const CurveLook& look);

}  // namespace ritz
