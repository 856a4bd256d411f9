// Which systems are solved without a matrix when nobody asks, and that the answer is the same.
#include "fem/matrix_free_solver.hpp"
#include "fem/static_solution.hpp"

#include "models.hpp"
#include "solvers/vectors.hpp"

#include <vector>

namespace ritz::test {
namespace {

// An elastic or warm box of n^3 bricks of this kind, held at x0.
struct Block {
  Block(CellKind kind, Index n, int components) : mesh(box(n, n, n, {1, 1, 1}, kind)), space(mesh, components, Device::named("cpu", 2)), equations(space, parts(components)) {}

  std::vector<Integral> parts(int components) const {
    if (components == 1) return {Integral::over_all_cells(Diffusion<3>{.conductivity = 2}), Integral::over_all_cells(volume_load(3, std::vector<double>{1.0}))};
    return {Integral::over_all_cells(elastic_form(3)), Integral::over_all_cells(volume_load(3, std::vector<double>{0.0, 0.0, -1.0}))};
  }
  Constraints held() const {
    Constraints fixed(space);
    for (int c = 0; c < space.components(); ++c) fixed.prescribe(mesh.region("x0"), c, 0, "test");
    fixed.finish();
    return fixed;
  }

  Mesh mesh;
  FunctionSpace space;
  Operator equations;
};

TEST(NeedsNoMatrix, VectorsOnQuadraticCellsOfASolidOnce) {
  const Block tets(CellKind::tet10, 12, 3), bricks(CellKind::hex20, 14, 3);
  for (const Block* block : {&tets, &bricks}) {
    ASSERT_GE(block->space.unknown_count(), 30000);
    EXPECT_TRUE(needs_no_matrix(block->equations, false));
    EXPECT_FALSE(needs_no_matrix(block->equations, true));
    EXPECT_TRUE(without_matrix(block->equations, {}));
    EXPECT_FALSE(without_matrix(block->equations, {.one_of_many = true}));
    EXPECT_FALSE(without_matrix(block->equations, {.preconditioner = PreconditionerKind::multigrid})) << "that of a matrix was named";
    EXPECT_FALSE(without_matrix(block->equations, {.method = LinearMethod::direct}));
    EXPECT_FALSE(without_matrix(block->equations, {.operator_kind = OperatorKind::matrix}));
  }
}

TEST(NeedsNoMatrix, NotWhatIsSmallLinearOrScalar) {
  EXPECT_FALSE(needs_no_matrix(Block(CellKind::tet10, 6, 3).equations, false));
  EXPECT_FALSE(needs_no_matrix(Block(CellKind::tet4, 24, 3).equations, false));
  EXPECT_FALSE(needs_no_matrix(Block(CellKind::tet10, 17, 1).equations, false));
}

TEST(NeedsNoMatrix, AndTheSolutionIsThatOfTheMatrix) {
  const Block block(CellKind::tet10, 12, 3);
  const Constraints fixed = block.held();
  const LinearSolverOptions options{.relative = 1e-10, .promise = MatrixPromise::positive_definite};
  LinearSolverOptions assembled = options;
  assembled.operator_kind = OperatorKind::matrix;
  const StaticSolution without = solve_static(block.equations, fixed, options), with = solve_static(block.equations, fixed, assembled);
  EXPECT_EQ(without.report.choice, "elements of order 2 need no matrix");
  EXPECT_NE(with.report.choice, without.report.choice);
  EXPECT_LT(without.report.iterations, 40);
  Vector difference(block.space.device(), with.u.size(), "test");
  copy(with.u, difference);
  axpy(-1.0, without.u, difference);
  EXPECT_LT(norm2(difference), 1e-7 * norm2(with.u));
  EXPECT_GT(without.report.error_estimate, 0);
  EXPECT_LT(without.report.error_estimate, 1e-8);
}

}  // namespace
}  // namespace ritz::test
