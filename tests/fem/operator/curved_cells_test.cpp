// Fields on cells whose maps are of order 3 and more.
#include "fem/operator/matrix_free.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"
#include "tests/mesh/curved.hpp"

#include <cmath>

namespace ritz::test::curved_cells_test {
namespace {

const Device& tested() {
  static const Device device = device_under_test(1);
  return device;
}

class CurvedFields : public CellTest {
 protected:
  Mesh mesh(int order = 3) const {
    return Mesh(testing::under_map(patch(kind(), {.count = 1}), order, testing::sheared));
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, CurvedFields, ::testing::ValuesIn(cell_kinds(1)), kind_name);

struct Equations {
  Equations(Mesh m, int components, SpaceOptions options, const MakeIntegrals& make)
      : mesh(std::move(m)), space(mesh, components, tested(), options), equations(space, make(mesh)) {}
  Mesh mesh;
  FunctionSpace space;
  Operator equations;
};

TEST_P(CurvedFields, HaveTheirNodesOnTheMap) {
  for (const int order : {1, 2, 3, 4}) {
    if (order > highest_lagrange_order(kind())) continue;
    const Mesh bent = mesh();
    const FunctionSpace space(bent, 1, tested(), {.order = order});
    std::vector<Node> nodes;
    for (Index cell = 0; cell < bent.cell_count(); ++cell) {
      space.nodes_of(cell, nodes);
      const ritz::CellMap map(bent, cell);
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        const Point found = space.point(nodes[a]), expected = map.at(space.element(bent.kind_of(cell)).nodes[a]);
        for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(found[k], expected[k], 1e-12);
      }
    }
  }
}

// u = e x has the stress (3 lambda + 2 mu) e I, in the plane (2 lambda + 2 mu) e I, and balances a pressure on the bent
// boundary. Fields of the order of the map hold it; the products of functions and Jacobians are integrated exactly by 2
// k more degrees.
TEST_P(CurvedFields, UniformExpansionBalancesAPressure) {
  for (const int order : {3, 4}) {
    if (order > highest_lagrange_order(kind())) continue;
    const double e = 0.37, p = -(dimension() * lame.lambda + 2 * lame.mu) * e;
    const Equations m(mesh(order), dimension(), {.order = order}, [&](const Mesh& bent) {
      FormValue elastic = elastic_form(dimension());
      FormValue pressure = dimension() == 3 ? FormValue(Pressure<3>{p}) : FormValue(Pressure<2>{p, thickness});
      elastic.extra_degree = pressure.extra_degree = 2 * order;
      return std::vector{Integral::over_all_cells(elastic),
                         Integral::over(pressure, Region{"all", RegionKind::facets, {}, boundary_facets(bent), {}})};
    });
    Vector u = m.space.zeros(), r = m.space.zeros();
    std::vector<double> values;
    for (Node n = 0; n < m.space.node_count(); ++n)
      for (int i = 0; i < dimension(); ++i) values.push_back(e * m.space.point(n)[static_cast<std::size_t>(i)]);
    u.upload(values);
    m.equations.residual(u, r);
    // The rational functions of pyramids are integrated well, but not exactly.
    EXPECT_LT(max_abs(r), traits(kind()).linear == CellKind::pyramid5 ? 1e-5 : 1e-12);
    u.upload(std::vector<double>(values.size(), 0.0));
    m.equations.residual(u, r);
    EXPECT_GT(max_abs(r), 1e-3) << "the pressure is there";
  }
}

TEST_P(CurvedFields, ActLikeTheirMatrixWhateverTheirOrder) {
  for (const int order : {0, 1, 2, 3}) {  // 0: the nodes of the mesh
    if (order > highest_lagrange_order(kind())) continue;
    for (const auto& [name, form, rigid] : forms_on(dimension())) {
      const Equations m(mesh(), form.components, {.order = order},
                        [&](const Mesh&) { return std::vector{Integral::over_all_cells(form)}; });
      SparseMatrix K = m.equations.make_matrix();
      Vector u = m.space.zeros(), x = m.space.zeros(), by_matrix = m.space.zeros(), by_action = m.space.zeros();
      m.equations.assemble(u, K);
      x.upload(random_values(static_cast<std::size_t>(x.size())));
      K.apply(x, by_matrix);
      m.equations.action(u, x, by_action);
      EXPECT_LT(largest_difference(by_matrix, by_action), 1e-11 * max_abs(by_matrix)) << name << " of order " << order;
      const Vector d = K.diagonal();
      EXPECT_LT(largest_difference(d, m.equations.diagonal(u)), 1e-11 * max_abs(d)) << name << " of order " << order;
    }
  }
}

// Only those whose map is not that of their nodes stand apart, and a straight one beside them stays cheap.
TEST(CurvedCells, StandApartFromOthers) {
  const Mesh straight = patch(CellKind::quad4, {.count = 3});
  MeshData data = testing::under_map(straight, 3, [](const Point& x) { return x; });
  CurvedCells& curved = data.blocks[0].curved;
  const std::size_t width = curved.functions->nodes().size();
  curved.cells = {4};
  curved.points = {curved.points.begin() + static_cast<std::ptrdiff_t>(4 * width),
                   curved.points.begin() + static_cast<std::ptrdiff_t>(5 * width)};
  const Mesh mesh(std::move(data));
  const FunctionSpace space(mesh, 1, tested());
  std::map<int, Index> by_order;
  for (const ElementGroup& group : element_groups(space, {Integral::over_all_cells(heat_form(2))}))
    by_order[group.geometry->order] += group.element_count;
  EXPECT_EQ(by_order, (std::map<int, Index>{{1, mesh.cell_count() - 1}, {3, 1}}));
}

}  // namespace
}  // namespace ritz::test::curved_cells_test
