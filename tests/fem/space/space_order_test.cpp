// Spaces whose order is not the mesh's: numbering, continuity, actions without matrices, exactness.
#include "fem/analysis/static_solution.hpp"
#include "fem/forms/mass.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/loads.hpp"
#include "fem/forms/varying_elasticity.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/operator/matrix_free.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace ritz::test {
namespace {

struct SpaceCase {
  CellKind kind;  // of the mesh
  int order;      // of the space
};

std::vector<SpaceCase> space_cases(int highest) {
  std::vector<SpaceCase> list;
  for (const CellKind kind : {CellKind::tri3, CellKind::tri6, CellKind::quad4, CellKind::quad8, CellKind::quad9,
                              CellKind::tet4, CellKind::tet10, CellKind::hex8, CellKind::hex20, CellKind::hex27,
                              CellKind::prism6, CellKind::prism18, CellKind::pyramid5, CellKind::pyramid14})
    for (int order = 1; order <= std::min(highest, highest_lagrange_order(kind)); ++order)
      list.push_back({kind, order});
  return list;
}

std::string case_name(const ::testing::TestParamInfo<SpaceCase>& info) {
  return std::string(traits(info.param.kind).name) + "_order" + std::to_string(info.param.order);
}

class SpaceOfOrder : public ::testing::TestWithParam<SpaceCase> {
 protected:
  CellKind kind() const { return GetParam().kind; }
  int order() const { return GetParam().order; }
  int dimension() const { return traits(kind()).dimension; }
};
INSTANTIATE_TEST_SUITE_P(Spaces, SpaceOfOrder, ::testing::ValuesIn(space_cases(3)), case_name);

const Device& tested() {
  static const Device device = device_under_test(1);
  return device;
}

// Every cell finds each of its nodes where its own map puts it, and no two nodes are at one place: so cells agree about
// shared nodes, whichever way round they see edges and facets.
void expect_nodes_agree(const FunctionSpace& space) {
  const Mesh& mesh = space.mesh();
  std::vector<Node> nodes;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    space.nodes_of(cell, nodes);
    const CellKind kind = mesh.kind_of(cell);
    const ReferenceElement& element = space.element(kind);
    const auto mesh_nodes = mesh.nodes_of(cell);
    ASSERT_EQ(nodes.size(), element.nodes.size());
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      const std::vector<double> shape = shape_values(kind, element.nodes[a]);
      const Point found = space.point(nodes[a]);
      for (std::size_t d = 0; d < 3; ++d) {
        double x = 0;
        for (std::size_t m = 0; m < mesh_nodes.size(); ++m) x += shape[m] * mesh.point(mesh_nodes[m])[d];
        ASSERT_NEAR(found[d], x, 1e-9) << "cell " << cell << ", node " << a << " of its element";
      }
    }
  }
  std::vector<Point> places;
  for (Node n = 0; n < space.node_count(); ++n) places.push_back(space.point(n));
  std::ranges::sort(places);
  for (std::size_t i = 1; i < places.size(); ++i) {
    const Point &p = places[i - 1], &q = places[i];
    EXPECT_GT(std::abs(p[0] - q[0]) + std::abs(p[1] - q[1]) + std::abs(p[2] - q[2]), 1e-7);
  }
}

TEST_P(SpaceOfOrder, PutsSharedNodesOnce) {
  const Mesh mesh = patch(kind(), {.random = 0.03});
  expect_nodes_agree(FunctionSpace(mesh, 1, tested(), {.order = order()}));
}

TEST(MixedSpace, PutsSharedNodesOnce) {
  for (int order = 1; order <= 3; ++order) {
    const Mesh mesh = box_mixed(4, 2, 2, {1, 1.2, 0.9}, 1, MidNodes::full, {.random = 0.03});
    expect_nodes_agree(FunctionSpace(mesh, 1, tested(), {.order = order}));
  }
}

// Hexahedra turned at random among the 24 ways to number them.
Mesh turned_hexahedra(std::uint64_t seed) {
  MeshData data = box_data(3, 3, 2, {1, 1, 1}, CellKind::hex8, {.random = 0.05});
  constexpr std::array<std::size_t, 8> about_z = {1, 2, 3, 0, 5, 6, 7, 4}, about_x = {3, 2, 6, 7, 0, 1, 5, 4};
  std::mt19937_64 random(seed);
  for (std::size_t cell = 0; cell < data.blocks[0].nodes.size() / 8; ++cell) {
    std::array<Node, 8> nodes;
    std::copy_n(data.blocks[0].nodes.begin() + static_cast<std::ptrdiff_t>(8 * cell), 8, nodes.begin());
    for (int turn = 0; turn < 8; ++turn) {
      const auto& map = random() % 2 == 0 ? about_z : about_x;
      std::array<Node, 8> turned;
      for (std::size_t i = 0; i < 8; ++i) turned[i] = nodes[map[i]];
      nodes = turned;
    }
    std::copy_n(nodes.begin(), 8, data.blocks[0].nodes.begin() + static_cast<std::ptrdiff_t>(8 * cell));
  }
  data.regions.clear();
  return Mesh(std::move(data));
}

TEST(HexahedraTurnedAtRandom, AgreeAboutSharedNodes) {
  for (int order = 1; order <= 6; ++order) {
    const Mesh mesh = turned_hexahedra(static_cast<std::uint64_t>(order));
    const FunctionSpace space(mesh, 1, tested(), {.order = order});
    EXPECT_EQ(space.node_count(), Index{3 * order + 1} * (3 * order + 1) * (2 * order + 1));
    expect_nodes_agree(space);
  }
}

// A disk of triangles around the node with the lowest number: all spokes are edges of one corner.
TEST(EdgesOfOneCorner, HaveTheirNodesOnce) {
  constexpr Node count = 2000;
  MeshData data = single_cell(CellKind::tri3);
  data.points = {0, 0, 0};
  data.blocks[0].nodes.clear();
  data.regions.clear();
  for (Node k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * k / count;
    data.points.insert(data.points.end(), {std::cos(angle), std::sin(angle), 0});
    for (const Node node : {0, 1 + k, 1 + (k + 1) % count}) data.blocks[0].nodes.push_back(node);
  }
  const Mesh mesh(std::move(data));
  for (int order = 2; order <= 3; ++order) {
    const FunctionSpace space(mesh, 1, tested(), {.order = order});
    EXPECT_EQ(space.node_count(), 1 + count + 2 * count * (order - 1) + (order == 3 ? count : 0));
    expect_nodes_agree(space);
  }
}

struct Equations {
  Equations(Mesh m, FormValue form, int order)
      : mesh(std::move(m)),
        space(mesh, form.components, tested(), {.order = order}),
        equations(space, {Integral::over_all_cells(form)}) {}
  Mesh mesh;
  FunctionSpace space;
  Operator equations;
};

// Cells of eight cuboids; of one for order 3 on an emulated GPU.
Patch cuboids(int order) { return {.count = takes_small_sizes(tested()) && order > 2 ? 1 : 2, .random = 0.03}; }

TEST_P(SpaceOfOrder, ActsLikeItsMatrix) {
  for (const auto& [name, form, rigid] : forms_on(dimension())) {
    Equations m(patch(kind(), cuboids(order())), form, order());
    SparseMatrix K = m.equations.make_matrix();
    Vector u = m.space.zeros(), x = m.space.zeros(), by_matrix = m.space.zeros(), by_action = m.space.zeros();
    m.equations.assemble(u, K);
    x.upload(random_values(static_cast<std::size_t>(x.size())));
    K.apply(x, by_matrix);
    m.equations.action(u, x, by_action);
    const double scale = max_abs(by_matrix);
    EXPECT_LT(largest_difference(by_matrix, by_action), 1e-12 * scale * order() * order()) << name;
    const Vector d = K.diagonal();
    EXPECT_LT(largest_difference(d, m.equations.diagonal(u)), 1e-12 * max_abs(d)) << name;
  }
}

TEST_P(SpaceOfOrder, ActsLikeTheTangentOfANonlinearForm) {
  const FormValue form = dimension() == 3 ? test_form(NonlinearDiffusion<3>{1.3, 0.4, 0.2})
                                          : test_form(NonlinearDiffusion<2>{1.3, 0.4, 0.2});
  Equations m(patch(kind(), cuboids(order())), form, order());
  SparseMatrix K = m.equations.make_matrix();
  Vector u = m.space.zeros(), x = m.space.zeros(), by_matrix = m.space.zeros(), by_action = m.space.zeros();
  u.upload(random_values(static_cast<std::size_t>(u.size()), 2));
  x.upload(random_values(static_cast<std::size_t>(x.size()), 3));
  m.equations.assemble(u, K);
  K.apply(x, by_matrix);
  m.equations.action(u, x, by_action);
  EXPECT_LT(largest_difference(by_matrix, by_action), 1e-12 * max_abs(by_matrix) * order() * order());
  const Vector d = K.diagonal();
  EXPECT_LT(largest_difference(d, m.equations.diagonal(u)), 1e-12 * max_abs(d));
}

// Sum factorisation against the engine for any element, which computes the residual: of linear forms the same. On an
// emulated GPU up to order 4: EveryTensorForm has the others.
TEST(TensorActions, AreTheResidualsOfLinearForms) {
  const int highest = takes_small_sizes(tested()) ? 4 : 8;
  for (const CellKind kind :
       {CellKind::quad4, CellKind::quad8, CellKind::quad9, CellKind::hex8, CellKind::hex20, CellKind::hex27}) {
    const int dimension = traits(kind).dimension;
    for (int order = 1; order <= (dimension == 2 || traits(kind).order == 1 ? highest : 4); ++order)
      for (const auto& [name, form, rigid] : forms_on(dimension)) {
        Equations m(patch(kind, {.count = order > highest / 2 ? 1 : 2, .random = 0.03, .curved = true}), form, order);
        Vector u = m.space.zeros(), x = m.space.zeros(), by_residual = m.space.zeros(), by_action = m.space.zeros();
        x.upload(random_values(static_cast<std::size_t>(x.size())));
        m.equations.residual(x, by_residual);
        m.equations.action(u, x, by_action);
        EXPECT_LT(largest_difference(by_residual, by_action), 1e-12 * max_abs(by_residual) * order)
            << name << " on " << traits(kind).name << ", order " << order;
      }
  }
}

// Largest difference between a diagonal and the entries e . K e of the action, relative to the largest of these.
double error_of_diagonal(const Operator& equations, const Vector& u) {
  const Index n = equations.space().unknown_count();
  Vector e = equations.space().zeros(), column = equations.space().zeros();
  const std::vector<double> diagonal = equations.diagonal(u).host();
  std::vector<double> unit(static_cast<std::size_t>(n));
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    unit[i] = 1;
    e.upload(unit);
    unit[i] = 0;
    equations.action(u, e, column);
    const double entry = column.host()[i];
    largest = std::max(largest, std::abs(entry));
    difference = std::max(difference, std::abs(diagonal[i] - entry));
  }
  return difference / largest;
}

// On two bent cells, whose diagonals have sums of both; of curved ones the geometry is stored.
TEST(TensorDiagonals, AreTheEntriesThatTheActionShows) {
  for (const CellKind kind : {CellKind::quad4, CellKind::quad9, CellKind::hex8, CellKind::hex27}) {
    const int dimension = traits(kind).dimension;
    for (int order = traits(kind).order; order <= 5; ++order)
      for (const auto& [name, form, rigid] : forms_on(dimension)) {
        const Equations m(patch(kind, {.count = 1, .random = 0.03, .curved = true}), form, order);
        // integrals over 2 pi r need more points than lines have
        EXPECT_EQ(sum_factorised(m.equations), form.extra_degree == 0 && (dimension == 3 || order <= 4)) << name;
        EXPECT_LT(error_of_diagonal(m.equations, m.space.zeros()), 1e-13 * order)
            << name << " on " << traits(kind).name << ", order " << order;
      }
  }
  for (const int order : {6, 7, 8}) {
    const Equations m(patch(CellKind::hex8, {.count = 1, .random = 0.03}), heat_form(3), order);
    EXPECT_LT(error_of_diagonal(m.equations, m.space.zeros()), 1e-13 * order) << "order " << order;
  }
}

// Forms whose numbers vary from point to point.
std::vector<FormValue> varying_forms() {
  const PointFunction large = [](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = 2 + std::sin(3 * x[3 * i]) * x[3 * i + 1] + x[3 * i + 2];
  };
  const PointFunction small = [](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.2 + 0.1 * std::cos(x[3 * i + 1]);
  };
  return {{VaryingDiffusion<3>{}, {large}}, {VaryingElasticity<Space::solid, ElasticAxes::none>{}, {large, small}}};
}

TEST(TensorDiagonals, OfNumbersThatVaryAreThoseOfTheMatrix) {
  for (const CellKind kind : {CellKind::hex8, CellKind::hex27})
    for (int order = traits(kind).order; order <= (takes_small_sizes(tested()) ? 2 : 3); ++order)
      for (const FormValue& form : varying_forms()) {
        const Equations m(patch(kind, {.count = 2, .random = 0.03, .curved = true}), form, order);
        SparseMatrix K = m.equations.make_matrix();
        m.equations.assemble(m.space.zeros(), K);
        const Vector d = K.diagonal();
        EXPECT_LT(largest_difference(d, m.equations.diagonal(m.space.zeros())), 1e-13 * order * max_abs(d))
            << form.name << " on " << traits(kind).name << ", order " << order;
      }
}

TEST(TensorDiagonals, OfAnUnsymmetricTangentWithValuesAreThoseOfTheMatrix) {
  const Equations m(patch(CellKind::quad4, {.random = 0.03}), test_form(Coupled{0.7}), 2);
  EXPECT_TRUE(sum_factorised(m.equations));
  SparseMatrix K = m.equations.make_matrix();
  Vector u = m.space.zeros();
  u.upload(random_values(static_cast<std::size_t>(u.size()), 2));
  m.equations.assemble(u, K);
  const Vector d = K.diagonal();
  EXPECT_LT(largest_difference(d, m.equations.diagonal(u)), 1e-13 * max_abs(d));
}

TEST(TensorActions, OfNumbersThatVaryAreTheResidualsInBothPrecisions) {
  for (const CellKind kind : {CellKind::hex8, CellKind::hex27})
    for (int order = 1; order <= 4; ++order)
      for (const FormValue& form : varying_forms()) {
        const Equations m(patch(kind, {.count = 3, .random = 0.03, .curved = true}), form, order);
        // a field below the order of its curved cells needs more points than its lines have
        EXPECT_EQ(sum_factorised(m.equations), order >= traits(kind).order)
            << form.name << " on " << traits(kind).name << ", order " << order;
        Vector u = m.space.zeros(), x = m.space.zeros(), by_residual = m.space.zeros(), by_action = m.space.zeros();
        const std::vector<double> values = random_values(static_cast<std::size_t>(x.size()));
        x.upload(values);
        m.equations.residual(x, by_residual);
        m.equations.action(u, x, by_action);
        const double scale = max_abs(by_residual);
        EXPECT_LT(largest_difference(by_residual, by_action), 1e-12 * scale * order)
            << form.name << ", order " << order;
        const std::vector<float> rounded(values.begin(), values.end());
        Array<float> y(tested(), x.size(), "test");
        Linearisation(m.equations, u).action(Array<float>(tested(), std::span<const float>(rounded), "test"), y);
        const std::vector<float> found = y.host();
        Vector single = m.space.zeros();
        single.upload(std::vector<double>(found.begin(), found.end()));
        EXPECT_LT(largest_difference(by_residual, single), 2e-5 * scale) << form.name << ", order " << order;
      }
}

// Chunks of several batches, the last of them with fewer, whose last is not full: a GPU's kernels sum such chunks
// themselves.
TEST(TensorActions, OfManyElementsAreTheResidualsInBothPrecisions) {
  struct Many {
    Mesh mesh;
    int order;
  };
  const bool few = takes_small_sizes(tested());
  const Many cases[] = {
      {few ? box(11, 10, 7, {1, 1.1, 0.9}, CellKind::hex8) : box(21, 20, 17, {1, 1.1, 0.9}, CellKind::hex8), 1},
      {rectangle(few ? 31 : 83, few ? 33 : 86, {1, 1.1}, CellKind::quad4), 2}};
  for (const auto& [mesh, order] : cases)
    for (const auto& [name, form, rigid] : forms_on(mesh.dimension())) {
      const Equations m(mesh, form, order);
      Vector u = m.space.zeros(), x = m.space.zeros(), by_residual = m.space.zeros(), by_action = m.space.zeros();
      const std::vector<double> values = random_values(static_cast<std::size_t>(x.size()));
      x.upload(values);
      m.equations.action(u, x, by_action);
      m.equations.residual(x, by_residual);
      const double scale = max_abs(by_residual);
      EXPECT_LT(largest_difference(by_residual, by_action), 1e-12 * scale) << name << ", order " << order;
      const std::vector<float> rounded(values.begin(), values.end());
      Array<float> y(tested(), x.size(), "test");
      Linearisation(m.equations, u).action(Array<float>(tested(), std::span<const float>(rounded), "test"), y);
      const std::vector<float> found = y.host();
      Vector single = m.space.zeros();
      single.upload(std::vector<double>(found.begin(), found.end()));
      EXPECT_LT(largest_difference(by_residual, single), 2e-5 * scale) << name << ", order " << order;
    }
}

struct Entry {
  Index column;
  double value;
};
std::vector<Entry> entries(const HostMatrix& matrix, Index row) {
  std::vector<Entry> list;
  const auto from = static_cast<std::size_t>(row);
  for (auto e = static_cast<std::size_t>(matrix.offsets[from]); e < static_cast<std::size_t>(matrix.offsets[from + 1]);
       ++e)
    list.push_back({matrix.columns[e], matrix.values[e]});
  return list;
}
double entry(const HostMatrix& matrix, Index row, Index column) {
  const std::vector<Entry> list = entries(matrix, row);
  const auto found = std::ranges::find(list, column, &Entry::column);
  return found == list.end() ? 0 : found->value;
}

// The same for matrices of simplices with one point.
TEST(SimplexMatrices, OfManyElementsActAsResidualsAndAreSymmetricToTheBit) {
  const bool few = takes_small_sizes(tested());
  const Mesh meshes[] = {few ? box(7, 6, 5, {1, 1.1, 0.9}, CellKind::tet4, {.random = 0.03})
                             : box(20, 19, 18, {1, 1.1, 0.9}, CellKind::tet4, {.random = 0.03}),
                         rectangle(few ? 31 : 143, few ? 33 : 151, {1, 1.1}, CellKind::tri3, {.random = 0.03})};
  for (const Mesh& mesh : meshes)
    for (const auto& [name, form, rigid] : forms_on(mesh.dimension())) {
      const Equations m(mesh, form, 1);
      Vector x = m.space.zeros(), by_residual = m.space.zeros(), by_matrix = m.space.zeros();
      x.upload(random_values(static_cast<std::size_t>(x.size())));
      SparseMatrix K = m.equations.make_matrix();
      m.equations.assemble(m.space.zeros(), K);
      K.apply(x, by_matrix);
      m.equations.residual(x, by_residual);
      EXPECT_LT(largest_difference(by_residual, by_matrix), 1e-12 * max_abs(by_residual)) << name;
      const HostMatrix host = host_matrix(K);
      for (Index row = 0; row < host.rows(); ++row)
        for (const Entry& e : entries(host, row)) {
          // a block of a node with itself has rounding of its own
          if (e.column / form.components == row / form.components) continue;
          ASSERT_EQ(e.value, entry(host, e.column, row)) << name << ", entry " << row << ", " << e.column;
        }
    }
}

// Kernels that sum by themselves do not where another form adds to the same elements.
TEST(SimplexMatrices, OfTwoFormsOnTheSameCellsAreTheirSum) {
  const Mesh mesh = box(9, 8, 7, {1, 1.1, 0.9}, CellKind::tet4, {.random = 0.03});
  const FunctionSpace space(mesh, 3, tested());
  const Operator both(space, {Integral::over_all_cells(elastic_form(3)), Integral::over_all_cells(Mass<3, 3>{7.0})});
  const Operator stiffness(space, {Integral::over_all_cells(elastic_form(3))}),
      mass(space, {Integral::over_all_cells(Mass<3, 3>{7.0})});
  Vector x = space.zeros();
  x.upload(random_values(static_cast<std::size_t>(x.size())));
  const auto times_x = [&](const Operator& equations) {
    SparseMatrix K = equations.make_matrix();
    equations.assemble(space.zeros(), K);
    Vector y = space.zeros();
    K.apply(x, y);
    return y;
  };
  Vector sum = times_x(stiffness);
  axpy(1, times_x(mass), sum);
  EXPECT_LT(largest_difference(times_x(both), sum), 1e-12 * max_abs(sum));
}

// Harmonic polynomials of the space's order satisfy Laplace's equation; with their values on the boundary they are
// found exactly, on affine cells.
double harmonic(int order, int dimension, const Point& x) {
  double re = 1, im = 0;
  for (int i = 0; i < order; ++i) {
    const double next = re * (x[0] - 0.3) - im * (x[1] + 0.2);
    im = re * (x[1] + 0.2) + im * (x[0] - 0.3);
    re = next;
  }
  return re + 0.5 * im + (dimension == 3 ? 0.7 * x[2] + (order > 1 ? x[2] * (x[0] - x[1]) : 0) : 0);
}

TEST_P(SpaceOfOrder, SolvesForPolynomialsOfItsOrderExactly) {
  Equations m(patch(kind(), {}), heat_form(dimension()), order());
  Constraints fixed(m.space);
  Vector exact = m.space.zeros();
  std::vector<double> values(static_cast<std::size_t>(exact.size()));
  for (Node n = 0; n < m.space.node_count(); ++n)
    values[static_cast<std::size_t>(n)] = harmonic(order(), dimension(), m.space.point(n));
  exact.upload(values);
  for (const auto& region : m.mesh.regions())
    if (region.kind == RegionKind::facets)
      for (const Node n : m.space.nodes_in(region))
        fixed.prescribe_nodes(std::span(&n, 1), 0, values[static_cast<std::size_t>(n)], "test");
  fixed.finish();
  Vector u = m.space.zeros(), r = m.space.zeros(), du = m.space.zeros();
  fixed.set_values(u);
  m.equations.residual(u, r);
  fixed.set_zero(r);
  axpby(0, r, -1, r);
  const MatrixFree K(m.equations, fixed, u);
  const JacobiPreconditioner jacobi(K.diagonal());
  const SolveReport report = ConjugateGradient{.relative = 1e-12}.solve(K, r, du, &jacobi);
  EXPECT_TRUE(report.converged()) << summary(report);
  axpy(1, du, u);
  EXPECT_LT(largest_difference(u, exact), 1e-9);
  // ... and what the mesh is given of it is the polynomial at the mesh's nodes.
  const std::vector<double> on_mesh = m.space.to_mesh(u);
  for (Index n = 0; n < m.mesh.node_count(); ++n) {
    const auto x = m.mesh.point(n);
    EXPECT_NEAR(on_mesh[static_cast<std::size_t>(n)], harmonic(order(), dimension(), {x[0], x[1], x[2]}), 1e-9);
  }
}

// Matrix-free with prescribed unknowns is the eliminated matrix.
TEST_P(SpaceOfOrder, EliminatesPrescribedUnknownsLikeTheMatrix) {
  for (const auto& [name, form, rigid] : forms_on(dimension())) {
    Equations m(patch(kind(), {.random = 0.03}), form, order());
    Constraints fixed(m.space);
    fixed.prescribe(m.mesh.region("x0"), 0, 0, "test");  // one component only
    fixed.prescribe(m.mesh.region("y1"), form.components - 1, 0, "test");
    fixed.finish();
    Vector u = m.space.zeros(), x = m.space.zeros(), by_matrix = m.space.zeros(), by_action = m.space.zeros();
    const MatrixFree free(m.equations, fixed, u);
    SparseMatrix K = m.equations.make_matrix();
    m.equations.assemble(u, K);
    K.eliminate(fixed.mask(), free.pivot());
    x.upload(random_values(static_cast<std::size_t>(x.size())));
    K.apply(x, by_matrix);
    free.apply(x, by_action);
    EXPECT_LT(largest_difference(by_matrix, by_action), 1e-12 * max_abs(by_matrix) * order() * order()) << name;
    EXPECT_LT(largest_difference(K.diagonal(), free.diagonal()), 1e-12 * free.pivot()) << name;
  }
}

// A cantilever of order 1 to 4: loads, reactions and their moments balance, with and without a matrix, and the two
// agree.
TEST(StaticSolutions, OfAnyOrderBalanceAndAgreeWithAndWithoutAMatrix) {
  for (const CellKind kind : {CellKind::hex8, CellKind::hex20, CellKind::tet4})
    for (int order = 1; order <= 3; ++order) {
      const Mesh mesh = box(4, 2, 2, {2, 1, 1}, kind, {.smooth = 0.03});
      const FunctionSpace space(mesh, 3, tested(), {.order = order});
      const Operator equations(
          space, {Integral::over_all_cells(Elasticity{1.2, 0.8}), Integral::over_all_cells(Load<3, 3, 0>{{0, 0, -1}})});
      Constraints fixed(space);
      for (int c = 0; c < 3; ++c) fixed.prescribe(mesh.region("x0"), c, 0, "clamp");
      fixed.finish();
      LinearSolverOptions options{.relative = 1e-10};
      options.operator_kind = OperatorKind::matrix_free;
      const StaticSolution without = solve_static(equations, fixed, options);
      options.operator_kind = OperatorKind::matrix;
      const StaticSolution with = solve_static(equations, fixed, options);
      EXPECT_LT(largest_difference(with.u, without.u), 1e-7 * max_abs(with.u))
          << traits(kind).name << ", order " << order;
      EXPECT_LT(without.residual, 1e-9);
      double sum[3] = {0, 0, 0}, moment = 0;
      for (Index n = 0; n < mesh.node_count(); ++n)
        for (std::size_t c = 0; c < 3; ++c) {
          const double r = without.reaction[static_cast<std::size_t>(3 * n) + c];
          sum[c] += r;
          if (c == 2) moment += r * mesh.point(n)[0];
          if (c == 0) moment -= r * mesh.point(n)[2];
        }
      EXPECT_NEAR(sum[0], 0, 1e-8);
      EXPECT_NEAR(sum[2], -without.applied[2], 1e-8 * std::abs(without.applied[2]));
      EXPECT_NEAR(without.applied[2], -2, 1e-9);  // volume 2
      // The body force turns about y with its centroid at x = 1; the moved vertices change that by little.
      EXPECT_NEAR(moment, 2, 0.02);
    }
}

TEST(Prescribing, NodesOfTheMeshIsRefusedInASpaceWithNodesOfItsOwn) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 1, tested(), {.order = 2});
  Constraints fixed(space);
  const Node node = 0;
  EXPECT_THROW(fixed.prescribe(std::span(&node, 1), 0, 0.0, "test"), Error);
}

// A linear tetrahedron with a bubble: an element that is no Lagrange element, with no kernel of its own.
ReferenceElement bubble_tetrahedron() {
  ReferenceElement e = lagrange_element(CellKind::tet4, 1);
  e.name = "tetrahedron with a bubble";
  e.order = 1;
  e.nodes.push_back({0.25, 0.25, 0.25});
  e.evaluate = [linear = e.evaluate](const Point& x, std::span<double> values, std::span<Point> gradients) {
    linear(x, values.first(4), gradients.first(4));
    const double b[4] = {1 - x[0] - x[1] - x[2], x[0], x[1], x[2]};
    const Point db[4] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    values[4] = 256 * b[0] * b[1] * b[2] * b[3];
    for (std::size_t d = 0; d < 3; ++d) {
      gradients[4][d] = 256 * (db[0][d] * b[1] * b[2] * b[3] + b[0] * db[1][d] * b[2] * b[3] +
                               b[0] * b[1] * db[2][d] * b[3] + b[0] * b[1] * b[2] * db[3][d]);
    }
    for (std::size_t a = 0; a < 4; ++a) {
      values[a] -= 0.25 * values[4];
      for (std::size_t d = 0; d < 3; ++d) gradients[a][d] -= 0.25 * gradients[4][d];
    }
  };
  return e;
}

TEST(AnElementOfYourOwn, RunsWithEveryFormOnTheExistingKernels) {
  const Mesh mesh = patch(CellKind::tet4, {.random = 0.03});
  ReferenceElement element = bubble_tetrahedron();
  element.order = 2;  // of the quadrature: the bubble's gradients are cubic
  for (const auto& [name, form, rigid] : forms_on(3)) {
    const FunctionSpace space(mesh, form.components, tested(), {.elements = {element}});
    EXPECT_EQ(space.node_count(), mesh.node_count() + mesh.cell_count());
    const Operator equations(space, {Integral::over_all_cells(form)});
    // Rigid or constant fields have no residual: the bubble must not disturb them.
    Vector u = space.zeros(), r = space.zeros();
    fill(1.0, u);
    equations.residual(u, r);
    EXPECT_LT(max_abs(r), 1e-12) << name;
    Vector x = space.zeros(), Kx = space.zeros(), action = space.zeros();
    x.upload(random_values(static_cast<std::size_t>(x.size())));
    SparseMatrix K = equations.make_matrix();
    equations.assemble(u, K);
    K.apply(x, Kx);
    equations.action(u, x, action);
    EXPECT_LT(largest_difference(Kx, action), 1e-12 * max_abs(Kx)) << name;
  }
}

TEST(AnElementOfYourOwn, ThatDoesNotMatchItsNeighboursIsRefused) {
  const Mesh mesh = box_mixed(4, 1, 1, {1, 1, 1});
  EXPECT_THROW(FunctionSpace(mesh, 1, tested(), {.order = 1, .elements = {lagrange_element(CellKind::hex8, 2)}}),
               Error);
}

}  // namespace
}  // namespace ritz::test
