#include "fem/analysis/whole_of_sector.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace ritz {
namespace {

RotationAbout times(const RotationAbout& rotation, int sector) {
  RotationAbout result = rotation;
  result.angle *= sector;
  return result;
}

Mesh turned_copies(const Mesh& sector, const RotationAbout& rotation, int count) {
  MeshData data{.dimension = sector.dimension(), .structural = sector.structural(), .source = "turned sectors"};
  const Index nodes = sector.node_count();
  for (int j = 0; j < count; ++j) {
    const RotationAbout by = times(rotation, j);
    for (Index node = 0; node < nodes; ++node) {
      const auto x = sector.point(node);
      const Point from{x[0] - by.origin[0], x[1] - by.origin[1], x[2] - by.origin[2]}, to = by.turned(from);
      for (std::size_t d = 0; d < 3; ++d) data.points.push_back(by.origin[d] + to[d]);
    }
    for (const CellBlock& block : sector.blocks()) {
      CellBlock& copy = data.blocks.emplace_back(CellBlock{block.kind, block.nodes});
      for (Node& node : copy.nodes) node += static_cast<Node>(j * nodes);
    }
  }
  return Mesh(std::move(data));
}

}  // namespace

WholeOfSector::WholeOfSector(const Mesh& sector, const RotationAbout& rotation, int count)
    : rotation_(rotation), count_(count), mesh_(turned_copies(sector, rotation, count)) {}

std::vector<double> WholeOfSector::shape(const std::vector<double>& a, const std::vector<double>& b, int components,
                                         int waves, double phase) const {
  std::vector<double> result;
  result.reserve(a.size() * static_cast<std::size_t>(count_));
  const auto size = static_cast<std::size_t>(components);
  for (int j = 0; j < count_; ++j) {
    const RotationAbout by = times(rotation_, j);
    const double angle = waves * by.angle + phase, cosine = std::cos(angle), sine = std::sin(angle);
    for (std::size_t at = 0; at < a.size(); at += size) {
      Point u{};
      for (std::size_t c = 0; c < size; ++c) u[c] = cosine * a[at + c] + sine * b[at + c];
      const Point moved = by.turned(u);
      result.insert(result.end(), moved.begin(), moved.begin() + components);
    }
  }
  return result;
}

}  // namespace ritz
