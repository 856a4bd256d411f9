// One curved cell without any symmetry, for the node orders of file formats: a node in a wrong place shows, whatever
// its kind. Formats are described as their manuals do, by the corners between which a node lies.
#pragma once

#include "mesh/cell_geometry.hpp"
#include "mesh/mesh.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace ritz::test {

// Quadratic and different in every direction; its Jacobian is positive on all reference cells.
inline Point bent(const Point& x) {
  const auto [a, b, c] = x;
  return {2 * a + 0.11 * b * b + 0.05 * a * c + 0.3 * b, 3 * b + 0.07 * c * c - 0.09 * a * b + 0.2 * c,
          1.5 * c + 0.05 * a * a + 0.08 * b * c};
}
inline Point bent_in_plane(const Point& x) {
  const auto [a, b, c] = x;
  return {2 * a + 0.11 * b * b + 0.3 * b, 3 * b - 0.09 * a * b + 0.06 * a * a, c};
}

// The manual's description of a kind of cell: for each node after the corners, the corners (from 1) in whose middle it
// lies.
struct ManualCell {
  CellKind kind;
  std::vector<std::vector<int>> middles;
};

// The corners of the formats that we read are numbered like ours, so reference coordinates of corners are shared.
inline std::vector<Point> nodes_in_manual_order(const ManualCell& cell) {
  const CellTraits& t = traits(cell.kind);
  const auto reference = reference_nodes(cell.kind);
  std::vector<Point> points(reference.begin(), reference.begin() + t.corner_count);
  for (const std::vector<int>& corners : cell.middles) {
    Point mean{};
    for (const int corner : corners)
      for (std::size_t k = 0; k < 3; ++k)
        mean[k] += reference[static_cast<std::size_t>(corner - 1)][k] / static_cast<double>(corners.size());
    points.push_back(mean);
  }
  for (Point& point : points) point = t.dimension == 3 ? bent(point) : bent_in_plane(point);
  return points;
}

// The only cell of the mesh has its nodes where our own order puts them.
inline void expect_bent_cell(const Mesh& mesh, CellKind kind) {
  ASSERT_EQ(mesh.cell_count(), 1);
  ASSERT_EQ(mesh.kind_of(0), kind);
  const auto reference = reference_nodes(kind);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const Point expected = traits(kind).dimension == 3 ? bent(reference[i]) : bent_in_plane(reference[i]);
    const auto found = mesh.point(mesh.nodes_of(0)[i]);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found[k], expected[k], 1e-13) << traits(kind).name << " node " << i;
  }
}

}  // namespace ritz::test
