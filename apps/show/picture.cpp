#include "apps/show/picture.hpp"

#include "apps/show/canvas.hpp"
#include "apps/show/colour_scale.hpp"
#include "apps/show/lettering.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <optional>

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

bool lie_in_a_plane(const std::vector<Vector3>& points, double size) {
  if (points.empty()) return true;
  const auto [low, high] = std::ranges::minmax(points, {}, [](const Vector3& x) { return x[2]; });
  return high[2] - low[2] <= 1e-7 * size;  // warps have single precision
}

// Points along the axes of a view.
std::vector<Vector3> seen_along(const std::array<Vector3, 3>& axes, std::vector<Vector3> points) {
  for (Vector3& x : points) {
    const Vector3 before = x;
    for (std::size_t i = 0; i < 3; ++i) x[i] = axes[i][0] * before[0] + axes[i][1] * before[1] + axes[i][2] * before[2];
  }
  return points;
}

// Places of points in a picture of this size, in the part that title and colour bar leave free.
std::vector<Pixel> pixels_of(const std::vector<Vector3>& seen, int width, int height) {
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
  return pixels;
}

// Returns 1 for a triangle that faces the eye, 0 for one that is seen from its side.
double facing(const Pixel& a, const Pixel& b, const Pixel& c) {
  const Vector3 normal = cross({b.x - a.x, b.y - a.y, b.depth - a.depth}, {c.x - a.x, c.y - a.y, c.depth - a.depth});
  return length(normal) > 0 ? std::abs(normal[2]) / length(normal) : 0;
}

Canvas draw(const Surface& surface, const std::vector<Pixel>& pixels, const ShownShade& shade, int width, int height) {
  Canvas canvas(width, height);
  const int line = std::max(2, width / 1200);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& [a, b, c] = surface.triangles[t];
    const float in_cell = shade.in_cells ? shade.values[surface.triangle_cells[t]] : 0;
    const auto value = [&](std::uint32_t node) { return shade.in_cells ? in_cell : shade.values[node]; };
    canvas.triangle({pixels[a], pixels[b], pixels[c]}, {value(a), value(b), value(c)},
                    static_cast<float>(0.55 + 0.45 * facing(pixels[a], pixels[b], pixels[c])));
  }
  for (const auto& [a, b] : surface.edges) canvas.edge(pixels[a], pixels[b], 2.0 * line, line);
  for (std::size_t s = 0; s < surface.segments.size(); ++s) {
    const auto& [a, b] = surface.segments[s];
    const auto value = [&](std::uint32_t node) {
      return shade.in_cells ? shade.values[surface.segment_cells[s]] : shade.values[node];
    };
    canvas.segment(pixels[a], pixels[b], value(a), value(b), std::max(2, width / 240));
  }
  return canvas;
}

Image image_of(const Canvas& canvas, const ColourScale& scale) {
  Image image(canvas.width() / fine, canvas.height() / fine);
  std::array<Vector3, 1025> colours;  // of equal steps: a power for each pixel would take most of the time
  for (std::size_t i = 0; i < colours.size(); ++i)
    colours[i] = colour_of(double(i) / double(colours.size() - 1), scale.diverging);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      Vector3 sum{};
      for (int i = 0; i < fine * fine; ++i) {
        const int column = fine * x + i % fine, row = fine * y + i / fine;
        if (!canvas.drawn(column, row)) {
          for (double& each : sum) each += 1;
          continue;
        }
        const double part = scale.part(double(canvas.value(column, row)));
        const Vector3 colour = std::isnan(part) ? colour_of(part, scale.diverging)
                                                : colours[static_cast<std::size_t>(std::lround(1024 * part))];
        for (std::size_t c = 0; c < 3; ++c) sum[c] += colour[c] * double(canvas.light(column, row));
      }
      for (std::size_t c = 0; c < 3; ++c)
        image.pixel(x, y)[c] = static_cast<std::uint8_t>(std::lround(255 * sum[c] / (fine * fine)));
    }
  return image;
}

double letter_height(const Image& image) { return std::max(7.0, image.height / 60.0); }

// A field of one value has one mark.
void add_bar(Image& image, const ColourScale& scale, const std::string& unit) {
  const double letter = letter_height(image);
  const int left = 85 * image.width / 100, right = left + image.width / 40;
  const int top = 15 * image.height / 100, bottom = 85 * image.height / 100;
  const double length = scale.high - scale.low;
  for (int y = top; y < bottom; ++y) {
    const double part = double(bottom - 1 - y) / std::max(1, bottom - 1 - top);
    const Vector3 colour = scale.colour(scale.low + part * length);
    for (int x = left; x < right; ++x)
      for (std::size_t c = 0; c < 3; ++c)
        image.pixel(x, y)[c] = static_cast<std::uint8_t>(std::lround(255 * colour[c]));
  }
  const BarMarks marks = bar_marks(scale);
  for (std::size_t i = 0; i < marks.values.size(); ++i) {
    const double part = length > 0 ? (marks.values[i] - scale.low) / length : 0.5, y = bottom - part * (bottom - top);
    draw_line(image, {right - letter / 2, y}, {double(right), y}, std::max(1.0, letter / 8));
    write_text(image, right + letter / 2, y + letter / 2, marks.texts[i], letter);
  }
  const std::string text = marks.factor.empty() ? unit : unit.empty() ? "x " + marks.factor : marks.factor + " " + unit;
  write_text(image, left, top - 1.2 * letter, text, letter);
}

void add_axes(Image& image, const std::array<Vector3, 3>& view, bool is_flat) {
  const double letter = letter_height(image), size = 2.5 * letter;
  const std::array<double, 2> origin{0.07 * image.width, 0.93 * image.height};
  for (std::size_t axis = 0; axis < (is_flat ? 2u : 3u); ++axis) {
    const auto at = [&](double part) {
      return std::array{origin[0] + part * view[0][axis], origin[1] - part * view[1][axis]};
    };
    draw_line(image, origin, at(size), std::max(1.0, letter / 7));
    const auto [x, y] = at(size + letter);
    write_text(image, x - letter / 2, y + letter / 2, std::string(1, static_cast<char>('x' + axis)), letter);
  }
}

// Around the greatest value, where it can be seen and there are lesser ones.
void add_ring(Image& image, const Canvas& canvas, const Surface& surface, const std::vector<Pixel>& pixels,
              const ShownShade& shade) {
  std::optional<std::size_t> largest, least;
  for (std::size_t i = 0; i < shade.values.size(); ++i) {
    if (!std::isfinite(shade.values[i])) continue;
    if (!largest || shade.values[i] > shade.values[*largest]) largest = i;
    if (!least || shade.values[i] < shade.values[*least]) least = i;
  }
  if (!largest || shade.values[*largest] == shade.values[*least]) return;
  std::optional<Pixel> place;
  if (!shade.in_cells) place = pixels[*largest];
  for (std::size_t t = 0; t < surface.triangles.size() && !place; ++t)
    if (surface.triangle_cells[t] == *largest) place = pixels[surface.triangles[t][0]];
  const double radius = 1.2 * letter_height(image);
  if (!place || !canvas.is_visible(*place, fine * radius / 2)) return;
  constexpr int sides = 24;
  const auto corner = [&](int k) {
    const double angle = 2 * std::numbers::pi * k / sides;
    return std::array{place->x / fine + radius * std::cos(angle), place->y / fine + radius * std::sin(angle)};
  };
  for (int k = 0; k < sides; ++k) draw_line(image, corner(k), corner(k + 1), std::max(1.0, radius / 8));
}

}  // namespace

std::string png_of(const Shown& shown, const ShownStep& step, const Look& look, const std::string& label,
                   const std::string& unit) {
  const ShownShade shade = shade_of(step, look);
  const ShownWarp warp = warp_of(shown, step, look);
  const ColourScale scale = colour_scale(shade.values, look);
  const std::vector<Vector3> points = moved_points(shown, warp);
  const bool is_flat = lie_in_a_plane(points, shown.size());
  const auto view = axes_of_view(is_flat);
  const int width = fine * look.width, height = fine * look.height;
  const std::vector<Pixel> pixels = pixels_of(seen_along(view, points), width, height);
  const Canvas canvas = draw(shown.surface(), pixels, shade, width, height);
  Image image = image_of(canvas, scale);
  add_bar(image, scale, unit);
  add_axes(image, view, is_flat);
  if (scale.high > scale.low) add_ring(image, canvas, shown.surface(), pixels, shade);
  const std::string title =
      fmt::format("{}   {}{}", shade.name, label,
                  warp.field == nullptr ? "" : fmt::format("   {} x {:.4g}", look.warp, warp.factor));
  double letter = 1.2 * letter_height(image);
  letter *= std::min(1.0, 0.96 * image.width / text_width(title, letter));
  write_text(image, (image.width - text_width(title, letter)) / 2, image.height / 18.0, title, letter);
  return png(image);
}

}  // namespace ritz
