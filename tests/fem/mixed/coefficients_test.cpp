// Coefficients of forms of several fields: numbers, functions of the position and the time, and fields of another mesh.
#include "device/error.hpp"
#include "fem/forms/mixed_poisson.hpp"
#include "fem/forms/stokes.hpp"
#include "fem/forms/loads.hpp"
#include "fem/space/fields_constraints.hpp"
#include "fem/physics/mesh_field.hpp"
#include "fem/results/field_norms.hpp"
#include "fem/results/vector_field.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "tests/fem/models.hpp"

#include <cmath>

namespace ritz::test {
namespace {

PointFunction of(const std::function<double(const Point&)>& f) {
  return [f](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = f({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
  };
}

MixedFormValue stokes(int dimension, const PointFunction& viscosity) {
  return dimension == 3 ? MixedFormValue(Stokes<3>{}, {viscosity}) : MixedFormValue(Stokes<2>{}, {viscosity});
}
FieldsOperator equations_on(const Mesh& mesh, const MixedFormValue& form, std::vector<Integral> of_fields = {}) {
  return {spaces_of(form, mesh, device_under_test(2)), {MixedIntegral::over_all_cells(form)}, std::move(of_fields)};
}

Vector random_vector(const FieldsOperator& equations) {
  const auto values = random_values(static_cast<std::size_t>(equations.layout().total()), 1);
  return Vector(equations.device(), std::span<const double>(values), "vectors");
}
Vector residual(const FieldsOperator& equations, const Vector& u) {
  Vector r = equations.zeros();
  equations.residual(u, r);
  return r;
}
double difference(const Vector& a, const Vector& b) {
  Vector rest(a.device(), b.host(), "vectors");
  axpy(-1, a, rest);
  return max_abs(rest);
}

class MixedCoefficients : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, MixedCoefficients, ::testing::ValuesIn(cell_kinds(1)), kind_name);

TEST_P(MixedCoefficients, ANumberAndTheSameValueAsAFunctionHaveEqualBits) {
  const Mesh mesh = patch(kind(), {.count = 3, .random = 0.1});
  const MixedFormValue number = dimension() == 3 ? MixedFormValue(Stokes<3>{0.3}) : Stokes<2>{0.3};
  const PointFunction function = of([](const Point&) { return 0.3; });
  const FieldsOperator a = equations_on(mesh, number), b = equations_on(mesh, stokes(dimension(), function));
  const Vector u = random_vector(a);
  const Vector r = residual(a, u);
  EXPECT_EQ(residual(b, u).host(), r.host());
  const auto product = [&](const FieldsOperator& equations) {
    BlockOperator K = equations.make_matrix();
    equations.assemble({}, K);
    Vector y = equations.zeros();
    K.apply(u, y);
    return y;
  };
  const Vector y = product(a);
  EXPECT_EQ(product(b).host(), y.host());
  EXPECT_LE(difference(y, r), 1e-13 * max_abs(r));
}

TEST_P(MixedCoefficients, FollowTheTimeAndNewNumbers) {
  const Mesh mesh = patch(kind());
  const PointFunction ramp = [](std::span<const double> x, double t, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 + t * x[3 * i];
  };
  FieldsOperator a = equations_on(mesh, stokes(dimension(), ramp));
  FieldsOperator b = equations_on(mesh, stokes(dimension(), of([](const Point& x) { return 1 + 3 * x[0]; })));
  const Vector u = random_vector(a), before = residual(a, u), expected = residual(b, u);
  EXPECT_GT(difference(before, expected), 0.01 * max_abs(expected));
  a.inputs().set_time({.t = 3, .dt = 1});
  EXPECT_EQ(residual(a, u).host(), expected.host());
  b.inputs().set_numbers({stokes(dimension(), constant(1))});
  EXPECT_EQ(residual(b, u).host(), before.host());
}

// Between plates that move, a fluid of viscosity 1 / (1 + 2 y) has the velocity y + y^2 for a shear stress of 1: in the
// space of velocities.
TEST_P(MixedCoefficients, ShearFlowOfAViscosityThatVariesIsExact) {
  const Mesh mesh = patch(kind(), {.count = 2, .affine = false});
  FieldsOperator equations =
      equations_on(mesh, stokes(dimension(), of([](const Point& x) { return 1 / (1 + 2 * x[1]); })));
  FieldsConstraints fixed(equations.spaces());
  const Region surface{"surface", RegionKind::facets, {}, boundary_facets(mesh), {}};
  const PointFunction v = of([](const Point& x) { return x[1] + x[1] * x[1]; });
  fixed[0].prescribe(surface, 0, v, "walls");
  for (int c = 1; c < dimension(); ++c) fixed[0].prescribe(surface, c, 0.0, "walls");
  const std::array<Node, 1> anywhere{0};
  fixed[1].prescribe_nodes(anywhere, 0, 0.0, "level of the pressure");
  fixed.finish();
  Vector u = equations.zeros(), du = equations.zeros();
  fixed.set_values(u);
  Vector r = residual(equations, u);
  fixed.set_zero(r);
  BlockOperator K = equations.make_matrix();
  equations.assemble(u, K);
  fixed.eliminate(K, 1);
  const SparseMatrix A = sparse_matrix(equations.device(), host_matrix(K));
  DirectSolver solver(A, DirectSolver::Kind::symmetric);
  ASSERT_TRUE(solver.solve(r, du).converged());
  axpy(-1, du, u);
  std::vector<PointFunction> exact(static_cast<std::size_t>(dimension()), constant(0));
  exact[0] = v;
  EXPECT_LE(l2_error(equations.space(0), equations.layout().part(u, 0), exact), 1e-11);
}

// -div(k grad p) = 1 between p = 0 at x = 0 and 1, k = 1 and 5 in the halves: q = x - c, of which q / k has no
// integral.
TEST(MixedCoefficientsOfAnotherMesh, LayersOfTwoPermeabilitiesHaveTheirFlux) {
  const Mesh mesh = rectangle(6, 4, {1, 1}, CellKind::quad4);
  const Mesh layers(rectangle_data(2, 1, {1, 1}, CellKind::quad4));
  const Coefficient permeability = mesh_field(layers, {1.0, 5.0});
  const MixedFormValue form(MixedPoisson<2>{}, {permeability.function()});
  const FormValue source(Load<1, 2, 0>{}, {constant(-1)});
  const FieldsOperator equations = equations_on(mesh, form, {Integral::over_all_cells(source).of_field(1)});
  FieldsConstraints fixed(equations.spaces());
  for (const char* side : {"y0", "y1"}) fixed[0].prescribe(mesh.region(side), 0, 0.0, side);
  fixed.finish();
  Vector u = equations.zeros(), du = equations.zeros();
  Vector r = residual(equations, u);
  fixed.set_zero(r);
  BlockOperator K = equations.make_matrix();
  equations.assemble({}, K);
  fixed.eliminate(K, 1);
  const SparseMatrix A = sparse_matrix(equations.device(), host_matrix(K));
  DirectSolver solver(A, DirectSolver::Kind::symmetric);
  ASSERT_TRUE(solver.solve(r, du).converged());
  axpy(-1, du, u);
  const double c = (0.125 + 0.375 / 5) / (0.5 + 0.5 / 5);
  EXPECT_LE(VectorField(equations, 0, u).l2_error({of([c](const Point& x) { return x[0] - c; }), constant(0)}), 1e-12);
}

TEST(MixedCoefficientsThatAreMissing, AreAnError) {
  const Mesh mesh = patch(CellKind::tri3);
  const MixedFormValue twice(Stokes<2>{}, {constant(1), constant(1)});
  EXPECT_THROW(equations_on(mesh, twice), Error);
  FieldsOperator equations = equations_on(mesh, stokes(2, constant(1)));
  EXPECT_THROW(equations.inputs().set_numbers({twice}), Error);
  EXPECT_THROW(equations.inputs().set_numbers({MixedPoisson<2>{}}), Error);
  EXPECT_THROW(equations.inputs().set_numbers(std::vector<MixedFormValue>()), Error);
  residual(equations, equations.zeros());  // the number has its place
  EXPECT_THROW(equations.inputs().set_numbers({stokes(2, PointExpression::x())}), Error);
}

}  // namespace
}  // namespace ritz::test
