// Multigrid over the meshes of which a mesh is the uniform refinement.
#include "fem/forms/diffusion.hpp"
#include "fem/multigrid/p_multigrid.hpp"
#include "fem/space/nested_nodes.hpp"
#include "mesh/refinement/refine.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"
#include "tests/fem/models.hpp"

namespace ritz::test::nested_levels_test {
namespace {

const Device& tested() {
  static const Device device = device_under_test(2);
  return device;
}

using Supports = std::vector<std::pair<std::string, int>>;
const Supports heat_supports = {{"x0", 0}, {"y1", 0}}, one_side = {{"x0", 0}},
               clamp = {{"x0", 0}, {"x0", 1}, {"x0", 2}}, rollers = {{"x0", 0}, {"y0", 1}, {"z0", 2}};

struct System {
  System(Mesh m, std::vector<Integral> integrals, int components, const Supports& supports)
      : mesh(std::move(m)),
        space(mesh, components, tested()),
        equations(space, std::move(integrals)),
        fixed(space),
        K(equations.make_matrix()) {
    for (const auto& [side, component] : supports) fixed.prescribe(mesh.region(side), component, 0, side);
    fixed.finish();
    assemble();
    b = space.zeros();
    fill_start_vector(b);
    fixed.set_zero(b);
  }
  System(Mesh m, FormValue form, const Supports& supports)
      : System(std::move(m), {Integral::over_all_cells(form)}, form.components, supports) {}

  void assemble() {
    equations.assemble(space.zeros(), K);
    K.eliminate(fixed.mask(), 1);
  }
  SmoothedAggregationOptions options(MultigridLevels levels) const {
    return {.coordinates = &space.coordinates(), .dimension = mesh.dimension(), .levels = levels, .nested = [this] {
              return nested_nodes(space);
            }};
  }
  SolveReport solve(MultigridLevels levels, Vector& x) const {
    const SmoothedAggregation cycle(K, options(levels));
    x.fill_zero();
    return ConjugateGradient{.relative = 1e-10, .max_iterations = 200}.solve(K, b, x, &cycle);
  }

  Mesh mesh;
  FunctionSpace space;
  Operator equations;
  Constraints fixed;
  SparseMatrix K;
  Vector b;
};

System random_inclusions(double factor) {
  Mesh mesh = box(12, 12, 12, {1, 1, 1}, CellKind::hex8);
  std::vector<Index> stiff, soft;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell)
    (cell * 2654435761u / 128 % 8 == 0 ? stiff : soft).push_back(cell);
  return System(std::move(mesh), {{Diffusion<3>{factor}, false, stiff, {}}, {Diffusion<3>{1.0}, false, soft, {}}}, 1,
                one_side);
}

TEST(NestedLevels, IterationsDoNotDependOnTheMesh) {
  const auto iterations = [](Mesh mesh, FormValue form, const Supports& supports) {
    const System s(std::move(mesh), form, supports);
    Vector x = s.space.zeros();
    const SolveReport report = s.solve(MultigridLevels::nested, x);
    EXPECT_TRUE(report.converged()) << summary(report);
    return report.iterations;
  };
  const Distortion bent{.smooth = 0.1};
  EXPECT_LE(iterations(box(32, 32, 32, {1, 1, 1}, CellKind::hex8, bent), heat_form(3), heat_supports),
            iterations(box(8, 8, 8, {1, 1, 1}, CellKind::hex8, bent), heat_form(3), heat_supports) + 3);
  EXPECT_LE(iterations(rectangle(128, 128, {1, 1}, CellKind::quad4, bent), heat_form(2), one_side),
            iterations(rectangle(32, 32, {1, 1}, CellKind::quad4, bent), heat_form(2), one_side) + 3);
  for (const Supports& supports : {clamp, rollers})
    EXPECT_LE(iterations(box(32, 16, 16, {2, 1, 1}, CellKind::hex8, bent), elastic_form(3), supports),
              iterations(box(8, 4, 4, {2, 1, 1}, CellKind::hex8, bent), elastic_form(3), supports) + 5);
  EXPECT_LE(iterations(rectangle(128, 64, {2, 1}, CellKind::quad4), elastic_form(2), {{"x0", 0}, {"x0", 1}}),
            iterations(rectangle(32, 16, {2, 1}, CellKind::quad4), elastic_form(2), {{"x0", 0}, {"x0", 1}}) + 5);
}

TEST(NestedLevels, AndAggregationFindTheSameSolution) {
  const System s(refine(refine(box(3, 2, 2, {3, 2, 2}, CellKind::hex8, {.smooth = 0.05}))), elastic_form(3), rollers);
  Vector x = s.space.zeros(), y = s.space.zeros();
  EXPECT_TRUE(s.solve(MultigridLevels::nested, x).converged());
  EXPECT_TRUE(s.solve(MultigridLevels::aggregation, y).converged());
  const double size = norm2(x);
  axpy(-1, y, x);
  EXPECT_LT(norm2(x), 1e-7 * size);
}

TEST(NestedLevels, AreTakenWithoutJumpsAndNotAcrossThem) {
  const auto taken = [](const System& s, MultigridLevels levels) {
    return SmoothedAggregation(s.K, s.options(levels)).nested_levels();
  };
  EXPECT_EQ(taken(random_inclusions(2), MultigridLevels::automatic), 1);
  EXPECT_EQ(taken(random_inclusions(1e4), MultigridLevels::automatic), 0);
  EXPECT_EQ(taken(random_inclusions(1e4), MultigridLevels::nested), 1);
  EXPECT_EQ(taken(random_inclusions(2), MultigridLevels::aggregation), 0);
}

// Fields of order 2 hold those of order 1 on the same cells.
struct LinearWithinQuadratic : CellTest {};

TEST_P(LinearWithinQuadratic, NodesAreMeansOfTheirParents) {
  const Mesh mesh = patch(kind(), {.count = dimension() == 3 ? 3 : 8});  // affine: places, too, are means
  const FunctionSpace space(mesh, 1, tested());
  const NestedLevels levels = nested_nodes(space);
  ASSERT_TRUE(levels != nullptr);
  const NestedNodes& corners = levels->levels.front();
  EXPECT_TRUE(corners.same_cells);
  EXPECT_EQ(corners.first.size(), static_cast<std::size_t>(space.node_count()) + 1);
  for (Node node = 0; node < space.node_count(); ++node) {
    const Index begin = corners.first[static_cast<std::size_t>(node)],
                end = corners.first[static_cast<std::size_t>(node) + 1];
    ASSERT_LT(begin, end);
    Point mean{0, 0, 0};
    for (Index k = begin; k < end; ++k) {
      const Point parent =
          space.point(corners.same[static_cast<std::size_t>(corners.parents[static_cast<std::size_t>(k)])]);
      for (std::size_t d = 0; d < 3; ++d) mean[d] += parent[d] / double(end - begin);
    }
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(mean[d], space.point(node)[d], 1e-14);
  }
}

TEST_P(LinearWithinQuadratic, TakesFewIterationsWhateverTheMaterials) {
  const Index n = dimension() == 3 ? 8 : 32;
  Mesh mesh = dimension() == 3 ? box(n, n, n, {1, 1, 1}, kind()) : rectangle(n, n, {1, 1}, kind());
  for (const double factor : {1.0, 1e6}) {
    std::vector<Index> stiff, soft;
    for (Index cell = 0; cell < mesh.cell_count(); ++cell)
      (cell * 2654435761u / 128 % 8 == 0 ? stiff : soft).push_back(cell);
    const FormValue hard = dimension() == 3 ? FormValue(Diffusion<3>{factor}) : FormValue(Diffusion<2>{factor});
    const System s(Mesh(mesh), {{hard, false, stiff, {}}, {heat_form(dimension()), false, soft, {}}}, 1, one_side);
    const SmoothedAggregation cycle(s.K, s.options(MultigridLevels::automatic));
    EXPECT_GE(cycle.nested_levels(), 1);
    Vector x = s.space.zeros();
    const SolveReport report = ConjugateGradient{.relative = 1e-8, .max_iterations = 200}.solve(s.K, s.b, x, &cycle);
    EXPECT_TRUE(report.converged()) << summary(report);
    EXPECT_LE(report.iterations, factor == 1 ? 15 : 40);
  }
}

INSTANTIATE_TEST_SUITE_P(NestedLevels, LinearWithinQuadratic, ::testing::ValuesIn(cell_kinds(2)), kind_name);

TEST(NestedLevels, OfQuadraticElasticityTakeFewerIterationsThanAggregation) {
  for (const CellKind kind : {CellKind::tet10, CellKind::hex20}) {
    const System s(box(12, 4, 4, {3, 1, 1}, kind), elastic_form(3), clamp);
    Vector x = s.space.zeros();
    const int aggregation = s.solve(MultigridLevels::aggregation, x).iterations,
              nested = s.solve(MultigridLevels::nested, x).iterations;
    EXPECT_LE(nested, aggregation * 3 / 4) << traits(kind).name;
  }
}

// Quadratic hexahedra with single stiff cells take the linear field on the same cells, but no coarser meshes.
TEST(NestedLevels, EndWithTheCellsWhereMaterialsJump) {
  const auto taken = [](double factor) {
    Mesh mesh = box(8, 8, 8, {1, 1, 1}, CellKind::hex27);
    std::vector<Index> stiff, soft;
    for (Index cell = 0; cell < mesh.cell_count(); ++cell)
      (cell * 2654435761u / 128 % 8 == 0 ? stiff : soft).push_back(cell);
    const System s(std::move(mesh), {{Diffusion<3>{factor}, false, stiff, {}}, {Diffusion<3>{1.0}, false, soft, {}}}, 1,
                   one_side);
    return SmoothedAggregation(s.K, s.options(MultigridLevels::automatic)).nested_levels();
  };
  EXPECT_EQ(taken(1), 2);
  EXPECT_EQ(taken(1e6), 1);
}

TEST(NestedLevels, OfTetrahedraAndTrianglesDoNotDependOnTheMesh) {
  for (const auto& [kind, order] :
       {std::pair{CellKind::tet4, 1}, {CellKind::tet10, 2}, {CellKind::tri3, 1}, {CellKind::tri6, 2}}) {
    const bool solid = traits(kind).dimension == 3;
    std::vector<int> iterations;
    for (const Index n : {solid ? 8 : 32, solid ? 24 / order : 128}) {
      const System s(
          solid ? box(n, n, n, {1, 1, 1}, kind, {.smooth = 0.05}) : rectangle(n, n, {1, 1}, kind, {.smooth = 0.05}),
          heat_form(solid ? 3 : 2), one_side);
      if (n > 32 || (solid && n > 8)) {
        EXPECT_GE(SmoothedAggregation(s.K, s.options(MultigridLevels::automatic)).nested_levels(), order == 2 ? 2 : 1);
      }
      Vector x = s.space.zeros();
      iterations.push_back(s.solve(MultigridLevels::automatic, x).iterations);
    }
    EXPECT_LE(iterations[1], iterations[0] + 6) << traits(kind).name;
  }
}

// Aggregates follow the strong couplings in flat cells. Order 2 keeps order 1 on its cells, unless couplings are
// hundreds of times the others.
TEST(NestedLevels, AreNotTakenInFlatCells) {
  const auto taken = [](CellKind kind, double height, FormValue form) {
    const System s(box(12, 12, 12, {1, 1, height}, kind), form, form.components == 1 ? one_side : clamp);
    return SmoothedAggregation(s.K, s.options(MultigridLevels::automatic)).nested_levels();
  };
  for (const CellKind kind : {CellKind::tet4, CellKind::hex8}) {
    EXPECT_EQ(taken(kind, 1, heat_form(3)), 1);
    EXPECT_EQ(taken(kind, 0.5, heat_form(3)), 1);
    EXPECT_EQ(taken(kind, 0.1, heat_form(3)), 0);
    EXPECT_GE(taken(kind, 1, elastic_form(3)), 1);
    EXPECT_EQ(taken(kind, 0.1, elastic_form(3)), 0);
  }
  EXPECT_EQ(taken(CellKind::tet10, 0.2, heat_form(3)), 1);
  EXPECT_EQ(taken(CellKind::hex20, 0.2, elastic_form(3)), 1);
  EXPECT_EQ(taken(CellKind::hex20, 0.02, elastic_form(3)), 0);
  EXPECT_EQ(taken(CellKind::tet10, 0.02, heat_form(3)), 0);
}

// Aggregates must ignore positive couplings: those of neighbouring nodes are half as large as those across a flat
// hexahedron.
TEST(Aggregation, TakesAboutAsManyIterationsForHeatInFlatCells) {
  for (const CellKind kind : {CellKind::tet4, CellKind::hex8, CellKind::hex27, CellKind::tet10})
    for (const double height : {0.1, 0.02}) {
      const System s(box(12, 12, 12, {1, 1, height}, kind), heat_form(3), heat_supports);
      Vector x = s.space.zeros();
      const SolveReport report = s.solve(MultigridLevels::aggregation, x);
      EXPECT_TRUE(report.converged() && report.iterations <= (kind == CellKind::tet10 ? 70 : 45))
          << traits(kind).name << " " << height << ": " << summary(report);
    }
  for (const CellKind kind : {CellKind::tri3, CellKind::quad4}) {
    const System s(rectangle(60, 60, {1, 0.02}, kind), heat_form(2), one_side);
    Vector x = s.space.zeros();
    const SolveReport report = s.solve(MultigridLevels::aggregation, x);
    EXPECT_TRUE(report.converged() && report.iterations <= 50) << traits(kind).name << ": " << summary(report);
  }
}

TEST(NestedLevels, NamedWhereThereAreNoneIsAnError) {
  for (Mesh& mesh :
       std::vector<Mesh>{box(7, 7, 7, {1, 1, 1}, CellKind::hex8), box(7, 7, 7, {1, 1, 1}, CellKind::tet4)}) {
    const System s(std::move(mesh), heat_form(3), one_side);
    EXPECT_THROW(SmoothedAggregation(s.K, s.options(MultigridLevels::nested)), Error);
    EXPECT_EQ(SmoothedAggregation(s.K, s.options(MultigridLevels::automatic)).nested_levels(), 0);
  }
}

TEST(NestedLevels, RefreshedAreThoseOfANewSetUp) {
  System s(box(12, 12, 12, {1, 1, 1}, CellKind::hex8, {.smooth = 0.1}), elastic_form(3), clamp);
  SmoothedAggregation cycle(s.K, s.options(MultigridLevels::nested));
  axpby(0, s.K.values(), 2.5, s.K.values());
  EXPECT_TRUE(cycle.refresh());
  const SmoothedAggregation fresh(s.K, s.options(MultigridLevels::nested));
  Vector x = s.space.zeros(), y = s.space.zeros();
  cycle.apply(s.b, x);
  fresh.apply(s.b, y);
  EXPECT_EQ(x.host(), y.host());
}

// Below order 1, too.
TEST(NestedLevels, IterationsOfHigherOrdersDoNotDependOnTheMesh) {
  for (const int order : {2, 4}) {
    std::vector<int> iterations;
    for (const Index n : {4, 16}) {
      const Mesh mesh = box(n, n, n, {1, 1, 1}, CellKind::hex8, {.smooth = 0.1});
      const FunctionSpace space(mesh, 1, tested(), {.order = order});
      const Operator equations(space, {Integral::over_all_cells(heat_form(3))});
      Constraints fixed(space);
      fixed.prescribe(mesh.region("x0"), 0, 0, "x0");
      fixed.finish();
      Vector u = space.zeros(), b = space.zeros(), x = space.zeros();
      fill_start_vector(b);
      fixed.set_zero(b);
      const MatrixFree A(equations, fixed, u);
      const PMultigrid cycle(A);
      const SolveReport report = ConjugateGradient{.relative = 1e-8}.solve(A, b, x, &cycle);
      EXPECT_TRUE(report.converged()) << summary(report);
      iterations.push_back(report.iterations);
    }
    EXPECT_LE(iterations[1], iterations[0] + 2) << "order " << order;
    EXPECT_LE(iterations[1], 10) << "order " << order;
  }
}

}  // namespace
}  // namespace ritz::test::nested_levels_test
