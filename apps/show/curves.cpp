#include "apps/show/curves.hpp"

#include "apps/show/canvas.hpp"
#include "apps/show/html_text.hpp"
#include "apps/show/lettering.hpp"
#include "apps/show/round_marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

using Ink = std::array<std::uint8_t, 3>;
using Spot = std::pair<double, double>;  // pixels, to the right and down

// Okabe and Ito's colours, which differ for all eyes.
constexpr std::array<Ink, 6> inks{
    {{0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {86, 180, 233}, {230, 159, 0}}};
constexpr Ink pale = {215, 215, 215}, dark = {40, 40, 40};

struct CurveRange {
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

// Where the axes stand, and the height of letters. In pixels
struct Frame {
  double left, right, top, bottom, letters;
};

enum class Align { begin, middle, end };

// The points that can be drawn; y of a logarithmic axis is the power of ten.
Curve drawable(const Curve& curve, bool logarithmic) {
  Curve result{curve.name, {}, {}, curve.unit, {}};
  const auto height = [&](double y) { return logarithmic ? std::log10(y) : y; };
  for (std::size_t i = 0; i < std::min(curve.x.size(), curve.y.size()); ++i) {
    const double y = height(curve.y[i]);
    if (!std::isfinite(curve.x[i]) || !std::isfinite(y)) continue;
    result.x.push_back(curve.x[i]);
    result.y.push_back(y);
  }
  for (const auto& [x, y] : curve.marks)
    if (std::isfinite(x) && std::isfinite(height(y))) result.marks.emplace_back(x, height(y));
  return result;
}

// Curves with their ranges, drawn by a pen: line(spots, ink, width), dot(spot, ink), write(spot, text, align, ink).
class CurvePlan {
 public:
  CurvePlan(const std::vector<Curve>& curves, const CurveAxes& axes) : axes_(axes) {
    for (const Curve& each : curves) {
      Curve curve = drawable(each, axes.logarithmic);
      if (curve.x.size() < 2 && curve.marks.empty()) continue;
      std::ranges::for_each(curve.x, [&](double value) { x_.take(value); });
      std::ranges::for_each(curve.y, [&](double value) { y_.take(value); });
      for (const auto& [x, y] : curve.marks) x_.take(x), y_.take(y);
      drawn_.push_back(std::move(curve));
    }
    if (axes.logarithmic && !empty()) y_ = {std::floor(y_.low), std::ceil(y_.high)};
    x_.widen();
    y_.widen();
  }
  bool empty() const { return drawn_.empty(); }

  template <class Pen>
  void draw(const Frame& frame, Pen& pen) const {
    draw_grid(frame, pen);
    for (std::size_t i = 0; i < drawn_.size(); ++i) {
      const Ink& ink = inks[i % inks.size()];
      std::vector<Spot> spots;
      for (std::size_t k = 0; k < drawn_[i].x.size(); ++k) spots.push_back(spot(frame, drawn_[i].x[k], drawn_[i].y[k]));
      pen.line(spots, ink, 2);
      for (const auto& [x, y] : drawn_[i].marks) pen.dot(spot(frame, x, y), ink);
      const double row = frame.top + (1 + 1.6 * static_cast<double>(i)) * frame.letters, begin = frame.right + 10;
      const double middle = row - 0.35 * frame.letters;
      pen.line({{begin, middle}, {begin + 2 * frame.letters, middle}}, ink, 2);
      pen.write({begin + 2.5 * frame.letters, row}, drawn_[i].name, Align::begin, ink);
    }
    pen.write({(frame.left + frame.right) / 2, frame.bottom + 2.8 * frame.letters}, axes_.x, Align::middle, dark);
  }

 private:
  Spot spot(const Frame& f, double x, double y) const {
    return {f.left + (f.right - f.left) * x_.part(x), f.bottom - (f.bottom - f.top) * y_.part(y)};
  }

  template <class Pen>
  void draw_grid(const Frame& f, Pen& pen) const {
    for (const double mark : round_marks(y_.low, y_.high, 6)) {
      if (axes_.logarithmic && mark != std::round(mark)) continue;
      const double at = spot(f, x_.low, mark).second;
      pen.line({{f.left, at}, {f.right, at}}, pale, 1);
      pen.write({f.left - 6, at + 0.35 * f.letters},
                axes_.logarithmic ? fmt::format("1e{}", mark) : fmt::format("{:.4g}", mark), Align::end, dark);
    }
    for (const double mark : round_marks(x_.low, x_.high, 8)) {
      const double at = spot(f, mark, y_.low).first;
      pen.line({{at, f.bottom}, {at, f.bottom + 4}}, dark, 1);
      pen.write({at, f.bottom + 1.4 * f.letters}, fmt::format("{:.4g}", mark), Align::middle, dark);
    }
  }

  const CurveAxes& axes_;
  std::vector<Curve> drawn_;
  CurveRange x_, y_;
};

std::string hex_of(const Ink& ink) { return fmt::format("#{:02x}{:02x}{:02x}", ink[0], ink[1], ink[2]); }

struct SvgPen {
  std::string text;

  void line(const std::vector<Spot>& spots, const Ink& ink, int width) {
    if (spots.empty()) return;
    text += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" points=\"", hex_of(ink), width);
    for (const auto& [x, y] : spots) text += fmt::format("{:.1f},{:.1f} ", x, y);
    text.back() = '"';
    text += "/>";
  }
  void dot(const Spot& spot, const Ink& ink) {
    text +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>", spot.first, spot.second, hex_of(ink));
  }
  void write(const Spot& spot, const std::string& words, Align align, const Ink& ink) {
    const char* const anchor = align == Align::begin ? "start" : align == Align::middle ? "middle" : "end";
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>", spot.first,
                        spot.second, anchor, hex_of(ink), escaped(words));
  }
};

struct PngPen {
  Image image;
  double letters;

  void dot(const Spot& spot, const Ink& ink, double radius = 5) {
    const auto [x, y] = spot;
    for (int i = static_cast<int>(y - radius); i <= static_cast<int>(y + radius) + 1; ++i)
      for (int j = static_cast<int>(x - radius); j <= static_cast<int>(x + radius) + 1; ++j)
        if (i >= 0 && j >= 0 && i < image.height && j < image.width && std::hypot(i - y, j - x) <= radius)
          std::ranges::copy(ink, image.pixel(j, i));
  }
  void line(const std::vector<Spot>& spots, const Ink& ink, int width) {
    for (std::size_t k = 1; k < spots.size(); ++k) {
      const auto [x0, y0] = spots[k - 1];
      const auto [x1, y1] = spots[k];
      const int steps = static_cast<int>(2 * std::max(std::abs(x1 - x0), std::abs(y1 - y0))) + 1;
      for (int i = 0; i <= steps; ++i) dot({x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps}, ink, 0.75 * width);
    }
  }
  void write(const Spot& spot, const std::string& words, Align align, const Ink&) {
    const double width = text_width(words, letters), shift = align == Align::begin    ? 0
                                                             : align == Align::middle ? width / 2
                                                                                      : width;
    write_text(image, spot.first - shift, spot.second, words, letters);
  }
};

}  // namespace

std::string curves_figure(const std::vector<Curve>& curves, const CurveAxes& axes) {
  const CurvePlan plan(curves, axes);
  if (plan.empty()) return "";
  SvgPen pen;
  plan.draw({.left = 80, .right = 540, .top = 15, .bottom = 215, .letters = 11}, pen);
  return fmt::format(
      "<figure><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 250\" width=\"760\" font-size=\"12\" "
      "role=\"img\">{}</svg><figcaption>{}</figcaption></figure>\n",
      pen.text, escaped(axes.y));
}

std::string curves_png(const std::vector<Curve>& curves, const CurveAxes& axes) {
  PngPen pen{Image(1000, 700), 11};
  const Frame frame{.left = 110, .right = 790, .top = 55, .bottom = 640, .letters = pen.letters};
  write_text(pen.image, frame.left, 30, axes.y, 14);
  const CurvePlan plan(curves, axes);
  if (!plan.empty()) plan.draw(frame, pen);
  return png(pen.image);
}

}  // namespace ritz
