// Operators over several spaces: residual, action and blocks of a form agree with each other and with difference
// quotients on every cell; they agree with operators on one space; bits do not depend on threads.
#include "device/error.hpp"
#include "fem/forms/mass.hpp"
#include "fem/forms/stokes.hpp"
#include "fem/space/fields_constraints.hpp"
#include "fem/operator/fields_operator.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/fem/mixed/mixed_action.hpp"
#include "tests/fem/mixed/mixed_forms.hpp"
#include "tests/fem/mixed/mixed_problems.hpp"
#include "tests/fem/models.hpp"

#include <cmath>

namespace ritz::test {
namespace {

MixedFormValue everything(int dimension) {
  return dimension == 3 ? own_form(Everything<3>{}) : own_form(Everything<2>{});
}

Vector random_vector(const FieldsOperator& equations, std::uint64_t seed) {
  const auto values = random_values(static_cast<std::size_t>(equations.layout().total()), seed);
  return Vector(equations.device(), std::span<const double>(values), "vectors");
}

struct MixedModel {
  MixedModel(Mesh m, const MixedFormValue& form, const Device& device = device_under_test(),
             const std::vector<Integral>& of_fields = {})
      : mesh(std::move(m)),
        equations(spaces_of(form, mesh, device), {MixedIntegral::over_all_cells(form)}, of_fields) {}
  Mesh mesh;
  FieldsOperator equations;
};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}
double largest(const std::vector<double>& a) { return largest_difference(a, std::vector<double>(a.size(), 0.0)); }

class OnEveryCell : public CellTest {
 public:
  MixedModel model(const Device& device = device_under_test(), int count = 2) const {
    return {patch(kind(), {.count = count, .random = 0.1}), everything(dimension()), device};
  }
};
INSTANTIATE_TEST_SUITE_P(Cells, OnEveryCell, ::testing::ValuesIn(cell_kinds()), kind_name);

// Central differences of a smooth residual: errors of the size of the square of the step, and rounding over it.
TEST_P(OnEveryCell, ActionIsTheDerivativeOfTheResidual) {
  MixedModel m = model();
  m.equations.inputs().set_time({.t = 0.7, .dt = 0});
  const Vector u = random_vector(m.equations, 1), x = random_vector(m.equations, 2);
  Vector y = m.equations.zeros(), there = m.equations.zeros(), above = m.equations.zeros(), below = m.equations.zeros();
  m.equations.action(u, x, y);
  const double step = 1e-5;
  for (const double sign : {1.0, -1.0}) {
    copy(u, there);
    axpy(sign * step, x, there);
    m.equations.residual(there, sign > 0 ? above : below);
  }
  axpby(-0.5 / step, below, 0.5 / step, above);
  EXPECT_LE(largest_difference(y.host(), above.host()), 1e-8 * largest(y.host()));
}

TEST_P(OnEveryCell, BlocksAreTheMatrixOfTheAction) {
  const MixedModel m = model();
  const Vector u = random_vector(m.equations, 1);
  BlockOperator K = m.equations.make_matrix();
  m.equations.assemble(u, K);
  Vector y = m.equations.zeros(), z = m.equations.zeros();
  for (const std::uint64_t seed : {2, 3, 4}) {
    const Vector x = random_vector(m.equations, seed);
    m.equations.action(u, x, y);
    K.apply(x, z);
    EXPECT_LE(largest_difference(y.host(), z.host()), 1e-12 * largest(y.host()));
  }
}

// The fake device dies when host code touches its memory: no hidden transfer.
TEST_P(OnEveryCell, CpuAndFakeDeviceAgree) {
  const MixedModel a = model(Device::named("cpu", 1)), b = model(Device::named("fake", 1));
  const Vector u = random_vector(a.equations, 1), v = random_vector(b.equations, 1);
  BlockOperator K = a.equations.make_matrix(), L = b.equations.make_matrix();
  a.equations.assemble(u, K);
  b.equations.assemble(v, L);
  EXPECT_LE(largest_difference(host_matrix(K).values, host_matrix(L).values), 1e-13 * largest(host_matrix(K).values));
  Vector r = a.equations.zeros(), s = b.equations.zeros();
  a.equations.residual(u, r);
  b.equations.residual(v, s);
  EXPECT_LE(largest_difference(r.host(), s.host()), 1e-13 * largest(r.host()));
}

TEST_P(OnEveryCell, ThreadsDoNotChangeABit) {
  const int count = dimension() == 2 ? 12 : 3;
  const MixedModel one = model(Device::named("cpu", 1), count), two = model(Device::named("cpu", 2), count);
  Vector r = one.equations.zeros(), s = two.equations.zeros();
  one.equations.residual(random_vector(one.equations, 1), r);
  two.equations.residual(random_vector(two.equations, 1), s);
  EXPECT_EQ(r.host(), s.host());
  BlockOperator K = one.equations.make_matrix(), L = two.equations.make_matrix();
  one.equations.assemble(random_vector(one.equations, 1), K);
  two.equations.assemble(random_vector(two.equations, 1), L);
  EXPECT_EQ(host_matrix(K).values, host_matrix(L).values);
}

// Hexahedra, prisms, pyramids and tetrahedra in one mesh, straight and curved: several groups of elements.
TEST(FieldsOperator, BlocksAreTheMatrixOfTheActionOnAMeshOfAllCells) {
  const int count = takes_small_sizes(device_under_test()) ? 2 : 4;
  for (const bool curved : {false, true}) {
    const MixedModel m(mixed_patch(curved ? 2 : 1, MidNodes::full, {.count = count, .curved = curved}), everything(3));
    const Vector u = random_vector(m.equations, 1), x = random_vector(m.equations, 2);
    BlockOperator K = m.equations.make_matrix();
    m.equations.assemble(u, K);
    Vector y = m.equations.zeros(), z = m.equations.zeros();
    m.equations.action(u, x, y);
    K.apply(x, z);
    EXPECT_LE(largest_difference(y.host(), z.host()), 1e-12 * largest(y.host()));
  }
}

TEST(FieldsOperator, ActionsTakeTheListsAndBuffersOfResiduals) {
  const MixedModel model(disturbed_mesh(CellKind::quad4, 6), everything(2));
  const Vector u = random_vector(model.equations, 1);
  Vector r = model.equations.zeros(), y = model.equations.zeros();
  const auto live = [&] { return model.equations.device().memory().statistics().live; };
  model.equations.residual(u, r);
  const Index before = live();
  model.equations.action(u, u, y);
  EXPECT_EQ(live(), before);
}

TEST(FieldsOperator, BlocksThatDoNotCoupleDoNotExist) {
  const MixedModel m(patch(CellKind::tri3, {.count = 3}), own_form(Chain{}));
  BlockOperator K = m.equations.make_matrix();
  const bool expected[3][3] = {{true, false, false}, {true, false, false}, {false, true, true}};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      EXPECT_EQ(K.block(row, column) != nullptr, expected[row][column]) << row << column;
  m.equations.assemble({}, K);
  const Vector x = random_vector(m.equations, 5);
  Vector y = m.equations.zeros(), z = m.equations.zeros();
  m.equations.action({}, x, y);  // which knows nothing of couples()
  K.apply(x, z);
  EXPECT_LE(largest_difference(y.host(), z.host()), 1e-13 * largest(y.host()));
}

// Loads and matrices of one field join by the operator of that field: what they add is what it computes alone.
TEST(FieldsOperator, FormsOfOneFieldAddWhatTheyAreAlone) {
  const Mesh mesh = patch(CellKind::hex8, {.count = 2, .random = 0.1});
  const Device device = device_under_test();
  const MixedFormValue form = Stokes<3>{0.7};
  const Spaces spaces = spaces_of(form, mesh, device);
  const std::vector<Integral> velocity{Integral::over_all_cells(FormValue(Mass<3, 3>{2.5})),
                                       Integral::over(facet_load(3, std::array{1.0, 2.0, 3.0}), mesh.region("x1"))};
  const std::vector<Integral> pressure{Integral::over_all_cells(FormValue(Mass<1, 3>{-0.1}))};
  const FieldsOperator flow(spaces, {MixedIntegral::over_all_cells(form)});
  const FieldsOperator both(spaces, {MixedIntegral::over_all_cells(form)},
                            {velocity[0], pressure[0].of_field(1), velocity[1]});
  EXPECT_TRUE(both.facts().symmetric);
  EXPECT_TRUE(both.facts().linear);
  const Vector u = random_vector(both, 1);
  Vector r = both.zeros(), s = both.zeros(), y = both.zeros();
  both.residual(u, r);
  flow.residual(u, s);
  axpy(-1, s, r);
  for (int k = 0; k < 2; ++k) {
    const Operator alone(spaces[static_cast<std::size_t>(k)], k == 0 ? velocity : pressure);
    Vector expected = spaces[static_cast<std::size_t>(k)].zeros();
    alone.residual(both.layout().part(u, k), expected);
    EXPECT_LE(largest_difference(both.layout().part(r, k).host(), expected.host()), 1e-13 * largest(s.host()));
  }
  BlockOperator K = both.make_matrix();
  ASSERT_NE(K.square(1), nullptr);  // by the form of the pressure alone
  EXPECT_EQ(flow.make_matrix().square(1), nullptr);
  both.assemble({}, K);
  both.action({}, u, y);
  K.apply(u, s);
  EXPECT_LE(largest_difference(y.host(), s.host()), 1e-12 * largest(y.host()));
}

// On every order, a velocity field that is linear and a pressure that is constant leave forces on the surface only.
TEST(FieldsOperator, UniformStressOfAFluidIsBalancedInside) {
  const Device device = device_under_test();
  for (const int raise : {0, 1}) {
    const Mesh mesh = rectangle(4, 4, {1, 1}, CellKind::quad4, {.random = 0.1});
    const MixedFormValue form = Stokes<2>{2};
    const Spaces spaces = spaces_of(form, mesh, device, raise);
    EXPECT_EQ(spaces[0].order(), 2 + raise);
    EXPECT_EQ(spaces[1].order(), 1 + raise);
    const FieldsOperator flow(spaces, {MixedIntegral::over_all_cells(form)});
    std::vector<double> u(static_cast<std::size_t>(flow.layout().total()), 3.0);
    for (Node n = 0; n < spaces[0].node_count(); ++n) {
      const Point x = spaces[0].point(n);
      u[static_cast<std::size_t>(2 * n)] = 0.3 * x[0] + 0.2 * x[1];
      u[static_cast<std::size_t>(2 * n + 1)] = 0.5 * x[0] - 0.3 * x[1];
    }
    Vector r = flow.zeros();
    flow.residual(Vector(device, std::span<const double>(u), "vectors"), r);
    const std::vector<double> residual = r.host();
    const auto inside = [](double x) { return x > 1e-9 && x < 1 - 1e-9; };
    for (Node n = 0; n < spaces[0].node_count(); ++n) {
      const Point x = spaces[0].point(n);
      if (!inside(x[0]) || !inside(x[1])) continue;
      EXPECT_NEAR(residual[static_cast<std::size_t>(2 * n)], 0, 1e-13);
      EXPECT_NEAR(residual[static_cast<std::size_t>(2 * n + 1)], 0, 1e-13);
    }
    const std::vector<double> divergence = flow.layout().part(r, 1).host();
    EXPECT_LE(largest(divergence), 1e-14);  // 0.3 - 0.3
  }
}

TEST(FieldsOperator, RegionsAddUpToTheWhole) {
  const Mesh mesh = patch(CellKind::tet4, {.count = 2, .random = 0.1});
  const MixedFormValue form = everything(3);
  const Spaces spaces = spaces_of(form, mesh, device_under_test());
  MixedIntegral first{form, false, {}}, second{form, false, {}};
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) (cell % 3 == 0 ? first : second).cells.push_back(cell);
  second.factor = 2;
  const FieldsOperator whole(spaces, {MixedIntegral::over_all_cells(form)}), parts(spaces, {first, second, first});
  const Vector u = random_vector(whole, 1);
  Vector r = whole.zeros(), s = whole.zeros();
  whole.residual(u, r);
  parts.residual(u, s);
  axpy(-2, r, s);
  EXPECT_LE(largest(s.host()), 1e-12 * largest(r.host()));
}

TEST(FieldsConstraints, EliminateAsTheActionDoes) {
  const MixedModel m(patch(CellKind::quad4, {.count = 3}), Stokes<2>{1});
  FieldsConstraints fixed(m.equations.spaces());
  for (const int c : {0, 1}) fixed[0].prescribe(m.mesh.region("x0"), c, 2.0 + c, "inflow");
  fixed[1].prescribe(m.mesh.region("x1"), 0, 5.0, "outlet");
  fixed.finish();
  Vector u = m.equations.zeros();
  fixed.set_values(u);
  EXPECT_DOUBLE_EQ(max_abs(m.equations.layout().part(u, 0)), 3.0);
  EXPECT_DOUBLE_EQ(max_abs(m.equations.layout().part(u, 1)), 5.0);
  BlockOperator K = m.equations.make_matrix();
  m.equations.assemble({}, K);
  fixed.eliminate(K, 0.5);
  ASSERT_NE(K.square(1), nullptr);  // its pivots
  const Vector x = random_vector(m.equations, 3), none;
  Vector y = m.equations.zeros(), z = m.equations.zeros();
  K.apply(x, y);
  MixedAction(m.equations, fixed, none, 0.5).apply(x, z);
  EXPECT_LE(largest_difference(y.host(), z.host()), 1e-13 * largest(y.host()));
  const HostMatrix host = host_matrix(K);
  for (Index row = 0; row < host.rows(); ++row)  // symmetric, and the pivot alone in prescribed rows
    for (Index k = host.offsets[static_cast<std::size_t>(row)]; k < host.offsets[static_cast<std::size_t>(row) + 1];
         ++k)
      if (u.host()[static_cast<std::size_t>(row)] != 0) {
        EXPECT_EQ(host.values[static_cast<std::size_t>(k)],
                  host.columns[static_cast<std::size_t>(k)] == row ? 0.5 : 0.0);
      }
  m.equations.assemble({}, K);  // once more, as Newton's method does
  fixed.eliminate(K, 0.5);
  EXPECT_EQ(host_matrix(K).values, host.values);
}

TEST(FieldsOperator, SpacesOfTwoGeometriesAreAnError) {
  const Mesh mesh = patch(CellKind::tri3);
  const Device device = device_under_test();
  const MixedFormValue form = Stokes<2>{1};
  const auto v = FunctionSpace(mesh, 2, device, SpaceOptions{.order = 2});
  const auto p = FunctionSpace(mesh, 1, device);
  EXPECT_THROW(FieldsOperator({v, p}, {MixedIntegral::over_all_cells(form)}), Error);
}

TEST(FieldsOperator, FormsThatDoNotSuitTheSpacesAreErrors) {
  const Mesh mesh = patch(CellKind::tri3);
  const Device device = device_under_test();
  Spaces spaces = spaces_of(Stokes<2>{1}, mesh, device);
  EXPECT_THROW(FieldsOperator(spaces, {MixedIntegral::over_all_cells(Stokes<3>{1})}), Error);
  std::swap(spaces[0], spaces[1]);
  EXPECT_THROW(FieldsOperator(spaces, {MixedIntegral::over_all_cells(Stokes<2>{1})}), Error);
  EXPECT_THROW(MixedIntegral::over(Stokes<2>{1}, mesh.region("x0")), Error);
  EXPECT_THROW(FieldsOperator({}, {}), Error);
}

TEST(FieldsOperator, MatricesOfOtherSpacesAreErrors) {
  const MixedModel small(patch(CellKind::tri3), Stokes<2>{1}), large(patch(CellKind::tri3, {.count = 3}), Stokes<2>{1});
  BlockOperator K = small.equations.make_matrix();
  EXPECT_THROW(large.equations.assemble({}, K), Error);
  Vector u = small.equations.zeros(), r = large.equations.zeros();
  EXPECT_THROW(large.equations.residual(u, r), Error);
}

}  // namespace
}  // namespace ritz::test
