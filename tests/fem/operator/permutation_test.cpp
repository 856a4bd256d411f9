// L15: the answer does not depend on how nodes and cells are numbered, nor on how the axes are turned.
#include "tests/fem/dense.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

namespace ritz::test {
namespace {

constexpr double tolerance = 1e-12;  // relative to the largest entry: sums of a few hundred terms in another order

double determinant(const std::array<Point, 3>& e) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    sum += e[0][i] * (e[1][j] * e[2][k] - e[1][k] * e[2][j]);
  }
  return sum;
}

Point minus(const Point& a, const Point& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

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

// Every renumbering of a cell's nodes that describes the same cell with the same orientation.
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

std::size_t rotation_count(CellKind linear) {
  switch (linear) {
    case CellKind::tri3: return 3;
    case CellKind::quad4:
    case CellKind::pyramid5: return 4;
    case CellKind::prism6: return 6;
    case CellKind::tet4: return 12;
    default: return 24;
  }
}

template <class T>
std::vector<T> permuted(std::uint64_t seed, std::vector<T> values) {
  std::mt19937_64 engine(seed);
  std::ranges::shuffle(values, engine);
  return values;
}

class Numbering : public CellTest {
 public:
  std::vector<FormValue> forms() const { return {heat_form(dimension()), elastic_form(dimension())}; }
};
INSTANTIATE_TEST_SUITE_P(Cells, Numbering, testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(Numbering, OfACellHasAllItsRotations) {
  EXPECT_EQ(rotations_of(kind()).size(), rotation_count(traits(kind()).linear));
}

TEST_P(Numbering, OfACellDoesNotMatter) {
  const MeshData cell = single_cell(kind());
  for (const FormValue& form : forms()) {
    const Model original(Mesh(cell), form);
    const Dense K = dense_on_mesh(original, original.matrix());
    for (const std::vector<int>& rotation : rotations_of(kind())) {
      MeshData turned = cell;
      for (std::size_t a = 0; a < rotation.size(); ++a)
        turned.blocks[0].nodes[a] = cell.blocks[0].nodes[static_cast<std::size_t>(rotation[a])];
      const Model model(Mesh(turned), form);
      EXPECT_LE(largest_difference(K, dense_on_mesh(model, model.matrix())), tolerance * largest_entry(K)) << form.name;
    }
  }
}

TEST_P(Numbering, OfNodesAndCellsDoesNotMatter) {
  const Mesh mesh = patch(kind(), {.count = traits(kind()).order == 1 ? 2 : 1, .random = 0.1});
  const auto node_count = static_cast<std::size_t>(mesh.node_count());
  std::vector<Node> new_node(node_count);
  std::iota(new_node.begin(), new_node.end(), 0);
  new_node = permuted(4, new_node);
  std::vector<Index> order(static_cast<std::size_t>(mesh.cell_count()));
  std::iota(order.begin(), order.end(), Index{0});
  MeshData shuffled{.dimension = dimension(),
                    .points = std::vector<double>(3 * node_count),
                    .blocks = {{kind(), {}, 0}},
                    .regions = {},
                    .source = "shuffled patch"};
  for (std::size_t n = 0; n < node_count; ++n)
    for (std::size_t k = 0; k < 3; ++k)
      shuffled.points[3 * static_cast<std::size_t>(new_node[n]) + k] = mesh.point(static_cast<Index>(n))[k];
  for (const Index cell : permuted(5, order))
    for (const Node node : mesh.nodes_of(cell))
      shuffled.blocks[0].nodes.push_back(new_node[static_cast<std::size_t>(node)]);
  for (const FormValue& form : forms()) {
    const Model a(Mesh(patch(kind(), {.count = traits(kind()).order == 1 ? 2 : 1, .random = 0.1})), form),
        b(Mesh(shuffled), form);
    const Dense K = dense_on_mesh(a, a.matrix()), L = dense_on_mesh(b, b.matrix());
    const auto c = static_cast<std::size_t>(form.components);
    const auto place = [&](std::size_t i) { return static_cast<std::size_t>(new_node[i / c]) * c + i % c; };
    double difference = 0;
    for (std::size_t i = 0; i < K.n; ++i)
      for (std::size_t j = 0; j < K.n; ++j)
        difference = std::max(difference, std::abs(K(i, j) - L(place(i), place(j))));
    EXPECT_LE(difference, tolerance * largest_entry(K)) << form.name;
  }
}

// x -> R x with R a quarter turn about z, then about x: K -> R K R^T, and K itself for diffusion.
TEST_P(Numbering, OfAxesDoesNotMatter) {
  const MeshData cell = single_cell(kind());
  MeshData turned = cell;
  const auto turn = [&](const double* x, double* y) {  // (x, y, z) -> (-y, x, z); in space then -> (-y, -z, x)
    y[0] = -x[1];
    y[1] = dimension() == 3 ? -x[2] : x[0];
    y[2] = dimension() == 3 ? x[0] : 0;
  };
  for (std::size_t n = 0; n < cell.points.size(); n += 3) turn(cell.points.data() + n, turned.points.data() + n);
  for (const FormValue& form : forms()) {
    const Model a(Mesh(cell), form), b(Mesh(turned), form);
    const Dense K = dense_on_mesh(a, a.matrix()), L = dense_on_mesh(b, b.matrix());
    const auto c = static_cast<std::size_t>(form.components);
    const std::vector<double> u = random_values(K.n);
    std::vector<double> v = u;
    for (std::size_t n = 0; c > 1 && n < K.n; n += c) {
      double x[3] = {u[n], u[n + 1], c == 3 ? u[n + 2] : 0}, y[3];
      turn(x, y);
      std::copy(y, y + c, v.begin() + static_cast<std::ptrdiff_t>(n));
    }
    std::vector<double> f = product(K, u);
    const std::vector<double> g = product(L, v);
    for (std::size_t n = 0; c > 1 && n < K.n; n += c) {
      double x[3] = {f[n], f[n + 1], c == 3 ? f[n + 2] : 0}, y[3];
      turn(x, y);
      std::copy(y, y + c, f.begin() + static_cast<std::ptrdiff_t>(n));
    }
    for (std::size_t i = 0; i < K.n; ++i)
      EXPECT_NEAR(f[i], g[i], tolerance * static_cast<double>(K.n) * largest_entry(K)) << form.name;
  }
}

// A point that no cell uses has no unknowns, and the rest is as before.
TEST(OrphanNodes, ChangeNothing) {
  MeshData data = box_data(2, 2, 2, patch_lengths, CellKind::hex8);
  const Model clean(Mesh(data), heat_form(3));
  data.points.insert(data.points.begin(), {9, 9, 9});
  for (Node& node : data.blocks[0].nodes) ++node;
  const Model model(Mesh(data), heat_form(3));
  EXPECT_EQ(model.space.unknown_count(), clean.space.unknown_count());
  EXPECT_EQ(model.space.node_of(0), -1);
  EXPECT_EQ(host_matrix(model.matrix()).values, host_matrix(clean.matrix()).values);
}

}  // namespace
}  // namespace ritz::test
