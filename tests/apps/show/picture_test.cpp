#include "apps/show/canvas.hpp"
#include "apps/show/colour_scale.hpp"
#include "apps/show/lettering.hpp"
#include "apps/show/picture.hpp"
#include "mesh/cell_geometry.hpp"
#include "mesh/generators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <zlib.h>

namespace ritz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Inverse of png(), for images that it wrote.
Image image_of(const std::string& file) {
  const auto number = [&](std::size_t at) {
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < 4; ++i) n = n << 8 | static_cast<std::uint8_t>(file[at + i]);
    return n;
  };
  Image image(static_cast<int>(number(16)), static_cast<int>(number(20)));
  const std::size_t data = file.find("IDAT") + 4, row = 3 * static_cast<std::size_t>(image.width) + 1;
  std::vector<std::uint8_t> rows(row * static_cast<std::size_t>(image.height));
  uLongf size = static_cast<uLongf>(rows.size());
  EXPECT_EQ(uncompress(rows.data(), &size, reinterpret_cast<const Bytef*>(file.data()) + data, number(data - 8)), Z_OK);
  EXPECT_EQ(size, rows.size());
  for (std::size_t y = 0; y < static_cast<std::size_t>(image.height); ++y)
    std::copy_n(rows.data() + y * row + 1, row - 1, image.bytes.data() + y * (row - 1));
  return image;
}

Mesh reference_cell(CellKind kind) {
  MeshData data;
  for (const Point& x : reference_nodes(kind)) data.points.insert(data.points.end(), x.begin(), x.end());
  CellBlock block{kind, {}};
  for (int node = 0; node < traits(kind).node_count; ++node) block.nodes.push_back(node);
  data.blocks = {block};
  return Mesh(std::move(data));
}

// Volume that the triangles enclose, and the size of the sum of their area vectors, which is zero where they close.
std::pair<double, double> volume_and_gap(const Mesh& mesh, const Surface& surface) {
  double volume = 0;
  Point sum{};
  for (const auto& triangle : surface.triangles) {
    std::array<Point, 3> x{};
    for (std::size_t i = 0; i < 3; ++i) std::copy_n(mesh.point(surface.nodes[triangle[i]]).begin(), 3, x[i].begin());
    const auto& [a, b, c] = x;
    const Point normal = {(b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]),
                          (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]),
                          (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])};
    for (std::size_t i = 0; i < 3; ++i) {
      sum[i] += normal[i] / 2;
      volume += a[i] * normal[i] / 6;
    }
  }
  return {volume, std::hypot(sum[0], sum[1], sum[2])};
}

TEST(Surface, TrianglesOfACellEncloseIt) {
  for (const CellKind kind : all_cell_kinds()) {
    if (traits(kind).dimension != 3) continue;
    const Mesh mesh = reference_cell(kind);
    const auto [volume, gap] = volume_and_gap(mesh, surface_of(mesh));
    const auto [linear, no_gap] =
        volume_and_gap(reference_cell(traits(kind).linear), surface_of(reference_cell(traits(kind).linear)));
    EXPECT_GT(volume, 0.1) << traits(kind).name;
    EXPECT_NEAR(volume, linear, 1e-14) << traits(kind).name;
    EXPECT_NEAR(gap + no_gap, 0, 1e-14) << traits(kind).name;
  }
}

TEST(Surface, FacetsBetweenCellsAreNotSeen) {
  const Mesh mesh = box(3, 3, 3, {1, 1, 1}, CellKind::hex8);
  const Surface surface = surface_of(mesh);
  EXPECT_EQ(surface.triangles.size(), 6u * 9u * 2u);
  EXPECT_EQ(surface.nodes.size(), 64u - 8u);
  EXPECT_EQ(surface.cells.size(), 27u - 1u);
}

TEST(Surface, BarsAreSegmentsBetweenTheirNodes) {
  MeshData data;
  data.structural = true;
  data.points = {0, 0, 0, 2, 0, 0, 1, 0, 0.1};
  data.blocks = {{CellKind::line3, {0, 1, 2}}};
  const Surface surface = surface_of(Mesh(std::move(data)));
  EXPECT_TRUE(surface.triangles.empty());
  EXPECT_THAT(surface.segments, ElementsAre(std::array<std::uint32_t, 2>{0, 2}, std::array<std::uint32_t, 2>{2, 1}));
}

TEST(Canvas, TheNearestTriangleIsSeenInEitherOrder) {
  const auto corner = [](double depth) {
    return std::array<Pixel, 3>{Pixel{0, 0, depth}, Pixel{9, 0, depth}, Pixel{0, 9, depth}};
  };
  for (const bool near_first : {true, false}) {
    Canvas canvas(10, 10);
    for (const bool near : {near_first, !near_first})
      canvas.triangle(corner(near ? 1 : 2), near ? std::array{1.f, 1.f, 1.f} : std::array{5.f, 5.f, 5.f}, 1);
    EXPECT_EQ(canvas.value(2, 2), 1);
    int count = 0;
    for (int i = 0; i < 100; ++i) count += canvas.drawn(i % 10, i / 10) ? 1 : 0;
    EXPECT_EQ(count, 55);  // 10 + 9 + ... + 1
  }
}

TEST(Canvas, NeighboursLeaveNoGap) {
  Canvas canvas(40, 40);
  const Pixel a{0.3, 0.7, 0}, b{38.9, 1.2, 0}, c{37.5, 39.1, 0}, d{1.1, 36.4, 0};
  canvas.triangle({a, b, c}, {0, 0, 0}, 1);
  canvas.triangle({a, c, d}, {0, 0, 0}, 1);
  for (int i = 3; i < 36; ++i) EXPECT_TRUE(canvas.drawn(i, i)) << i;
}

TEST(Png, KeepsEveryPixel) {
  Image image(7, 3);
  for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = static_cast<std::uint8_t>(11 * i);
  EXPECT_EQ(image_of(png(image)).bytes, image.bytes);
}

// A square of side 1 with the value x.
Shown square() {
  const Mesh mesh = rectangle(4, 4, {1, 1}, CellKind::quad4);
  Field x{"x", 1, {}}, move{"move", 2, {}};
  for (Node node = 0; node < mesh.node_count(); ++node) {
    x.values.push_back(mesh.point(node)[0]);
    move.values.insert(move.values.end(), {0.0, mesh.point(node)[1]});
  }
  Shown shown(mesh);
  const std::array nodal{x, move};
  const std::array cells{Field{"half", 1, std::vector<double>(16, 0.5)}};
  shown.add("", nodal, cells);
  return shown;
}

TEST(Picture, ASquareHasItsSizeAndTheColoursOfItsField) {
  const Shown shown = square();
  Image image = image_of(png_of(shown, shown.steps().back(), {.width = 400, .height = 300}, "a"));
  int covered = 0, left = 400;
  for (int y = 36; y < 280; ++y)
    for (int x = 42; x < 330; ++x) {  // the axes are at the left
      const std::uint8_t* const pixel = image.pixel(x, y);
      if (pixel[0] > 250 && pixel[1] > 250 && pixel[2] > 250) continue;
      ++covered;
      left = std::min(left, x);
    }
  EXPECT_NEAR(covered, 240 * 240, 0.02 * 240 * 240);  // 0.8 of the height
  EXPECT_GT(image.pixel(left + 3, 150)[1], 200);      // light where x is small
  EXPECT_LT(image.pixel(168 + 117, 150)[1], 40);      // dark where it is large
}

TEST(Picture, AWarpMovesPoints) {
  const Shown shown = square();
  const Look look{.field = "x", .warp = "move", .factor = 1};
  const ShownWarp warp = warp_of(shown, shown.steps().back(), look);
  EXPECT_EQ(warp.factor, 1);
  EXPECT_NEAR(warp_of(shown, shown.steps().back(), {.warp = "move"}).factor, 0.1 * std::sqrt(2.0), 1e-12);
  // Twice as high as wide, the body still has 0.8 of the height.
  Image image =
      image_of(png_of(shown, shown.steps().back(), {.warp = "move", .factor = 1, .width = 400, .height = 300}, ""));
  int covered = 0;
  for (int x = 20; x < 330; ++x) covered += image.pixel(x, 150)[1] < 250 ? 1 : 0;
  EXPECT_NEAR(covered, 120, 3);
}

// First and last column and row with ink.
std::array<int, 4> ink(Image& image) {
  std::array<int, 4> box{image.width, -1, image.height, -1};
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      if (image.pixel(x, y)[0] < 128)
        box = {std::min(box[0], x), std::max(box[1], x), std::min(box[2], y), std::max(box[3], y)};
  return box;
}

TEST(Lettering, StandsOnItsLineAndHasItsHeight) {
  Image image(200, 60);
  write_text(image, 10, 40, "HE", 20);
  const auto [left, right, top, bottom] = ink(image);
  EXPECT_NEAR(top, 20, 1.5);
  EXPECT_NEAR(bottom, 40, 1.5);
  EXPECT_GE(left, 10);
  EXPECT_LE(right, 10 + text_width("HE", 20));
  EXPECT_DOUBLE_EQ(text_width("HE", 20), text_width("H", 20) + text_width("E", 20));
}

TEST(Lettering, SmallLettersAreLowerAndSignsBeyondAsciiAreOneLetter) {
  Image image(200, 60);
  write_text(image, 10, 40, "x", 20);
  EXPECT_GT(ink(image)[2], 24);
  EXPECT_DOUBLE_EQ(text_width("\xc3\xa9", 20), text_width("*", 20));  // e with an accent, two bytes
  Image small(4, 4);                                                  // text that does not fit is cut
  write_text(small, -5, 2, "abc", 20);
}

TEST(Picture, AFieldOfOneValueHasOneMark) {
  Shown shown(rectangle(1, 1, {1, 1}, CellKind::quad4));
  const auto texts = [&](double noise) {
    const std::array nodal{Field{"c", 1, {1.5, 1.5 + noise, 1.5, 1.5}}};
    shown.add("", nodal, {});
    Image image = image_of(png_of(shown, shown.steps().back(), {.field = "c", .width = 400, .height = 300}, ""));
    int rows = 0;  // with a letter beside the bar
    for (int y = 30; y < 280; ++y) {
      bool any = false;
      for (int x = 354; x < 400; ++x) any = any || image.pixel(x, y)[0] < 128;
      rows += any ? 1 : 0;
    }
    return rows;
  };
  const int one = texts(1e-7), six = texts(0.5);  // 1.5, 1.6 ... 2
  EXPECT_GT(one, 4);
  EXPECT_NEAR(six, 6 * one, one);
}

TEST(Picture, EveryCellHasTheColourOfItsValue) {
  const Shown shown = square();
  Image image = image_of(png_of(shown, shown.steps().back(),
                                {.field = "half", .limits = std::pair{0.0, 1.0}, .width = 400, .height = 300}, ""));
  const std::array<double, 3> grey = colour_of(0.5, false);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(image.pixel(168, 156)[c], 255 * grey[c], 1);
}

TEST(Picture, WhatIsNotThereIsNamed) {
  const Shown shown = square();
  const auto message = [&](const Look& look) -> std::string {
    try {
      (void)png_of(shown, shown.steps().back(), look, "");
    } catch (const Error& error) { return error.message() + "; " + error.why() + "; " + error.fix(); }
    return "";
  };
  EXPECT_THAT(message({.field = "halve"}),
              HasSubstr("there is no field 'halve' to show; the fields are 'x', 'move' and "
                        "'half'; did you mean 'half'?"));
  EXPECT_THAT(message({.field = "move", .component = "z"}), HasSubstr("no component 'z'"));
  EXPECT_THAT(message({.warp = "x"}), HasSubstr("there is no field 'x' that could move points; it has 1 component"));
}

TEST(Picture, ValuesThatAreMissingAreGrey) {
  const std::array<double, 3> grey = colour_of(std::numeric_limits<double>::quiet_NaN(), false);
  EXPECT_THAT(grey, ElementsAre(0.6, 0.6, 0.6));
  const std::vector<float> values{1, std::numeric_limits<float>::quiet_NaN(), 3};
  const ColourScale scale = colour_scale(values, {});
  EXPECT_EQ((std::pair{scale.low, scale.high}), (std::pair{1.0, 3.0}));
}

TEST(ColourScale, ZeroIsGreyWhereBothSignsMatter) {
  const ColourScale both = colour_scale({-1, 3}, {}), almost_one = colour_scale({-0.1f, 3}, {});
  EXPECT_TRUE(both.diverging);
  EXPECT_EQ(both.part(0), 0.5);
  EXPECT_EQ(both.part(3), 1);
  EXPECT_NEAR(both.part(-1), 0.5 - 0.5 / 3, 1e-15);  // as strong a blue as +1 is a red
  EXPECT_FALSE(almost_one.diverging);
  EXPECT_NEAR(almost_one.part(-0.1), 0, 1e-7);
}

TEST(ColourScale, TheGreaterTheDarker) {
  const auto light = [](double part) {
    const auto [red, green, blue] = colour_of(part, false);
    return 0.2126 * std::pow(red, 2.2) + 0.7152 * std::pow(green, 2.2) + 0.0722 * std::pow(blue, 2.2);
  };
  for (int i = 0; i < 100; ++i) EXPECT_GT(light(i / 100.0), light((i + 1) / 100.0)) << i;
}

TEST(ColourScale, MarksAreTheLimitsAndRoundNumbers) {
  const BarMarks stress = bar_marks({7.263e4, 1.005e8});
  EXPECT_EQ(stress.factor, "1e6");
  EXPECT_THAT(stress.texts, ElementsAre("0.07263", "20", "40", "60", "80", "100.5"));
  EXPECT_THAT(bar_marks({-2, 3, true}).texts, ElementsAre("-2", "-1", "0", "1", "2", "3"));
  EXPECT_EQ(bar_marks({0, 2e-4}).factor, "1e-6");
  EXPECT_EQ(bar_marks({20, 900}).factor, "");
  EXPECT_THAT(bar_marks({5, 5}).texts, ElementsAre("5"));
}

TEST(Surface, EdgesAreThoseOfABoxAndTheRimOfAPlate) {
  EXPECT_EQ(surface_of(box(3, 3, 3, {1, 1, 1}, CellKind::hex8)).edges.size(), 12u * 3u);
  EXPECT_EQ(surface_of(rectangle(4, 4, {1, 1}, CellKind::quad4)).edges.size(), 4u * 4u);
}

TEST(Canvas, AnEdgeIsDarkWhereNothingIsInFrontOfIt) {
  Canvas canvas(20, 20);
  const auto square = [&](double right, double depth) {
    canvas.triangle({Pixel{0, 0, depth}, Pixel{right, 0, depth}, Pixel{0, 40, depth}}, {0, 0, 0}, 1);
  };
  square(40, 5);
  square(10, 1);  // nearer, at the left
  canvas.edge({0, 3, 5}, {19, 3, 5}, 1, 1);
  EXPECT_EQ(canvas.light(3, 3), 1);
  EXPECT_LT(canvas.light(15, 3), 0.5);
  EXPECT_TRUE(canvas.is_visible({15, 3, 5}, 0.1));
  EXPECT_FALSE(canvas.is_visible({3, 3, 5}, 0.1));
}

TEST(Picture, ARingIsAroundTheGreatestValue) {
  Shown shown(rectangle(4, 4, {1, 1}, CellKind::quad4));
  std::vector<double> values(25, 0.0);
  values[12] = 1;  // in the middle
  const std::array nodal{Field{"peak", 1, values}};
  shown.add("", nodal, {});
  Image image = image_of(png_of(shown, shown.steps().back(), {}, ""));
  const int radius = 18;
  EXPECT_LT(image.pixel(504, 468 - radius)[0], 60);
  EXPECT_GT(image.pixel(504, 468 - radius - 8)[0], 100);
}

TEST(Shown, KeepsEveryLoadCaseAndTheLastOfOtherSteps) {
  const Mesh mesh = rectangle(1, 1, {1, 1}, CellKind::quad4);
  Shown shown(mesh);
  const std::array fields{Field{"t", 1, {1, 2, 3, 4}}};
  for (const char* name : {"", "wind", "", "snow"}) shown.add(name, fields, {});
  std::vector<std::string> names;
  for (const ShownStep& step : shown.steps()) names.push_back(step.name);
  EXPECT_THAT(names, ElementsAre("wind", "", "snow"));
}

}  // namespace
}  // namespace ritz
