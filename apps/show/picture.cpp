#include "apps/show/picture.hpp"

#include "apps/show/canvas.hpp"
#include "apps/show/lettering.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace ritz {
namespace {

constexpr int fine = 2;  // pixels of the canvas in each direction, whose mean is one of the picture

using Vector3 = std::array<double, 3>;

Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double length(const Vector3& a) { return std::hypot(a[0], a[1], a[2]); }

Vector3 unit(const Vector3& a) {
  const double l = length(a);
  return {a[0] / l, a[1] / l, a[2] / l};
}

// Right, up and towards the eye.
std::array<Vector3, 3> axes_of_view(bool is_flat) {
  if (is_flat) return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const Vector3 eye = unit({1, -1, 0.8}), right = unit(cross({0, 0, 1}, eye));
  return {{right, cross(eye, right), eye}};
}

// Points moved by the warp: [node of the surface].
std::vector<Vector3> moved_points(const Shown& shown, const ShownWarp& warp) {
  std::vector<Vector3> points(shown.surface().nodes.size());
  const auto components = warp.field == nullptr ? 0 : static_cast<std::size_t>(warp.field->field.components);
  for (std::size_t node = 0; node < points.size(); ++node)
    for (std::size_t i = 0; i < 3; ++i) {
      points[node][i] = shown.points()[3 * node + i];
      if (i < components) points[node][i] += warp.factor * double(warp.field->values[components * node + i]);
    }
  return points;
}

// Points along the axes of the view.
std::vector<Vector3> seen_from_the_eye(std::vector<Vector3> points, double size) {
  double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
  for (const Vector3& x : points) {
    low = std::min(low, x[2]);
    high = std::max(high, x[2]);
  }
  const auto axes = axes_of_view(high - low <= 1e-7 * size);  // warps have single precision
  for (Vector3& x : points) {
    const Vector3 before = x;
    for (std::size_t i = 0; i < 3; ++i) x[i] = axes[i][0] * before[0] + axes[i][1] * before[1] + axes[i][2] * before[2];
  }
  return points;
}

// The surface in the part of the picture that title and colour bar leave free.
Canvas draw(const Surface& surface, const std::vector<Vector3>& seen, const ShownShade& shade, int width, int height) {
  Vector3 low, high;
  low.fill(std::numeric_limits<double>::max());
  high.fill(std::numeric_limits<double>::lowest());
  for (const Vector3& x : seen)
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], x[i]);
      high[i] = std::max(high[i], x[i]);
    }
  const double scale =
      std::min(0.78 * width / std::max(high[0] - low[0], 1e-300), 0.80 * height / std::max(high[1] - low[1], 1e-300));
  std::vector<Pixel> pixels;
  for (const Vector3& x : seen)
    pixels.push_back({0.42 * width + scale * (x[0] - (low[0] + high[0]) / 2),
                      0.52 * height - scale * (x[1] - (low[1] + high[1]) / 2), -scale * (x[2] - high[2])});
  Canvas canvas(width, height);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& [a, b, c] = surface.triangles[t];
    const auto side = [&](std::uint32_t from, std::uint32_t to) {
      return Vector3{seen[to][0] - seen[from][0], seen[to][1] - seen[from][1], seen[to][2] - seen[from][2]};
    };
    const Vector3 normal = cross(side(a, b), side(a, c));
    const double facing = length(normal) > 0 ? std::abs(normal[2]) / length(normal) : 0;
    const float in_cell = shade.in_cells ? shade.values[surface.triangle_cells[t]] : 0;
    const auto value = [&](std::uint32_t node) { return shade.in_cells ? in_cell : shade.values[node]; };
    canvas.triangle({pixels[a], pixels[b], pixels[c]}, {value(a), value(b), value(c)},
                    static_cast<float>(0.35 + 0.65 * facing));
  }
  for (std::size_t s = 0; s < surface.segments.size(); ++s) {
    const auto& [a, b] = surface.segments[s];
    const auto value = [&](std::uint32_t node) {
      return shade.in_cells ? shade.values[surface.segment_cells[s]] : shade.values[node];
    };
    canvas.segment(pixels[a], pixels[b], value(a), value(b), std::max(2, width / 240));
  }
  return canvas;
}

Image image_of(const Canvas& canvas, double low, double high) {
  Image image(canvas.width() / fine, canvas.height() / fine);
  std::array<Vector3, 1025> colours;  // of equal steps: a power for each pixel would take most of the time
  for (std::size_t i = 0; i < colours.size(); ++i) colours[i] = colour_of(double(i) / double(colours.size() - 1));
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      Vector3 sum{};
      for (int i = 0; i < fine * fine; ++i) {
        const int column = fine * x + i % fine, row = fine * y + i / fine;
        if (!canvas.drawn(column, row)) {
          for (double& each : sum) each += 1;
          continue;
        }
        const double value = double(canvas.value(column, row)), part = high > low ? (value - low) / (high - low) : 0.5;
        const Vector3 colour = std::isnan(value)
                                   ? colour_of(value)
                                   : colours[static_cast<std::size_t>(std::lround(1024 * std::clamp(part, 0.0, 1.0)))];
        for (std::size_t c = 0; c < 3; ++c) sum[c] += colour[c] * double(canvas.light(column, row));
      }
      for (std::size_t c = 0; c < 3; ++c)
        image.pixel(x, y)[c] = static_cast<std::uint8_t>(std::lround(255 * sum[c] / (fine * fine)));
    }
  return image;
}

double letter_height(const Image& image) { return std::max(7.0, image.height / 60.0); }

// Numbers at the marks of the bar, with as many digits as tell them apart.
std::vector<std::string> texts_of(const std::vector<double>& marks) {
  std::vector<std::string> texts;
  for (int digits = 4; digits <= 7; ++digits) {
    texts.clear();
    for (const double mark : marks) texts.push_back(fmt::format("{:.{}g}", mark, digits));
    if (std::ranges::adjacent_find(texts) == texts.end()) break;
  }
  return texts;
}

// A field of one value has one mark.
void add_bar(Image& image, double low, double high) {
  const double letter = letter_height(image);
  const int left = 85 * image.width / 100, right = left + image.width / 40;
  const int top = 15 * image.height / 100, bottom = 85 * image.height / 100;
  const bool is_constant = !(high > low);
  for (int y = top; y < bottom; ++y) {
    const std::array<double, 3> colour =
        colour_of(is_constant ? 0.5 : double(bottom - 1 - y) / std::max(1, bottom - 1 - top));
    for (int x = left; x < right; ++x)
      for (std::size_t c = 0; c < 3; ++c)
        image.pixel(x, y)[c] = static_cast<std::uint8_t>(std::lround(255 * colour[c]));
  }
  std::vector<double> marks;
  for (int i = 0; i < 5; ++i) marks.push_back(low + 0.25 * i * (high - low));
  if (is_constant) marks = {low};
  const std::vector<std::string> texts = texts_of(marks);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const double part = is_constant ? 0.5 : double(i) / 4;
    write_text(image, right + letter / 2, bottom - part * (bottom - top) + letter / 2, texts[i], letter);
  }
}

}  // namespace

std::pair<double, double> limits_of(const std::vector<float>& values, const Look& look) {
  if (look.limits) return *look.limits;
  double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
  for (const float value : values)
    if (std::isfinite(value)) {
      low = std::min(low, double(value));
      high = std::max(high, double(value));
    }
  return low <= high ? std::pair{low, high} : std::pair{0.0, 0.0};
}

std::string png_of(const Shown& shown, const ShownStep& step, const Look& look, const std::string& label) {
  const ShownShade shade = shade_of(step, look);
  const ShownWarp warp = warp_of(shown, step, look);
  auto [low, high] = limits_of(shade.values, look);
  if (high - low <= 1e-6 * std::max(std::abs(low), std::abs(high))) low = high = (low + high) / 2;  // rounded values
  const Canvas canvas = draw(shown.surface(), seen_from_the_eye(moved_points(shown, warp), shown.size()), shade,
                             fine * look.width, fine * look.height);
  Image image = image_of(canvas, low, high);
  add_bar(image, low, high);
  const std::string title =
      fmt::format("{}   {}{}", shade.name, label,
                  warp.field == nullptr ? "" : fmt::format("   {} x {:.4g}", look.warp, warp.factor));
  double letter = 1.2 * letter_height(image);
  letter *= std::min(1.0, 0.96 * image.width / text_width(title, letter));
  write_text(image, (image.width - text_width(title, letter)) / 2, image.height / 18.0, title, letter);
  return png(image);
}

}  // namespace ritz
