#include "fem/analysis/whole_of_sector.hpp"

#include "fem/physics/place.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

namespace ritz {
namespace {

RotationAbout times(const RotationAbout& rotation, int sector) {
  RotationAbout result = rotation;
  result.angle *= sector;
  return result;
}

// [copy][node][3]
std::vector<double> turned_points(const Mesh& sector, const RotationAbout& rotation, int count) {
  std::vector<double> points;
  for (int j = 0; j < count; ++j) {
    const RotationAbout by = times(rotation, j);
    for (Index node = 0; node < sector.node_count(); ++node) {
      const auto x = sector.point(node);
      const Point from{x[0] - by.origin[0], x[1] - by.origin[1], x[2] - by.origin[2]}, to = by.turned(from);
      for (std::size_t d = 0; d < 3; ++d) points.push_back(by.origin[d] + to[d]);
    }
  }
  return points;
}

Mesh turned_copies(const Mesh& sector, const RotationAbout& rotation, int count) {
  MeshData data{.dimension = sector.dimension(), .structural = sector.structural(), .source = "turned sectors"};
  data.points = turned_points(sector, rotation, count);
  const Index nodes = sector.node_count();
  for (int j = 0; j < count; ++j) {
    for (const CellBlock& block : sector.blocks()) {
      CellBlock& copy = data.blocks.emplace_back(CellBlock{block.kind, block.nodes});
      for (Node& node : copy.nodes) node += static_cast<Node>(j * nodes);
    }
  }
  return Mesh(std::move(data));
}

// Triangles and quadrilaterals on the nodes of a plane cell.
std::vector<std::vector<int>> linear_parts(CellKind kind) {
  switch (kind) {
    case CellKind::tri6: return {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
    case CellKind::quad8: return {{0, 4, 7}, {1, 5, 4}, {2, 6, 5}, {3, 7, 6}, {4, 5, 6, 7}};
    case CellKind::quad9: return {{0, 4, 8, 7}, {4, 1, 5, 8}, {8, 5, 2, 6}, {7, 8, 6, 3}};
    case CellKind::tri3: return {{0, 1, 2}};
    default: return {{0, 1, 2, 3}};
  }
}

// Cells between turned copies of triangles and quadrilaterals. Where these touch the axis, that of the first copy has
// nodes.
class TurnedCells {
 public:
  TurnedCells(const Mesh& meridian, int count)
      : meridian_(meridian), count_(count), tolerance_(axis_tolerance(meridian)) {}

  void add(std::vector<Node> part) {
    const auto touching = std::ranges::count_if(part, [&](Node n) { return is_on_axis(n); });
    while (touching > 0 && !(is_on_axis(part.front()) && !is_on_axis(part.back())))
      std::ranges::rotate(part, part.begin() + 1);
    if (part.size() == 4 && touching == 1) {
      add({part[0], part[1], part[2]});
      add({part[0], part[2], part[3]});
      return;
    }
    for (int j = 0; j < count_; ++j) add_between(part, touching, j, (j + 1) % count_);
  }

  std::vector<CellBlock> take() {
    std::vector<CellBlock> blocks;
    for (auto& [kind, nodes] : nodes_) blocks.push_back({kind, std::move(nodes)});
    return blocks;
  }

 private:
  bool is_on_axis(Node node) const { return meridian_.point(node)[0] <= tolerance_; }

  void add_between(const std::vector<Node>& p, std::ptrdiff_t touching, int from, int to) {
    const auto at = [&](std::size_t i, int copy) { return p[i] + static_cast<Node>(copy * meridian_.node_count()); };
    const bool is_triangle = p.size() == 3;
    if (touching == 0) {
      std::vector<Node>& cells = nodes_[is_triangle ? CellKind::prism6 : CellKind::hex8];
      for (const int copy : {from, to})
        for (std::size_t i = 0; i < p.size(); ++i) cells.push_back(at(i, copy));
    } else if (!is_triangle) {
      put(CellKind::prism6, {p[1], at(2, to), at(2, from), p[0], at(3, to), at(3, from)});
    } else if (touching == 1) {
      put(CellKind::pyramid5, {at(1, from), at(1, to), at(2, to), at(2, from), p[0]});
    } else {
      put(CellKind::tet4, {p[0], p[1], at(2, from), at(2, to)});
    }
  }
  void put(CellKind kind, std::initializer_list<Node> nodes) {
    std::vector<Node>& cells = nodes_[kind];
    cells.insert(cells.end(), nodes);
  }

  const Mesh& meridian_;
  int count_;
  double tolerance_;
  std::map<CellKind, std::vector<Node>> nodes_;
};

Mesh joined_copies(const Mesh& meridian, const RotationAbout& rotation, int count) {
  TurnedCells cells(meridian, count);
  for (const CellBlock& block : meridian.blocks()) {
    const auto size = static_cast<std::size_t>(traits(block.kind).node_count);
    const std::vector<std::vector<int>> parts = linear_parts(block.kind);
    for (std::size_t cell = 0; cell < block.nodes.size(); cell += size)
      for (const std::vector<int>& part : parts) {
        std::vector<Node> nodes;
        for (const int local : part) nodes.push_back(block.nodes[cell + static_cast<std::size_t>(local)]);
        cells.add(std::move(nodes));
      }
  }
  return Mesh({.dimension = 3,
               .points = turned_points(meridian, rotation, count),
               .blocks = cells.take(),
               .source = "a turned meridian"});
}

}  // namespace

WholeOfSector WholeOfSector::of_meridian(const Mesh& meridian, int count) {
  const RotationAbout rotation{.axis = {0, -1, 0}, .angle = 2 * std::numbers::pi / count};
  return {rotation, count, joined_copies(meridian, rotation, count)};
}

WholeOfSector::WholeOfSector(const RotationAbout& rotation, int count, Mesh mesh)
    : rotation_(rotation), count_(count), mesh_(std::move(mesh)) {}

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
