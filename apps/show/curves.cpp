#include "apps/show/curves.hpp"

#include "apps/show/html_text.hpp"
#include "apps/show/round_marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

constexpr std::array colours{"#3b4cc0", "#c8553d", "#2f855a", "#8e4585", "#b7791f", "#4a5568"};
constexpr double left = 80, right = 540, top = 15, bottom = 215;  // of the axes, in pixels

struct Range {
  double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void widen() {  // of one value
    if (!(high > low)) {
      const double size = low == 0 ? 1 : 0.1 * std::abs(low);
      low -= size;
      high += size;
    }
  }
  double part(double value) const { return (value - low) / (high - low); }
};

// The points that can be drawn; y of a logarithmic axis is the power of ten.
Curve drawable(const Curve& curve, bool logarithmic) {
  Curve result{curve.name, {}, {}, curve.unit};
  for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
    const double y = logarithmic ? std::log10(curve.y[i]) : curve.y[i];
    if (!std::isfinite(curve.x[i]) || !std::isfinite(y)) continue;
    result.x.push_back(curve.x[i]);
    result.y.push_back(y);
  }
  return result;
}

double place_x(const Range& range, double value) { return left + (right - left) * range.part(value); }
double place_y(const Range& range, double value) { return bottom - (bottom - top) * range.part(value); }

std::string grid(const Range& x, const Range& y, bool logarithmic) {
  std::string text;
  for (const double mark : round_marks(y.low, y.high, 6)) {
    if (logarithmic && mark != std::round(mark)) continue;
    const double at = place_y(y, mark);
    text += fmt::format(
        "<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>"
        "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>",
        left, right, at, at, left - 6, at + 4, logarithmic ? fmt::format("1e{}", mark) : fmt::format("{:.4g}", mark));
  }
  for (const double mark : round_marks(x.low, x.high, 8)) {
    const double at = place_x(x, mark);
    text += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#aaa\"/>"
        "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:.4g}</text>",
        at, bottom, bottom + 4, bottom + 16, mark);
  }
  return text;
}

}  // namespace

std::string curves_figure(const std::vector<Curve>& curves, const CurveAxes& axes) {
  std::vector<Curve> drawn;
  Range x, y;
  for (const Curve& each : curves) {
    Curve curve = drawable(each, axes.logarithmic);
    if (curve.x.size() < 2) continue;
    std::ranges::for_each(curve.x, [&](double value) { x.take(value); });
    std::ranges::for_each(curve.y, [&](double value) { y.take(value); });
    drawn.push_back(std::move(curve));
  }
  if (drawn.empty()) return "";
  if (axes.logarithmic) y = {std::floor(y.low), std::ceil(y.high)};
  x.widen();
  y.widen();
  std::string text =
      "<figure><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 250\" width=\"720\" font-size=\"12\" "
      "role=\"img\">" +
      grid(x, y, axes.logarithmic);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    text += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" points=\"", colours[i % 6]);
    for (std::size_t k = 0; k < drawn[i].x.size(); ++k)
      text += fmt::format("{:.1f},{:.1f} ", place_x(x, drawn[i].x[k]), place_y(y, drawn[i].y[k]));
    text.back() = '"';
    text += fmt::format("/><text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>", right + 10, top + 10 + 16 * double(i),
                        colours[i % 6], escaped(drawn[i].name));
  }
  return text + fmt::format(
                    "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text></svg>"
                    "<figcaption>{}</figcaption></figure>\n",
                    (left + right) / 2, bottom + 32, escaped(axes.x), escaped(axes.y));
}

}  // namespace ritz
