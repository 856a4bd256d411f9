// Tangents kept at quadrature points: what p-multigrid smooths with where the tangent depends on the unknown.
#include "fem/plugins/von_mises.hpp"
#include "fem/multigrid/space_transfer.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/matrix_free.hpp"
#include "fem/operator/operator_needs.hpp"
#include "fem/operator/linearisation.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <algorithm>
#include <cmath>

namespace ritz::test {
namespace {

const Device& tested() {
  static const Device device = device_under_test(2);
  return device;
}

// A curved patch at some u, or a plastic one behind an increment.
struct Strained {
  explicit Strained(CellKind kind, bool plastic = false)
      : mesh(patch(kind, {.count = 3, .random = 0.03, .curved = true})),
        space(mesh, 3, tested()),
        equations(space, {Integral::over_all_cells(form(plastic))}),
        u(space.zeros()),
        x(space.zeros()) {
    x.upload(random_values(static_cast<std::size_t>(x.size()), 3));
    std::vector<double> values = random_values(static_cast<std::size_t>(u.size()), 2);
    for (double& value : values) value *= 0.01;
    if (plastic) {
      u.upload(values);
      equations.states().commit(u);
      for (double& value : values) value *= 0.9;  // unloaded: elastic, where one without a past is plastic
    }
    u.upload(values);
  }
  static FormValue form(bool plastic) {
    if (plastic)
      return VonMisesPlasticity{
          .young = 200, .poisson = 0.3, .yield_stress = 0.25, .isotropic_hardening = 5, .kinematic_hardening = 15}
          .form();
    return test_form(FromEnergy<SofteningEnergy>{{1.3, 0.7}});
  }
  Mesh mesh;
  FunctionSpace space;
  Operator equations;
  Vector u, x;
};

Vector in_double(const Array<float>& x) {
  const std::vector<float> values = x.host();
  return Vector(tested(), std::span<const double>(std::vector<double>(values.begin(), values.end())), "test");
}
Array<float> in_single(const Vector& x) {
  const std::vector<double> values = x.host();
  return Array<float>(tested(), std::span<const float>(std::vector<float>(values.begin(), values.end())), "test");
}
double difference(const Vector& a, const Vector& b) {  // relative
  Vector d = a.size() > 0 ? Vector(tested(), a.size(), "test") : Vector();
  copy(a, d);
  axpy(-1.0, b, d);
  return max_abs(d) / max_abs(b);
}

class PointTangentsOn : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(Cells, PointTangentsOn,
                         ::testing::Values(CellKind::tet10, CellKind::hex20, CellKind::hex27, CellKind::prism15,
                                           CellKind::prism18, CellKind::pyramid13, CellKind::pyramid14),
                         kind_name);

TEST_P(PointTangentsOn, ActAsTheFormsButForRounding) {
  for (const bool plastic : {false, true}) {
    const Strained m(GetParam(), plastic);
    const PointTangents tangents = point_tangents(m.equations, m.u);
    ASSERT_GT(tangents.bytes(), 0);
    EXPECT_EQ(MemoryNeeds().bytes("point tangents", MemoryPool::block_size(tangents.bytes())).total(),
              OperatorNeeds(m.equations).point_tangents().total());
    Vector exact = m.space.zeros();
    m.equations.action(m.u, m.x, exact);
    Array<float> y(tested(), m.x.size(), "test");
    const Linearisation tangent(m.equations, m.u, &tangents);
    tangent.action(in_single(m.x), y);
    EXPECT_LT(difference(in_double(y), exact), 2e-5);
    EXPECT_GT(difference(in_double(y), exact), 1e-10) << "were they kept in double precision?";
    EXPECT_LT(difference(tangent.diagonal(), m.equations.diagonal(m.u)), 1e-6);
  }
}

// x . P^T K P x of the field of order 1 within this one, whatever has happened at the points: those of the coarser
// field know nothing of it.
TEST_P(PointTangentsOn, GiveTheGalerkinProductOfOrderOne) {
  for (const bool plastic : {false, true}) {
    const Strained m(GetParam(), plastic);
    const FunctionSpace coarse(m.mesh, 3, tested(), {.order = 1});
    const Operator coarser(coarse, m.equations.integrals());
    SparseMatrix A = coarser.make_matrix();
    const PointTangents tangents = point_tangents(m.equations, m.u);
    Linearisation(coarser, Vector(), &tangents).assemble(A);
    const SpaceTransfer<double> transfer(coarse, m.space);
    Vector x = coarse.zeros(), Ax = coarse.zeros(), sums = m.space.zeros(), fine = m.space.zeros(),
           Kx = m.space.zeros(), weighted = m.space.zeros(), back = coarse.zeros();
    x.upload(random_values(static_cast<std::size_t>(x.size()), 5));
    A.apply(x, Ax);
    const Vector weights(tested(), std::span<const double>(transfer.weights()), "test");
    transfer.sum_interpolated(x, sums);
    multiply(weights, sums, fine);
    m.equations.action(m.u, fine, Kx);
    multiply(weights, Kx, weighted);
    transfer.sum_transposed(weighted, back);
    EXPECT_LT(difference(Ax, back), 1e-5);
  }
}

TEST(PointTangents, AreThoseOfFormsThatDependOnTheUnknown) {
  const Mesh mesh = box(3, 3, 3, {1, 1, 1}, CellKind::tet10);
  const FunctionSpace space(mesh, 3, tested());
  const Operator linear(space, {Integral::over_all_cells(elastic_form(3))});
  EXPECT_EQ(point_tangents(linear, space.zeros()).parts.size(), 0u);
  EXPECT_EQ(OperatorNeeds(linear).point_tangents().total(), 0);
  EXPECT_TRUE(acts_quickly(linear));
}

// The multigrid of the tangent before serves on, and stays what it was.
TEST(PointTangents, StayUntilTheyAreRefreshed) {
  const Strained m(CellKind::tet10);
  Constraints fixed(m.space);
  fixed.finish();
  MatrixFree A(m.equations, fixed, m.space.zeros());
  const std::vector<double> diagonal = A.diagonal().host();
  A.move_to(m.u);
  Vector y = m.space.zeros(), exact = m.space.zeros();
  A.apply(m.x, y);
  m.equations.action(m.u, m.x, exact);
  EXPECT_EQ(y.host(), exact.host()) << "the operator has moved";
  EXPECT_EQ(A.diagonal().host(), diagonal) << "what preconditioners are made of has not";
  EXPECT_TRUE(A.state().empty());
  A.refresh();
  EXPECT_NE(A.diagonal().host(), diagonal);
  EXPECT_EQ(A.state().host(), m.u.host());
}

}  // namespace
}  // namespace ritz::test
