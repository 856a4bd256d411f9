// The factor of an integral, by every engine. A factor of a quarter changes no digit of a number, so that all of these
// are exact; with three quarters the sum of two integrals is one of them, but for rounding.
#include "fem/elements/beam.hpp"
#include "fem/elements/loads.hpp"
#include "fem/elements/shell.hpp"
#include "fem/forms/mass.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/operator/abilities.hpp"
#include "fem/operator/evaluate.hpp"
#include "fem/operator/linearisation.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/fem/elements/structure.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/stateful_forms.hpp"
#include "tests/fem/test_forms.hpp"
#include "tests/mesh/curved.hpp"

#include <gtest/gtest.h>

namespace ritz::test::factor_test {
namespace {

using Numbers = std::vector<double>;

const Device& tested() {
  static const Device device = device_under_test(2);
  return device;
}

// All that a factor multiplies, at a random u in a random direction.
struct Results {
  Numbers residual, matrix, action, single_action, diagonal;
  bool operator==(const Results&) const = default;
};

Results times(double factor, Results results) {
  for (Numbers* each : {&results.residual, &results.matrix, &results.action, &results.single_action, &results.diagonal})
    for (double& value : *each) value *= factor;
  return results;
}

struct Random {
  Vector u, x;
  Array<float> single;
  explicit Random(const FunctionSpace& space) : u(space.zeros()), x(space.zeros()) {
    const Numbers values = random_values(static_cast<std::size_t>(u.size()), 2);
    u.upload(values);
    x.upload(random_values(static_cast<std::size_t>(u.size()), 3));
    const std::vector<float> rounded(values.begin(), values.end());
    single = Array<float>(tested(), std::span<const float>(rounded), "test");
  }
};

Numbers in_double(const Array<float>& x) {
  const std::vector<float> values = x.host();
  return Numbers(values.begin(), values.end());
}

Results results_of(const Operator& equations) {
  const Random at(equations.space());
  Results results;
  Vector r = equations.space().zeros(), y = equations.space().zeros();
  equations.residual(at.u, r);
  results.residual = r.host();
  equations.action(at.u, at.x, y);
  results.action = y.host();
  results.diagonal = equations.diagonal(at.u).host();
  if (can_assemble(equations)) {
    SparseMatrix K = equations.make_matrix();
    equations.assemble(at.u, K);
    results.matrix = K.values().host();
  }
  if (can_act_in_single(equations)) {
    Array<float> single(tested(), at.u.size(), "test");
    Linearisation(equations, at.u).action(at.single, single);
    results.single_action = in_double(single);
  }
  return results;
}

// Before the lists of the tasks are made and after, by set_factor and by the integral.
void expect_scaled(const FunctionSpace& space, Integral integral, const std::string& what) {
  Operator equations(space, {integral});
  const Results whole = results_of(equations), quarter = times(0.25, whole);
  EXPECT_NE(whole.residual, Numbers(whole.residual.size(), 0.0)) << what;
  equations.inputs().set_factor(0, 0.25);
  EXPECT_TRUE(results_of(equations) == quarter) << what;
  integral.factor = 0.25;
  EXPECT_TRUE(results_of(Operator(space, {integral})) == quarter) << what << ", from the start";
  equations.inputs().set_factor(0, 1);
  EXPECT_TRUE(results_of(equations) == whole) << what << ", and back";
}

class Factor : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, Factor, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(Factor, MultipliesAllThatAFormGives) {
  const int count = takes_small_sizes(tested()) ? 1 : 2;
  for (const int order : {0, 2})
    for (const auto& [name, form, rigid] : forms_on(dimension())) {
      const Mesh mesh = patch(kind(), {.count = count, .random = 0.03, .curved = true});
      const FunctionSpace space(mesh, form.components, tested(), {.order = order});
      expect_scaled(space, Integral::over_all_cells(form), name);
    }
}

TEST_P(Factor, MultipliesTangentsThatDependOnTheUnknown) {
  const FormValue form = dimension() == 3 ? test_form(NonlinearDiffusion<3>{1.3, 0.4, 0.2})
                                          : test_form(NonlinearDiffusion<2>{1.3, 0.4, 0.2});
  const int count = takes_small_sizes(tested()) ? 1 : 2;
  for (const int order : {0, 2}) {
    const Mesh mesh = patch(kind(), {.count = count, .random = 0.03});
    expect_scaled(FunctionSpace(mesh, 1, tested(), {.order = order}), Integral::over_all_cells(form), "nonlinear");
  }
}

TEST_P(Factor, MultipliesWhatActsOnFacets) {
  const Mesh mesh = patch(kind(), {.random = 0.03});
  const FunctionSpace space(mesh, 1, tested());
  const FormValue convection = dimension() == 3 ? FormValue(Convection<3>{.coefficient = 3, .ambient = 20})
                                                : FormValue(Convection<2>{.coefficient = 3, .ambient = 20});
  expect_scaled(space, Integral::over(convection, mesh.region("x1")), "convection");
}

TEST(FactorOfTensors, MultipliesActionsOnCurvedCellsOfHigherOrder) {
  for (const CellKind kind : {CellKind::hex8, CellKind::quad4}) {
    const bool solid = kind == CellKind::hex8;
    const Mesh mesh(testing::under_map(patch(kind, {.count = 1}), 3, testing::sheared));
    for (const int order : {3, 4, 5}) {
      if ((order > 3 && takes_small_sizes(tested())) || (order > 4 && !solid)) continue;
      const FunctionSpace space(mesh, solid ? 3 : 2, tested(), {.order = order});
      const FormValue form = elastic_form(solid ? 3 : 2);
      ASSERT_TRUE(sum_factorised(Operator(space, {Integral::over_all_cells(form)})));
      expect_scaled(space, Integral::over_all_cells(form), "order " + std::to_string(order));
    }
  }
}

TEST(FactorOfWholeElements, MultipliesEachWayToWriteOne) {
  const auto made = [](auto element) {
    FormValue value = element;
    value.module = "ritz_test_forms";
    return value;
  };
  const Mesh lines = line_mesh({0, 0, 0}, {2, 1, 2}, 11);
  const FunctionSpace three(lines, 3, tested()), six(lines, 6, tested());
  for (const FunctionSpace* space : {&three, &six}) {  // with six unknowns the elements know three of them
    expect_scaled(*space, Integral::over_all_cells(made(PlasticByStrains{{200, 0.25, 5, 15}})), "strains");
    expect_scaled(*space, Integral::over_all_cells(made(PlasticLine<Way::energy>{200, 0.25, 5, 15})), "energy");
    expect_scaled(*space, Integral::over_all_cells(made(PlasticLine<Way::residual>{200, 0.25, 5, 15})), "residual");
  }
  const Beam beam{.young = 200, .poisson = 0.3, .area = 0.1, .inertia_y = 0.02, .inertia_z = 0.03, .torsion = 0.01};
  expect_scaled(six, Integral::over_all_cells(beam), "linear strains");
  const NodeLoad<6> load{.force = {1, 2, 3}, .moment = {4, 5, 6}};
  Operator loaded(six, {Integral::over_all_cells(beam), Integral::at_nodes(load, {3, 7})});
  Vector r = six.zeros();
  loaded.residual(six.zeros(), r);
  Numbers expected = r.host();
  for (double& value : expected) value *= 0.25;
  loaded.inputs().set_factor(1, 0.25);
  loaded.residual(six.zeros(), r);
  EXPECT_EQ(r.host(), expected);
}

TEST(FactorOfOneIntegral, LeavesTheOthersAlone) {
  const Mesh mesh = patch(CellKind::tet10, {.random = 0.03});
  const FunctionSpace space(mesh, 3, tested());
  const Integral stiffness = Integral::over_all_cells(elastic_form(3)), mass = Integral::over_all_cells(Mass<3, 3>{7});
  Operator both(space, {stiffness, mass});
  results_of(both);
  both.inputs().set_factor(1, 0.75);
  const Results sum = results_of(both), first = results_of(Operator(space, {stiffness})),
                second = results_of(Operator(space, {Integral::over_all_cells(Mass<3, 3>{0.75 * 7})}));
  const auto expect_sum = [](const Numbers& s, const Numbers& a, const Numbers& b) {
    double largest = 0;
    for (std::size_t i = 0; i < s.size(); ++i) largest = std::max(largest, std::abs(s[i]));
    for (std::size_t i = 0; i < s.size(); ++i) ASSERT_NEAR(s[i], a[i] + b[i], 1e-13 * largest);
  };
  expect_sum(sum.residual, first.residual, second.residual);
  expect_sum(sum.matrix, first.matrix, second.matrix);
  expect_sum(sum.action, first.action, second.action);
  expect_sum(sum.diagonal, first.diagonal, second.diagonal);
}

TEST(FactorOfTangentsAtPoints, MayChangeAfterThemAndCountsOnce) {
  for (const CellKind kind : {CellKind::tet10, CellKind::hex20}) {
    const int count = takes_small_sizes(tested()) ? 2 : 3;
    const Mesh mesh = patch(kind, {.count = count, .random = 0.03, .curved = true});
    const FunctionSpace space(mesh, 3, tested());
    Operator equations(space, {Integral::over_all_cells(test_form(FromEnergy<SofteningEnergy>{{1.3, 0.7}}))});
    const Random at(space);
    const auto results = [&](const PointTangents& tangents) {
      Array<float> y(tested(), at.u.size(), "test");
      const Linearisation tangent(equations, at.u, &tangents);
      tangent.action(at.single, y);
      SparseMatrix K = equations.make_matrix();
      tangent.assemble(K);
      return std::vector{in_double(y), tangent.diagonal().host(), K.values().host()};
    };
    const PointTangents kept = point_tangents(equations, at.u);
    std::vector<Numbers> expected = results(kept);
    for (Numbers& each : expected)
      for (double& value : each) value *= 0.25;
    equations.inputs().set_factor(0, 0.25);
    EXPECT_EQ(results(kept), expected);
    EXPECT_EQ(results(point_tangents(equations, at.u)), expected);
  }
}

TEST(Factor, LeavesResultsAndPointStatesAlone) {
  const Mesh mesh = rectangle(3, 3, {1, 1}, CellKind::quad8);
  const FunctionSpace space(mesh, 1, tested());
  Operator equations(space, {Integral::over_all_cells(test_form(AgeingWithPast{.conductivity = 3}))});
  const Random at(space);
  equations.inputs().set_time({.t = 1, .dt = 0.5});
  equations.states().commit(at.u);
  const PointStates::Values state = equations.states().values();
  const DerivedFields fields = evaluate(equations, at.u);
  equations.states().reset();
  equations.inputs().set_factor(0, 3);
  equations.states().commit(at.u);
  EXPECT_EQ(equations.states().values(), state);
  EXPECT_EQ(evaluate(equations, at.u).at_nodes, fields.at_nodes);
}

TEST(Factor, IsTakenFromIntegralsWithOtherNumbers) {
  const Mesh mesh = patch(CellKind::tet4);
  const FunctionSpace space(mesh, 1, tested());
  Integral halved = Integral::over_all_cells(Diffusion<3>{4});
  halved.factor = 0.5;
  Operator equations(space, {Integral::over_all_cells(Diffusion<3>{1})});
  results_of(equations);
  ASSERT_TRUE(equations.inputs().set_numbers({halved}));
  EXPECT_TRUE(results_of(equations) == results_of(Operator(space, {Integral::over_all_cells(Diffusion<3>{2})})));
}

}  // namespace
}  // namespace ritz::test::factor_test
