#include "tests/fem/cells_under_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace ritz::test {

AffineMap::AffineMap(int d)
    : dimension(d),
      A{{1.1, 0.3, d == 3 ? -0.2 : 0.0}, {-0.25, 0.9, d == 3 ? 0.15 : 0.0}, {0, 0, d == 3 ? 1.2 : 1.0}},
      b{2.0, -0.4, d == 3 ? 0.7 : 0.0} {
  if (d == 3) {
    A[2][0] = 0.2;
    A[2][1] = 0.1;
  }
}

Point AffineMap::operator()(const Point& x) const {
  Point y;
  for (std::size_t i = 0; i < 3; ++i) y[i] = A[i][0] * x[0] + A[i][1] * x[1] + A[i][2] * x[2] + b[i];
  return y;
}

double AffineMap::determinant() const {
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    sum += A[0][i] * (A[1][j] * A[2][k] - A[1][k] * A[2][j]);
  }
  return sum;
}

// Nanson: the normal of the image is cof(A) n.
Point AffineMap::normal(int axis, bool high) const {
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  Point n;
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    const int p = (i + 1) % 3, q = (i + 2) % 3;
    n[static_cast<std::size_t>(i)] = A[p][j] * A[q][k] - A[p][k] * A[q][j];
    square += n[static_cast<std::size_t>(i)] * n[static_cast<std::size_t>(i)];
  }
  for (double& component : n) component *= (high ? 1 : -1) / std::sqrt(square);
  return n;
}

namespace {

Mesh mapped(MeshData data, bool affine) {
  const AffineMap map(data.dimension);
  for (std::size_t n = 0; affine && n < data.points.size(); n += 3) {
    const Point y = map({data.points[n], data.points[n + 1], data.points[n + 2]});
    std::copy(y.begin(), y.end(), data.points.begin() + static_cast<std::ptrdiff_t>(n));
  }
  return Mesh(std::move(data));
}

Distortion distortion_of(const Patch& options) {
  return {.smooth = 0, .random = options.random, .seed = options.seed, .curved = options.curved};
}

}  // namespace

Mesh patch(CellKind kind, const Patch& options) {
  const Index n = options.count;
  return mapped(traits(kind).dimension == 3
                    ? box_data(n, n, n, patch_lengths, kind, distortion_of(options))
                    : rectangle_data(n, n, {patch_lengths[0], patch_lengths[1]}, kind, distortion_of(options)),
                options.affine);
}

Mesh mixed_patch(int order, MidNodes mid_nodes, const Patch& options) {
  return mapped(box_mixed_data(2 * options.count, options.count, options.count, patch_lengths, order, mid_nodes,
                               distortion_of(options)),
                options.affine);
}

MeshData single_cell(CellKind kind, double random, std::uint64_t seed) {
  const CellTraits& t = traits(kind);
  const AffineMap map(t.dimension);
  const std::vector<double> moves = random_values(3 * static_cast<std::size_t>(t.node_count), seed);
  MeshData data{.dimension = t.dimension, .points = {}, .blocks = {{kind, {}, 0}}, .regions = {}, .source = "one cell"};
  for (const Point& xi : reference_nodes(kind)) {
    const Point x = map(xi);
    for (std::size_t k = 0; k < 3; ++k)
      data.points.push_back(static_cast<int>(k) < t.dimension ? x[k] + random * moves[data.points.size()] : 0.0);
    data.blocks[0].nodes.push_back(static_cast<Node>(data.blocks[0].nodes.size()));
  }
  return data;
}

double patch_volume(int dimension) {
  return AffineMap(dimension).determinant() * patch_lengths[0] * patch_lengths[1] *
         (dimension == 3 ? patch_lengths[2] : 1);
}

Point patch_centroid(int dimension) {
  return AffineMap(dimension)({patch_lengths[0] / 2, patch_lengths[1] / 2, dimension == 3 ? patch_lengths[2] / 2 : 0});
}

std::vector<bool> on_boundary(const Mesh& mesh) {
  std::vector<bool> result(static_cast<std::size_t>(mesh.node_count()), false);
  for (const FacetOfCell& facet : boundary_facets(mesh))
    for (const Node node : mesh.nodes_of(facet)) result[static_cast<std::size_t>(node)] = true;
  return result;
}

std::vector<double> random_values(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> values(-1, 1);
  std::vector<double> result(count);
  for (double& value : result) value = values(engine);
  return result;
}

}  // namespace ritz::test
