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
INSTANTIATE_TEST_SUITE_P(Cells, Numbering, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(Numbering, OfACellHasAllItsRotations) {
  EXPECT_EQ(rotations_of(kind()).size(), rotation_count(traits(kind()).linear));
}

TEST_P(Numbering, OfACellDoesNotMatter) {
  const MeshData cell = single_cell(kind());
  for (const FormValue& form : forms()) {
    const DiscreteProblem original(Mesh(cell), form);
    const Dense K = dense_on_mesh(original, original.matrix());
    for (const std::vector<int>& rotation : rotations_of(kind())) {
      MeshData turned = cell;
      for (std::size_t a = 0; a < rotation.size(); ++a)
        turned.blocks[0].nodes[a] = cell.blocks[0].nodes[static_cast<std::size_t>(rotation[a])];
      const DiscreteProblem model(Mesh(turned), form);
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
    const DiscreteProblem a(Mesh(patch(kind(), {.count = traits(kind()).order == 1 ? 2 : 1, .random = 0.1})), form),
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
    const DiscreteProblem a(Mesh(cell), form), b(Mesh(turned), form);
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
  const DiscreteProblem clean(Mesh(data), heat_form(3));
  data.points.insert(data.points.begin(), {9, 9, 9});
  for (Node& node : data.blocks[0].nodes) ++node;
  const DiscreteProblem model(Mesh(data), heat_form(3));
  EXPECT_EQ(model.space.unknown_count(), clean.space.unknown_count());
  EXPECT_EQ(model.space.node_of(0), -1);
  EXPECT_EQ(host_matrix(model.matrix()).values, host_matrix(clean.matrix()).values);
}

}  // namespace
}  // namespace ritz::test
