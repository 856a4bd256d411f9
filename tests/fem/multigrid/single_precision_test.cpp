// Actions in single precision, of every form on every cell: what multigrid without a matrix smooths with.
#include "tests/fem/radial_return.hpp"
#include "fem/multigrid/p_multigrid.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/linearisation.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <algorithm>
#include <cmath>

namespace ritz::test::single_precision_test {
namespace {

const Device& tested() {
  static const Device device = device_under_test(2);
  return device;
}

struct SingleAction {
  SingleAction(Mesh m, const FormValue& form, int order = 0)
      : mesh(std::move(m)),
        space(mesh, form.components, tested(), {.order = order}),
        equations(space, {Integral::over_all_cells(form)}),
        u(space.zeros()),
        x(space.zeros()) {
    x.upload(random_values(static_cast<std::size_t>(x.size()), 3));
  }
  // Largest difference of the two precisions' results, relative to the largest number.
  double difference() const {
    Vector y = space.zeros();
    equations.action(u, x, y);
    const std::vector<double> host = x.host(), exact = y.host();
    const std::vector<float> rounded(host.begin(), host.end());
    const Array<float> single_x(tested(), std::span<const float>(rounded), "test");
    Array<float> single_y(tested(), x.size(), "test");
    Linearisation(equations, u).action(single_x, single_y);
    const std::vector<float> found = single_y.host();
    double most = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) most = std::max(most, std::abs(exact[i] - double(found[i])));
    return most / max_abs(y);
  }
  Mesh mesh;
  FunctionSpace space;
  Operator equations;
  Vector u, x;
};

class SinglePrecision : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, SinglePrecision, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(SinglePrecision, IsThatOfDoubleButForRounding) {
  for (const int order : {0, 2})
    for (const auto& [name, form, rigid] : forms_on(dimension())) {
      const SingleAction m(patch(kind(), {.count = 3, .random = 0.03, .curved = true}), form, order);
      ASSERT_TRUE(can_act_in_single(m.equations)) << name;
      const double difference = m.difference();
      EXPECT_LT(difference, 2e-5) << name << ", order " << order;
      EXPECT_GT(difference, 1e-10) << name << ", order " << order << ": was it computed in double precision?";
    }
}

TEST_P(SinglePrecision, OfATangentThatDependsOnTheUnknown) {
  const FormValue form = dimension() == 3 ? test_form(NonlinearDiffusion<3>{1.3, 0.4, 0.2})
                                          : test_form(NonlinearDiffusion<2>{1.3, 0.4, 0.2});
  for (const int order : {0, 2}) {
    SingleAction m(patch(kind(), {.random = 0.03}), form, order);
    m.u.upload(random_values(static_cast<std::size_t>(m.u.size()), 2));
    EXPECT_LT(m.difference(), 2e-5) << "order " << order;
  }
}

// A kilometre from the origin a millimetre is the last digit of single precision.
TEST_P(SinglePrecision, DoesNotLoseSmallCellsFarFromTheOrigin) {
  MeshData data = single_cell(kind());
  for (std::size_t i = 0; i < data.points.size(); ++i)
    data.points[i] = 1e-3 * data.points[i] + (i % 3 < std::size_t(dimension()) ? 1000 : 0);
  EXPECT_LT(SingleAction(Mesh(std::move(data)), heat_form(dimension())).difference(), 2e-5);
}

TEST(SinglePrecisionActions, ReadThePointState) {
  const RadialReturn steel{
      .young = 200, .poisson = 0.3, .yield_stress = 0.25, .isotropic_hardening = 5, .kinematic_hardening = 15};
  SingleAction m(patch(CellKind::tet10, {.count = 2}), test_form(steel));
  Vector stretched = m.space.zeros();
  std::vector<double> values;
  for (Node n = 0; n < m.space.node_count(); ++n) {
    const Point p = m.space.point(n);
    values.insert(values.end(), {0.02 * p[0], -0.01 * p[1], -0.01 * p[2]});
  }
  stretched.upload(values);
  m.equations.states().commit(stretched);
  for (double& value : values) value *= 1.5;
  m.u.upload(values);
  const double after_yield = m.difference();
  EXPECT_LT(after_yield, 1e-4);
  Vector plastic = m.space.zeros(), elastic = m.space.zeros();
  m.equations.action(m.u, m.x, plastic);
  m.equations.states().reset();
  m.equations.action(m.space.zeros(), m.x, elastic);
  EXPECT_GT(std::abs(max_abs(plastic) - max_abs(elastic)), 0.1 * max_abs(elastic)) << "nothing yields here";
}

TEST(SinglePrecisionCycle, OnQuadraticCellsNeedsAsManyIterations) {
  for (const CellKind kind : {CellKind::tet10, CellKind::hex20, CellKind::hex27, CellKind::prism15, CellKind::prism18,
                              CellKind::pyramid13, CellKind::pyramid14}) {
    const DiscreteProblem m(box(6, 3, 3, {2, 1, 1}, kind), elastic_form(3));
    Constraints fixed(m.space);
    for (int c = 0; c < 3; ++c) fixed.prescribe(m.mesh.region("x0"), c, 0, "x0");
    fixed.finish();
    Vector u = m.space.zeros(), b = m.space.zeros();
    fill_start_vector(b);
    fixed.set_zero(b);
    const MatrixFree A(m.equations, fixed, u);
    std::vector<SolveReport> reports;
    for (const bool single : {false, true}) {
      const PMultigrid cycle(A, {.single_precision = single});
      EXPECT_EQ(cycle.name().ends_with("single precision"), single);
      Vector x = m.space.zeros();
      reports.push_back(ConjugateGradient{.relative = 1e-9, .max_iterations = 200}.solve(A, b, x, &cycle));
      EXPECT_TRUE(reports.back().converged()) << summary(reports.back());
    }
    EXPECT_NEAR(reports[0].iterations, reports[1].iterations, 1) << traits(kind).name;
  }
}

}  // namespace
}  // namespace ritz::test::single_precision_test
