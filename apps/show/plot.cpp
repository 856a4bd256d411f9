#include "apps/show/plot.hpp"

#include "apps/show/canvas.hpp"
#include "apps/show/lettering.hpp"
#include "apps/show/round_marks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

using Ink = std::array<std::uint8_t, 3>;
// Okabe and Ito's colours, which differ for all eyes.
constexpr Ink colours[] = {{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {86, 180, 233}, {230, 159, 0}};
constexpr Ink grey = {215, 215, 215};

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  double span() const { return high > low ? high - low : 1; }
};

class Plot {
 public:
  Plot(const std::vector<PlottedCurve>& curves, const PlotLook& look) : image_(look.width, look.height) {
    for (const PlottedCurve& curve : curves)
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

  void dot(double x, double y, double radius, const Ink& colour) {
    for (int i = static_cast<int>(y - radius); i <= static_cast<int>(y + radius) + 1; ++i)
      for (int j = static_cast<int>(x - radius); j <= static_cast<int>(x + radius) + 1; ++j)
        if (i >= 0 && j >= 0 && i < image_.height && j < image_.width && std::hypot(i - y, j - x) <= radius)
          std::copy(colour.begin(), colour.end(), image_.pixel(j, i));
  }
  void line(double x0, double y0, double x1, double y1, double radius, const Ink& colour) {
    const int steps = static_cast<int>(2 * std::max(std::abs(x1 - x0), std::abs(y1 - y0))) + 1;
    for (int i = 0; i <= steps; ++i) dot(x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps, radius, colour);
  }

  void draw_grid() {
    for (const double x : round_marks(x_.low, x_.high, 8)) {
      line(column(x), row(y_.low), column(x), row(y_.high), 0.75, grey);
      const std::string text = fmt::format("{:.4g}", x);
      write_text(image_, column(x) - text_width(text, 10) / 2, image_.height - bottom + 24, text, 10);
    }
    for (const double y : round_marks(y_.low, y_.high, 8)) {
      line(column(x_.low), row(y), column(x_.high), row(y), 0.75, grey);
      const std::string text = fmt::format("{:.4g}", y);
      write_text(image_, left - 10 - text_width(text, 10), row(y) + 5, text, 10);
    }
  }

  void draw(const PlottedCurve& curve, const Ink& colour, int number) {
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

std::string plot_of(const std::vector<PlottedCurve>& curves, const PlotLook& look) {
  return Plot(curves, look).bytes();
}

}  // namespace ritz
