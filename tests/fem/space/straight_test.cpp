// Cells of order 2 whose nodes between corners stand where straight edges put them have the geometry of their corners.
#include "fem/operator/evaluate.hpp"
#include "tests/fem/models.hpp"

#include "mesh/point_algebra.hpp"

#include <algorithm>
#include <cmath>

namespace ritz::test {
namespace {

// A patch of straight cells with one node between corners moved by `shift` along x; `scale` stretches z.
MeshData with_a_node_moved(CellKind kind, double shift, double scale = 1) {
  const Mesh straight = patch(kind, {.count = 3, .random = 0.1});
  MeshData data{.dimension = straight.dimension(),
                .points = {straight.points().begin(), straight.points().end()},
                .blocks = {straight.blocks().begin(), straight.blocks().end()},
                .regions = {straight.regions().begin(), straight.regions().end()},
                .source = straight.source()};
  for (std::size_t i = 2; i < data.points.size(); i += 3) data.points[i] *= scale;
  const auto moved = static_cast<std::size_t>(
      straight.nodes_of(straight.cell_count() / 2)[static_cast<std::size_t>(traits(kind).corner_count)]);
  data.points[3 * moved] += shift;
  return data;
}

struct Counts {
  Index straight = 0, bent = 0;
};
Counts counts(const Mesh& mesh, int dimension) {
  const FunctionSpace space(mesh, 1, Device::named("cpu", 1));
  Counts result;
  for (const ElementGroup& group : element_groups(space, {Integral::over_all_cells(heat_form(dimension))}))
    (group.geometry->order == 1 ? result.straight : result.bent) += group.element_count;
  return result;
}

class StraightCells : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, StraightCells, ::testing::ValuesIn(cell_kinds(2)), kind_name);

TEST_P(StraightCells, StandApartFromBentOnes) {
  const Mesh straight(with_a_node_moved(kind(), 0)), rounded(with_a_node_moved(kind(), 1e-9)),
      one_bent(with_a_node_moved(kind(), 1e-3));
  EXPECT_EQ(counts(straight, dimension()).bent, 0);
  EXPECT_EQ(counts(rounded, dimension()).bent, 0) << "as a file with ten digits would have it";
  const auto moved = [&, nodes = one_bent.nodes_of(one_bent.cell_count() / 2)](Index cell) {
    return std::ranges::count(one_bent.nodes_of(cell), nodes[static_cast<std::size_t>(traits(kind()).corner_count)]) >
           0;
  };
  Index around = 0;
  for (Index cell = 0; cell < one_bent.cell_count(); ++cell) around += moved(cell);
  EXPECT_EQ(counts(one_bent, dimension()).bent, around);
  EXPECT_EQ(counts(one_bent, dimension()).straight, one_bent.cell_count() - around);
}

// In a flat cell a shift counts by what it does to strains, not beside the longest edge.
TEST_P(StraightCells, AreJudgedByTheirSmallestWidth) {
  if (dimension() < 3) return;
  EXPECT_EQ(counts(Mesh(with_a_node_moved(kind(), 1e-8)), 3).bent, 0);
  EXPECT_GT(counts(Mesh(with_a_node_moved(kind(), 1e-8, 1e-4)), 3).bent, 0);
}

// A shift just too large to be called straight changes residual, matrix, and stresses by as little as it is.
TEST_P(StraightCells, HaveTheResidualMatrixAndFluxOfBentOnesNextToThem) {
  const FormValue form = elastic_form(dimension());
  const DiscreteProblem straight(Mesh(with_a_node_moved(kind(), 0)), form),
      nearly(Mesh(with_a_node_moved(kind(), 1e-5)), form);
  ASSERT_GT(counts(nearly.mesh, dimension()).bent, 0);
  const std::vector<double> u =
      straight.values([](const Point& x, int i) { return x[0] * x[1] + (i + 1) * x[1] - x[2] * x[0]; });
  const auto expect_close = [](const std::vector<double>& a, const std::vector<double>& b, const char* what) {
    ASSERT_EQ(a.size(), b.size());
    double size = 0, difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      size = std::max(size, std::abs(a[i]));
      difference = std::max(difference, std::abs(a[i] - b[i]));
    }
    EXPECT_LT(difference, 5e-4 * size) << what;
    EXPECT_GT(difference, 0) << what;
  };
  expect_close(straight.residual(u), nearly.residual(u), "residual");
  expect_close(straight.matrix().values().host(), nearly.matrix().values().host(), "matrix");
  const Vector state = straight.space.from_mesh(u);
  expect_close(evaluate(straight.equations, state).at_cells,
               evaluate(nearly.equations, nearly.space.from_mesh(u)).at_cells, "stress");
  Vector y = nearly.space.zeros(), z = nearly.space.zeros();
  nearly.equations.action(Vector(), nearly.space.from_mesh(u), y);
  nearly.matrix().apply(nearly.space.from_mesh(u), z);
  const double rounding = 1000 * unit_roundoff * nearly.magnitude(u);
  const std::vector<double> acted = y.host(), multiplied = z.host();
  for (std::size_t i = 0; i < acted.size(); ++i)
    EXPECT_NEAR(acted[i], multiplied[i], rounding) << "straight and bent groups together";
}

}  // namespace
}  // namespace ritz::test
