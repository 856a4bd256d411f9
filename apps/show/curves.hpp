// Curves over a common axis, with measured points as marks: as a figure of HTML, in SVG, or as a picture.
//
//   curves_figure({{"hottest", times, values}}, {.x = "time [s]", .y = "degrees"})
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ritz {

struct Curve {
  std::string name;
  std::vector<double> x, y;                           // as many; a point with a number that is not finite is left out
  std::string unit = "";                              // of y
  std::vector<std::pair<double, double>> marks = {};  // not joined by a line
};

struct CurveAxes {
  std::string x, y;          // labels
  bool logarithmic = false;  // powers of ten along y; points with y <= 0 are left out
};

// Empty where no curve has two points.
std::string curves_figure(const std::vector<Curve>& curves, const CurveAxes& axes);

// The same as PNG, of 1000 by 700 pixels.
std::string curves_png(const std::vector<Curve>& curves, const CurveAxes& axes);

}  // namespace ritz
