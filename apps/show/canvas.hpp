// An image with depth: triangles and segments of which each pixel keeps the nearest, and PNG of the colours.
//
//   Canvas canvas(400, 300);   canvas.triangle(corners, values, light);   canvas.value(x, y)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ritz {

struct Pixel {
  double x, y, depth;  // x to the right and y down in pixels; the smallest depth is the nearest
};

class Canvas {
 public:
  Canvas(int width, int height);
  void triangle(const std::array<Pixel, 3>& corners, const std::array<float, 3>& values, float light);
  void segment(const Pixel& from, const Pixel& to, float first, float last, int thickness);
  // A dark line on what is drawn already, where nothing in front of it is nearer by more than the tolerance.
  void edge(const Pixel& from, const Pixel& to, double tolerance, int thickness);

  bool is_visible(const Pixel& place, double tolerance) const;  // is nothing in front of it nearer by more?

  int width() const { return width_; }
  int height() const { return height_; }
  bool drawn(int x, int y) const { return depth_[at(x, y)] < nothing; }
  float value(int x, int y) const { return value_[at(x, y)]; }
  float light(int x, int y) const { return light_[at(x, y)]; }

 private:
  static constexpr float nothing = 3e38f;
  std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }
  void put(int x, int y, double depth, double value, float light);

  int width_, height_;
  std::vector<float> depth_, value_, light_;
};

struct Image {
  Image(int w, int h)
      : width(w), height(h), bytes(static_cast<std::size_t>(3 * w) * static_cast<std::size_t>(h), 255) {}
  int width, height;
  std::vector<std::uint8_t> bytes;  // [row][column][red, green, blue]
  std::uint8_t* pixel(int x, int y) {
    return bytes.data() +
           3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
};

std::string png(const Image& image);

}  // namespace ritz
