#include "apps/show/canvas.hpp"

#include <algorithm>
#include <cmath>
#include <zlib.h>

namespace ritz {
namespace {

void append_number(std::string& text, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 255u);
}

void append_chunk(std::string& file, const std::string& name, const std::string& content) {
  append_number(file, static_cast<std::uint32_t>(content.size()));
  const std::string body = name + content;
  file += body;
  append_number(file, static_cast<std::uint32_t>(
                          crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()))));
}

// use(x, y, depth, part of the way) along a line of this thickness.
template <class Use>
void each_pixel(const Pixel& from, const Pixel& to, int thickness, const Use& use) {
  const int steps = static_cast<int>(std::max(std::abs(to.x - from.x), std::abs(to.y - from.y))) + 1;
  for (int step = 0; step <= steps; ++step) {
    const double part = double(step) / steps;
    const auto between = [part](double start, double end) { return start + part * (end - start); };
    for (int dx = -(thickness / 2); dx < thickness - thickness / 2; ++dx)
      for (int dy = -(thickness / 2); dy < thickness - thickness / 2; ++dy)
        use(static_cast<int>(std::lround(between(from.x, to.x))) + dx,
            static_cast<int>(std::lround(between(from.y, to.y))) + dy, between(from.depth, to.depth), part);
  }
}

}  // namespace

Canvas::Canvas(int width, int height) : width_(width), height_(height) {
  const auto count = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  depth_.assign(count, nothing);
  value_.assign(count, 0);
  light_.assign(count, 0);
}

void Canvas::put(int x, int y, double depth, double value, float light) {
  if (x < 0 || y < 0 || x >= width_ || y >= height_) return;
  const std::size_t i = at(x, y);
  if (!(static_cast<float>(depth) < depth_[i])) return;
  depth_[i] = static_cast<float>(depth);
  value_[i] = static_cast<float>(value);
  light_[i] = light;
}

void Canvas::triangle(const std::array<Pixel, 3>& corners, const std::array<float, 3>& values, float light) {
  const auto& [a, b, c] = corners;
  const double double_area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  if (!(double_area != 0) || !std::isfinite(double_area)) return;  // seen from its edge
  const auto low = [](double p, double q, double r) { return static_cast<int>(std::floor(std::min({p, q, r}))); };
  const auto high = [](double p, double q, double r) { return static_cast<int>(std::ceil(std::max({p, q, r}))); };
  constexpr double edge = 1e-9;  // pixels on an edge belong to both sides: no gaps
  for (int y = std::max(0, low(a.y, b.y, c.y)); y <= std::min(height_ - 1, high(a.y, b.y, c.y)); ++y)
    for (int x = std::max(0, low(a.x, b.x, c.x)); x <= std::min(width_ - 1, high(a.x, b.x, c.x)); ++x) {
      const double second = ((x - a.x) * (c.y - a.y) - (c.x - a.x) * (y - a.y)) / double_area;
      const double third = ((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) / double_area;
      const double first = 1 - second - third;
      if (first < -edge || second < -edge || third < -edge) continue;
      put(x, y, first * a.depth + second * b.depth + third * c.depth,
          first * double(values[0]) + second * double(values[1]) + third * double(values[2]), light);
    }
}

void Canvas::segment(const Pixel& from, const Pixel& to, float first, float last, int thickness) {
  each_pixel(from, to, thickness, [&](int x, int y, double depth, double part) {
    put(x, y, depth, double(first) + part * double(last - first), 1);
  });
}

void Canvas::edge(const Pixel& from, const Pixel& to, double tolerance, int thickness) {
  each_pixel(from, to, thickness, [&](int x, int y, double depth, double) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_ || !drawn(x, y)) return;
    const std::size_t i = at(x, y);
    if (depth <= double(depth_[i]) + tolerance) light_[i] = std::min(light_[i], 0.3f);
  });
}

bool Canvas::is_visible(const Pixel& place, double tolerance) const {
  const int x = static_cast<int>(std::lround(place.x)), y = static_cast<int>(std::lround(place.y));
  return x >= 0 && y >= 0 && x < width_ && y < height_ && place.depth <= double(depth_[at(x, y)]) + tolerance;
}

std::string png(const Image& image) {
  std::string rows;
  const auto width = static_cast<std::size_t>(3 * image.width);
  for (std::size_t row = 0; row < static_cast<std::size_t>(image.height); ++row) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(image.bytes.data()) + row * width, width);
  }
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
            static_cast<uLong>(rows.size()), 6);  // cannot fail: the bound is its own
  packed.resize(size);
  std::string head;
  append_number(head, static_cast<std::uint32_t>(image.width));
  append_number(head, static_cast<std::uint32_t>(image.height));
  head += std::string("\x08\x02\0\0\0", 5);  // eight bits of red, green and blue
  std::string file = "\x89PNG\r\n\x1a\n";
  append_chunk(file, "IHDR", head);
  append_chunk(file, "IDAT", packed);
  append_chunk(file, "IEND", "");
  return file;
}

}  // namespace ritz
