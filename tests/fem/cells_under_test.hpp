// The one list of cells that facts are stated for, and the small meshes on which they are stated.
#pragma once

#include "mesh/cell_rotations.hpp"
#include "mesh/generators.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace ritz::test {

inline constexpr double unit_roundoff = 0x1p-53;

// Every kind that carries physics: all plane and solid cells.
inline std::vector<CellKind> cell_kinds(int order = 0, int dimension = 0) {
  std::vector<CellKind> kinds;
  for (const CellKind kind : all_cell_kinds()) {
    const CellTraits& t = traits(kind);
    if (t.dimension >= 2 && (order == 0 || t.order == order) && (dimension == 0 || t.dimension == dimension))
      kinds.push_back(kind);
  }
  return kinds;
}

inline std::string kind_name(const ::testing::TestParamInfo<CellKind>& info) {
  return std::string(traits(info.param).name);
}

// The base of suites with one test per kind and fact.
struct CellTest : ::testing::TestWithParam<CellKind> {
  CellKind kind() const { return GetParam(); }
  int dimension() const { return traits(GetParam()).dimension; }
};

// x -> A x + b with det A > 0 and no symmetry; keeps z = 0 in two dimensions.
struct AffineMap {
  int dimension;
  double A[3][3], b[3];

  explicit AffineMap(int dimension);
  Point operator()(const Point& x) const;
  double determinant() const;
  Point normal(int axis, bool high) const;  // of the image of a side of a box, outward, unit length
};

struct Patch {
  int count = 2;                       // grid cells along the shortest direction
  double random = 0;                   // as in Distortion
  bool curved = false, affine = true;  // affine: the box is mapped by AffineMap
  std::uint64_t seed = 1;
};

// The box [0, 1] x [0, 1.2] (x [0, 0.9]) filled with cells of one kind.
inline constexpr Point patch_lengths = {1.0, 1.2, 0.9};
Mesh patch(CellKind kind, const Patch& options = {});
Mesh mixed_patch(int order, MidNodes mid_nodes, const Patch& options = {});

// One cell: the reference cell, mapped and with every node moved at random by up to `random` times its edge.
MeshData single_cell(CellKind kind, double random = 0.03, std::uint64_t seed = 1);

double patch_volume(int dimension);  // of a mapped patch
Point patch_centroid(int dimension);

// True for nodes on the boundary. [mesh node]
std::vector<bool> on_boundary(const Mesh& mesh);

std::vector<double> random_values(std::size_t count, std::uint64_t seed = 1);

}  // namespace ritz::test
