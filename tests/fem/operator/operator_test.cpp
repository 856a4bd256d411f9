// Refusals of an operator, and its results for empty and tiny input.
#include "fem/operator/evaluate.hpp"
#include "fem/operator/task_plans.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/test_forms.hpp"

#include <cmath>

namespace ritz::test {
namespace {

TEST(FormsOnASpace, MustSuitItsComponentsAndDimension) {
  const Mesh mesh = patch(CellKind::hex8);
  const FunctionSpace space(mesh, 3, Device::named("cpu", 1));
  EXPECT_THROW(Operator(space, {Integral::over_all_cells(heat_form(3))}), Error);
  EXPECT_THROW(Operator(space, {Integral::over_all_cells(elastic_form(2))}), Error);
}

TEST(FormsOverRegions, MustSuitTheirKind) {
  const Mesh mesh = patch(CellKind::hex8);
  EXPECT_THROW(Integral::over(heat_form(3), mesh.region("x0")), Error);
  EXPECT_THROW(Integral::over(facet_load(3, std::array{1.0}), mesh.region("all")), Error);
}

// Sizes are checked where vectors and matrices come in: kernels trust them.
TEST(Operator, RefusesVectorsOfAnotherSize) {
  const DiscreteProblem model(patch(CellKind::hex8), elastic_form(3));
  Vector good = model.space.zeros(), bad(model.space.device(), good.size() - 1, "vectors");
  SparseMatrix K = model.equations.make_matrix();
  EXPECT_THROW(model.equations.residual(bad, good), Error);
  EXPECT_THROW(model.equations.residual(good, bad), Error);
  EXPECT_THROW(model.equations.assemble(bad, K), Error);
  EXPECT_THROW(evaluate(model.equations, bad), Error);
}

TEST(Operator, RefusesMatricesOfAnotherSpace) {
  const DiscreteProblem model(patch(CellKind::hex8), elastic_form(3)), other(patch(CellKind::hex8), elastic_form(3)),
      heat(patch(CellKind::hex8), heat_form(3));
  SparseMatrix of_other = other.equations.make_matrix(), of_heat = heat.equations.make_matrix();
  EXPECT_THROW(model.equations.assemble(model.space.zeros(), of_other), Error);
  EXPECT_THROW(model.equations.assemble(model.space.zeros(), of_heat), Error);
}

TEST(Operator, WithoutIntegralsIsZero) {
  const DiscreteProblem model(patch(CellKind::tet4), 1, [](const Mesh&) { return std::vector<Integral>{}; });
  for (const double r : model.residual(random_values(static_cast<std::size_t>(model.space.unknown_count()))))
    EXPECT_EQ(r, 0);
  for (const double entry : model.matrix().values().host()) EXPECT_EQ(entry, 0);
  EXPECT_EQ(evaluate(model.equations, model.space.zeros()).components, 0);
}

TEST(Operator, OfLoadsAloneHasAZeroMatrix) {
  const DiscreteProblem model(patch(CellKind::tet4), volume_load(3, std::array{1.0}));
  for (const double entry : model.matrix().values().host()) EXPECT_EQ(entry, 0);
}

class NoWork : public OperatorOverRanks {
  void numbers_changed() override {}
  void bring_states(const ElementTerms&, PointStates&) override {}
  void states_were_set() override {}
  void reset_states() override {}
};

// Beside what ranks do, tasks of all cells find what they need.
TEST(DividedOperator, HasNoConnectivityUntilATaskNeedsIt) {
  for (const CellKind kind : {CellKind::hex8, CellKind::tet10}) {  // the map of straight ones has nodes of its own
    const DiscreteProblem model(patch(kind), elastic_form(3));
    const auto connectivity = [&] {
      const auto live = model.space.device().memory().statistics().live_by_tag;
      const auto found = live.find("connectivity");
      return found == live.end() ? 0 : found->second;
    };
    const std::vector<double> before = model.matrix().values().host(), diagonal = model.equations.diagonal({}).host();
    const Index whole = connectivity();
    EXPECT_GT(whole, 0);
    divide(model.equations, std::make_shared<NoWork>());
    EXPECT_EQ(connectivity(), 0);
    EXPECT_EQ(model.equations.diagonal({}).host(), diagonal);
    EXPECT_EQ(connectivity(), whole);
    EXPECT_EQ(model.matrix().values().host(), before);
  }
}

// Lanes without an element of their own repeat the last one: they compute finite numbers that are not read.
TEST(ElementGroups, RepeatTheLastElementInTheLastBatch) {
  const Mesh mesh = patch(CellKind::quad8, {.count = 3});
  const FunctionSpace space(mesh, 1, Device::named("cpu", 1));
  const std::vector<ElementGroup> groups = element_groups(space, {Integral::over_all_cells(heat_form(2))});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].element_count, 9);
  EXPECT_EQ(groups[0].batch_count(), 2);
  for (Index lane = 9; lane < 16; ++lane)
    for (int a = 0; a < 8; ++a) EXPECT_EQ(groups[0].node(lane, a), groups[0].node(8, a));
}

// A material per region: each cell's quantities come from its own form.
TEST(Operator, EvaluatesEveryCellWithItsOwnMaterial) {
  const auto halves = [](const FormValue& a, const FormValue& b) {
    return [=](const Mesh& mesh) {
      std::vector<Index> first, second;
      for (Index cell = 0; cell < mesh.cell_count(); ++cell)
        (cell < mesh.cell_count() / 2 ? first : second).push_back(cell);
      return std::vector{Integral{a, false, first, {}}, Integral{b, false, second, {}}};
    };
  };
  const DiscreteProblem model(patch(CellKind::quad4, {.count = 4}), 1, halves(Diffusion<2>{1}, Diffusion<2>{3}));
  const DerivedFields fields =
      evaluate(model.equations, model.space.from_mesh(model.values([](const Point& x, int) { return x[0]; })));
  for (std::size_t cell = 0; cell < 16; ++cell) EXPECT_NEAR(fields.at_cells[2 * cell], cell < 8 ? -1 : -3, 1e-13);

  const DiscreteProblem mixed(patch(CellKind::quad4, {.count = 4}), 1,
                              halves(Diffusion<2>{1}, test_form(SlopeDiffusion{3})));
  EXPECT_THROW(evaluate(mixed.equations, mixed.space.zeros()), Error);  // two quantities here, one there
}

TEST(UserForm, HasDerivedQuantitiesOfItsOwn) {
  const DiscreteProblem model(patch(CellKind::tri6), test_form(SlopeDiffusion{3}));
  const DerivedFields fields = evaluate(
      model.equations, model.space.from_mesh(model.values([](const Point& x, int) { return 3 * x[0] + 4 * x[1]; })));
  EXPECT_EQ(fields.components, 1);
  for (const double slope : fields.at_nodes) EXPECT_NEAR(slope, 5, 1e-12);
}

}  // namespace
}  // namespace ritz::test
