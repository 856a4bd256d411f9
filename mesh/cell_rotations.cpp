#include "mesh/cell_rotations.hpp"

#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <random>

namespace ritz {
namespace {

double determinant(const std::array<Point, 3>& e) { return dot(e[0], cross(e[1], e[2])); }

// Corner 0 and the three corners (two in the plane) that span the reference cell from there.
std::vector<int> frame_of(CellKind linear) {
  switch (linear) {
    case CellKind::tri3: return {0, 1, 2};
    case CellKind::quad4: return {0, 1, 3};
    case CellKind::tet4: return {0, 1, 2, 3};
    case CellKind::hex8:
    case CellKind::pyramid5: return {0, 1, 3, 4};
    default: return {0, 1, 2, 3};  // prism
  }
}

// The permutation of the nodes by the affine map that carries the frame to these corners, when it carries every node to
// a node and keeps the orientation.
std::optional<std::vector<int>> permutation_by(CellKind kind, const std::vector<int>& frame,
                                               const std::vector<int>& image) {
  const auto nodes = reference_nodes(kind);
  const auto at = [&](int i) { return nodes[static_cast<std::size_t>(i)]; };
  std::array<Point, 3> from{Point{1, 0, 0}, Point{0, 1, 0}, Point{0, 0, 1}}, to = from;
  for (std::size_t k = 0; k + 1 < frame.size(); ++k) {
    from[k] = minus(at(frame[k + 1]), at(frame[0]));
    to[k] = minus(at(image[k + 1]), at(image[0]));
  }
  const double det = determinant(from);
  if (determinant(to) / det < 0.5) return std::nullopt;  // flat or reversed
  std::vector<int> permutation;
  for (const Point& node : nodes) {
    const Point x = minus(node, at(frame[0]));
    Point y = at(image[0]);
    for (std::size_t k = 0; k < 3; ++k) {  // Cramer: coordinates in the frame
      std::array<Point, 3> replaced = from;
      replaced[k] = x;
      for (std::size_t i = 0; i < 3; ++i) y[i] += determinant(replaced) / det * to[k][i];
    }
    const auto found = std::ranges::find_if(nodes, [&](const Point& n) {
      return std::abs(n[0] - y[0]) + std::abs(n[1] - y[1]) + std::abs(n[2] - y[2]) < 1e-9;
    });
    if (found == nodes.end()) return std::nullopt;
    permutation.push_back(static_cast<int>(found - nodes.begin()));
  }
  return permutation;
}

}  // namespace

std::vector<std::vector<int>> rotations_of(CellKind kind) {
  const std::vector<int> frame = frame_of(traits(kind).linear);
  std::vector<int> corners(static_cast<std::size_t>(traits(kind).corner_count));
  std::iota(corners.begin(), corners.end(), 0);
  std::vector<std::vector<int>> found;
  std::vector<int> image;
  const std::function<void()> extend = [&] {
    if (image.size() == frame.size()) {
      if (const auto permutation = permutation_by(kind, frame, image)) found.push_back(*permutation);
      return;
    }
    for (const int corner : corners) {
      if (std::ranges::find(image, corner) != image.end()) continue;
      image.push_back(corner);
      extend();
      image.pop_back();
    }
  };
  extend();
  return found;
}

Mesh turned_at_random(const Mesh& mesh, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto shuffled = [&](Index count) {
    std::vector<Index> list(static_cast<std::size_t>(count));
    std::iota(list.begin(), list.end(), Index{0});
    std::ranges::shuffle(list, engine);
    return list;
  };
  MeshData data{.dimension = mesh.dimension(), .points = {}, .blocks = {}, .regions = {}, .source = mesh.source()};
  const std::vector<Index> nodes = shuffled(mesh.node_count());
  data.points.resize(3 * nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n)
    std::ranges::copy(mesh.point(static_cast<Node>(n)), data.points.begin() + 3 * nodes[n]);
  for (const CellBlock& block : mesh.blocks()) {
    const auto rotations = rotations_of(block.kind);
    CellBlock& turned = data.blocks.emplace_back(CellBlock{block.kind, {}});
    for (const Index cell : shuffled(block.cell_count()))
      for (const int a : rotations[engine() % rotations.size()])
        turned.nodes.push_back(
            static_cast<Node>(nodes[static_cast<std::size_t>(block.cell(cell)[static_cast<std::size_t>(a)])]));
  }
  return Mesh(std::move(data));
}

}  // namespace ritz
