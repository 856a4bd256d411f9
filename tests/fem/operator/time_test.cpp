// Loads, coefficients and forms that depend on time: what an operator evaluates again, and when.
#include "fem/forms/in_plane.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/loads.hpp"
#include "fem/operator/evaluate.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <gtest/gtest.h>

namespace ritz::test {
namespace {

const auto ramp = [](double x, double t) { return 5 * t * (1 + x); };
PointFunction ramped() {
  return [](std::span<const double> points, double t, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = ramp(points[3 * i], t);
  };
}
// The same number at one time, which is said once and for all; counts its calls.
PointFunction held_at(double t, int* calls = nullptr) {
  return [t, calls](std::span<const double> points, std::span<double> values) {
    if (calls != nullptr) ++*calls;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = ramp(points[3 * i], t);
  };
}

MakeIntegrals loads(const PointFunction& inside, const PointFunction& outside) {
  return [=](const Mesh& mesh) {
    return std::vector{Integral::over_all_cells({Load<1, 3, 0>{}, {inside}}),
                       Integral::over({Load<1, 3, 1>{}, {outside}}, mesh.region("x1"))};
  };
}

TEST(Operator, LoadsInTimeAreThoseOfTheMoment) {
  DiscreteProblem moving(patch(CellKind::tet10), 1, loads(ramped(), ramped()));
  const std::vector<double> u(static_cast<std::size_t>(moving.mesh.node_count()), 0.0);
  for (const double t : {0.0, 0.7, 0.3}) {
    moving.equations.inputs().set_time({.t = t});
    const DiscreteProblem held(patch(CellKind::tet10), 1, loads(held_at(t), held_at(t)));
    EXPECT_EQ(moving.residual(u), held.residual(u)) << "t = " << t;
  }
}

TEST(Operator, EvaluatesAnewWhatVariesInTimeAndNothingElse) {
  int calls = 0;
  DiscreteProblem model(patch(CellKind::hex8), 1, loads(ramped(), held_at(1, &calls)));
  const std::vector<double> u(static_cast<std::size_t>(model.mesh.node_count()), 0.0);
  const std::vector<double> before = model.residual(u);
  EXPECT_EQ(calls, 1);
  model.equations.inputs().set_time({.t = 2});
  EXPECT_NE(model.residual(u), before);
  EXPECT_EQ(calls, 1);
}

TEST(Operator, KnowsWhetherItsMatrixVariesInTime) {
  const auto diffusion = [](const PointFunction& k) { return Integral::over_all_cells({VaryingDiffusion<3>{}, {k}}); };
  const auto load = [](const PointFunction& q) { return Integral::over_all_cells({Load<1, 3, 0>{}, {q}}); };
  const Mesh mesh = patch(CellKind::tet4);
  const FunctionSpace space(mesh, 1, device_under_test());
  const Operator steady(space, {diffusion(held_at(1)), load(held_at(1))});
  EXPECT_FALSE(steady.facts().varies_in_time);
  const Operator loaded(space, {diffusion(held_at(1)), load(ramped())});
  EXPECT_TRUE(loaded.facts().varies_in_time);
  EXPECT_FALSE(loaded.facts().matrix_varies_in_time);
  EXPECT_TRUE(Operator(space, {diffusion(ramped()), load(held_at(1))}).facts().matrix_varies_in_time);
  EXPECT_TRUE(
      Operator(space, {Integral::over_all_cells(test_form(FromEnergy<AgeingEnergy>{}))}).facts().matrix_varies_in_time);
}

// (1 + t) (1 + dt) k at t = dt = 1 is 4 k: a power of two changes no digit, by whatever way the tangent is computed.
class Ageing : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(Cells, Ageing,
                         ::testing::Values(CellKind::quad4, CellKind::tri6, CellKind::tet4, CellKind::hex8,
                                           CellKind::hex20),
                         kind_name);

TEST_P(Ageing, ReachesFormsByEveryTask) {
  const bool solid = traits(GetParam()).dimension == 3;
  const FormValue form = solid ? test_form(FromEnergy<AgeingEnergy>{}) : test_form(PlaneStrain<AgeingEnergy>{});
  for (const bool curved : {false, true})
    for (const int order : {0, 2}) {
      const Mesh mesh = patch(GetParam(), {.random = 0.03, .curved = curved});
      const FunctionSpace space(mesh, 1, device_under_test(), {.order = order});
      Operator equations(space, {Integral::over_all_cells(form)});
      Vector u = space.zeros();
      u.upload(random_values(static_cast<std::size_t>(u.size())));
      const auto tasks = [&] {
        Vector r = space.zeros(), y = space.zeros();
        SparseMatrix K = equations.make_matrix();
        equations.residual(u, r);
        equations.action(u, u, y);
        equations.assemble(u, K);
        return std::vector{r.host(), y.host(), equations.diagonal(u).host(), K.values().host()};
      };
      std::vector<std::vector<double>> expected = tasks();
      for (std::vector<double>& each : expected)
        for (double& value : each) value *= 4;
      equations.inputs().set_time({.t = 1, .dt = 1});
      EXPECT_EQ(tasks(), expected);
    }
}

TEST(FormsWithAPast, SeeTheTimeInStatesAndResults) {
  DiscreteProblem model(rectangle(3, 3, {1, 1}, CellKind::quad4), test_form(AgeingWithPast{.conductivity = 3}));
  const Vector u = model.space.from_mesh(model.values([](const Point& x, int) { return 2 * x[0]; }));
  const SparseMatrix K = model.matrix(u);
  model.equations.inputs().set_time({.t = 1, .dt = 0.25});
  model.equations.states().commit(u);
  model.equations.inputs().set_time({.t = 3, .dt = 0.5});
  model.equations.states().commit(u);
  const DerivedFields fields = evaluate(model.equations, u);
  for (std::size_t node = 0; node < fields.at_nodes.size() / 2; ++node) {
    EXPECT_NEAR(fields.at_nodes[2 * node], 3 * (1 + 3) * 2, 1e-12);
    EXPECT_NEAR(fields.at_nodes[2 * node + 1], 0.25 * 2 + 0.5 * 2, 1e-13);
  }
  const std::vector<double> before = K.values().host(), now = model.matrix(u).values().host();
  for (std::size_t i = 0; i < now.size(); ++i) EXPECT_EQ(now[i], 4 * before[i]);
}

TEST(PointStates, SurviveOtherNumbersInTheForms) {
  DiscreteProblem model(rectangle(3, 3, {1, 1}, CellKind::quad4), test_form(AgeingWithPast{.conductivity = 3}));
  const Vector u = model.space.from_mesh(model.values([](const Point& x, int) { return 2 * x[0]; }));
  const PointStates::Values start = model.equations.states().values();
  model.equations.inputs().set_time({.t = 1, .dt = 0.25});
  model.equations.states().commit(u);
  const PointStates::Values kept = model.equations.states().values();
  EXPECT_NE(kept, start);
  ASSERT_TRUE(
      model.equations.inputs().set_numbers({Integral::over_all_cells(test_form(AgeingWithPast{.conductivity = 5}))}));
  EXPECT_EQ(model.equations.states().values(), kept);
  model.equations.states().reset();
  EXPECT_EQ(model.equations.states().values(), start);
}

}  // namespace
}  // namespace ritz::test
