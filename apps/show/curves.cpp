#include "apps/show/curves.hpp"

#include "apps/show/canvas.hpp"
#include "apps/show/lettering.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

using Colour = std::array<std::uint8_t, 3>;
// Okabe and Ito's colours, which differ for all eyes.
constexpr Colour colours[] = {{0, 114, 178},   {213, 94, 0},   {0, 158, 115},
                              {204, 121, 167}, {86, 180, 233}, {230, 159, 0}};
constexpr Colour grey = {215, 215, 215};

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  double span() const { return high > low ? high - low : 1; }
};

// A round distance for about `count` lines.
double distance_of(const Range& range, int count) {
  const double rough = range.span() / count, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double each : {1.0, 2.0, 5.0})
    if (each * power >= rough) return each * power;
  return 10 * power;
}

class Plot {
 public:
  Plot(const std::vector<Curve>& curves, const CurveLook& look) : image_(look.width, look.height) {
    for (const Curve& curve : curves)
      for (const auto* points : {&curve.points, &curve.marks})
        for (const auto& [x, y] : *points) x_.add(x), y_.add(y);
    if (!(x_.high >= x_.low)) x_ = y_ = {0, 1};
    write_text(image_, left, 30, look.title, 14);
    draw_grid();
    for (std::size_t i = 0; i < curves.size(); ++i)
      draw(curves[i], colours[i % std::size(colours)], static_cast<int>(i));
  }
  std::string bytes() const { return png(image_); }

 private:
  static constexpr int left = 110, right = 30, top = 55, bottom = 60;

  double column(double x) const { return left + (x - x_.low) / x_.span() * (image_.width - left - right); }
  double row(double y) const {
    return image_.height - bottom - (y - y_.low) / y_.span() * (image_.height - top - bottom);
  }

  void dot(double x, double y, double radius, const Colour& colour) {
    for (int i = static_cast<int>(y - radius); i <= static_cast<int>(y + radius) + 1; ++i)
      for (int j = static_cast<int>(x - radius); j <= static_cast<int>(x + radius) + 1; ++j)
        if (i >= 0 && j >= 0 && i < image_.height && j < image_.width && std::hypot(i - y, j - x) <= radius)
          std::copy(colour.begin(), colour.end(), image_.pixel(j, i));
  }
  void line(double x0, double y0, double x1, double y1, double radius, const Colour& colour) {
    const int steps = static_cast<int>(2 * std::max(std::abs(x1 - x0), std::abs(y1 - y0))) + 1;
    for (int i = 0; i <= steps; ++i) dot(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps, radius, colour);
  }

  void draw_grid() {
    const double dx = distance_of(x_, 8), dy = distance_of(y_, 8);
    for (double x = std::ceil(x_.low / dx) * dx; x <= x_.high + 1e-9 * dx; x += dx) {
      line(column(x), row(y_.low), column(x), row(y_.high), 0.75, grey);
      const std::string text = fmt::format("{:.4g}", std::abs(x) < 1e-9 * dx ? 0 : x);
      write_text(image_, column(x) - text_width(text, 10) / 2, image_.height - bottom + 24, text, 10);
    }
    for (double y = std::ceil(y_.low / dy) * dy; y <= y_.high + 1e-9 * dy; y += dy) {
      line(column(x_.low), row(y), column(x_.high), row(y), 0.75, grey);
      const std::string text = fmt::format("{:.4g}", std::abs(y) < 1e-9 * dy ? 0 : y);
      write_text(image_, left - 10 - text_width(text, 10), row(y) + 5, text, 10);
    }
  }

  void draw(const Curve& curve, const Colour& colour, int number) {
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
      const auto [x0, y0] = curve.points[i - 1];
      const auto [x1, y1] = curve.points[i];
      if (std::isfinite(y0) && std::isfinite(y1)) line(column(x0), row(y0), column(x1), row(y1), 1.5, colour);
    }
    for (const auto& [x, y] : curve.marks)
      if (std::isfinite(y)) dot(column(x), row(y), 5, colour);
    const double y = top + 22 + 24 * number;
    line(left + 20, y - 5, left + 60, y - 5, 1.5, colour);
    write_text(image_, left + 70, y, curve.name, 11);
  }

  Image image_;
  Range x_, y_;
};

}  // namespace

std::string picture_of_curves(const std::vector<Curve>& curves, const CurveLook& look) {
  return Plot(curves, look).bytes();
}

}  // namespace ritz
