// Multigrid of a matrix whose rows are divided among ranks.
#include "solvers/algebra/block_rows.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "tests/device/back_ends.hpp"
#include "tests/solvers/multigrid/models.hpp"
#include "tests/solvers/thread_ranks.hpp"

#include <gtest/gtest.h>

namespace ritz::testing {
namespace {

struct Solution {
  std::vector<double> x;  // of owned nodes
  int iterations = 0, levels = 0, divided = 0;
};

Solution solve(const LinearOperator& A, const Vector& b, const SmoothedAggregation& multigrid) {
  Vector x(b.device(), b.size(), "vectors");
  x.fill_zero();
  const SolveReport report = ConjugateGradient{.relative = 1e-9}.solve(A, b, x, &multigrid);
  EXPECT_TRUE(report.converged()) << summary(report);
  return {x.host(), report.iterations, static_cast<int>(multigrid.levels().size()), multigrid.divided_levels()};
}

// Numbers of the nodes from `first` to below `last`, and of the ghosts.
Vector part_of(const Vector& all, Index first, Index last, const Ghosts& ghosts, int width, const Device& device) {
  const std::vector<double> numbers = all.host();
  std::vector<double> part(numbers.begin() + first * width, numbers.begin() + last * width);
  for (const Index node : ghosts.reached())
    part.insert(part.end(), numbers.begin() + node * width, numbers.begin() + (node + 1) * width);
  return Vector(device, std::span<const double>(part), "vectors");
}

Solution solve_over(Ranks& ranks, const System& s, Index replicated, const Vector* near_null = nullptr) {
  const Device device = ranks.among_all(Device::named(s.K->device().info().backend == "v4" ? "cpu:v4" : "cpu:v3", 1));
  const Index nodes = s.space->node_count(), first = nodes * ranks.rank() / ranks.count(),
              last = nodes * (ranks.rank() + 1) / ranks.count();
  const auto A = divided_matrix(ranks, device, RowsOfMatrix(*s.K).range(first, last));
  const int dimension = s.mesh->dimension();
  const Vector coordinates = part_of(s.space->coordinates(), first, last, A->ghosts(), dimension, device);
  const Ghosts none(ranks, last - first, {});
  const Vector b = part_of(s.b, first, last, none, A->block_size(), device);
  SmoothedAggregationOptions options{
      .coordinates = &coordinates, .dimension = dimension, .coarsest_size = 60, .replicated = replicated};
  Vector given;
  if (near_null != nullptr) {
    options.near_null_count = static_cast<int>(near_null->size() / s.b.size());
    given = part_of(*near_null, first, last, none, A->block_size() * options.near_null_count, device);
    options.near_null = &given;
  }
  const SmoothedAggregation multigrid(*A, options);
  EXPECT_NE(multigrid.name().find("divided among ranks"), std::string::npos);
  return solve(*A, b, multigrid);
}

TEST(MultigridOverRanks, TakesTheIterationsOfOneProcessAndFindsItsSolution) {
  const Device device = Device::named("cpu", 1);
  for (const System& s : {heat_cube(CellKind::hex8, 10, device), cantilever(CellKind::tet4, 6, device)}) {
    SmoothedAggregationOptions options = s.multigrid();
    options.coarsest_size = 60;
    const Solution alone = solve(*s.K, s.b, SmoothedAggregation(*s.K, options));
    EXPECT_GE(alone.levels, 2);
    EXPECT_EQ(alone.divided, 0);
    const double largest = std::abs(*std::ranges::max_element(alone.x, {}, [](double x) { return std::abs(x); }));
    for (const int count : {1, 2, 3, 5})
      for (const Index replicated : {Index{60}, Index{50000}}) {
        std::vector<Solution> parts(static_cast<std::size_t>(count));
        on_ranks(count, [&](Ranks& ranks) {
          parts[static_cast<std::size_t>(ranks.rank())] = solve_over(ranks, s, replicated);
        });
        std::vector<double> x;
        for (const Solution& part : parts) {
          x.insert(x.end(), part.x.begin(), part.x.end());
          EXPECT_NEAR(part.iterations, alone.iterations, 1) << count << " ranks, " << replicated << " replicated";
          EXPECT_GE(part.divided, 1);
          EXPECT_EQ(part.levels, parts.front().levels);
        }
        ASSERT_EQ(x.size(), alone.x.size());
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], alone.x[i], 1e-7 * largest);
      }
  }
}

TEST(MultigridOverRanks, TakesAGivenNearNullSpace) {
  const System s = cantilever(CellKind::hex8, 6, Device::named("cpu", 1));
  std::vector<double> translations;  // [node][3][3]
  for (Index node = 0; node < s.space->node_count(); ++node)
    for (const double entry : {1, 0, 0, 0, 1, 0, 0, 0, 1}) translations.push_back(entry);
  const Vector given(s.b.device(), std::span<const double>(translations), "vectors");
  SmoothedAggregationOptions options = s.multigrid();
  options.coarsest_size = 60;
  const int with_rotations = solve(*s.K, s.b, SmoothedAggregation(*s.K, options)).iterations;
  options.near_null = &given;
  options.near_null_count = 3;
  const int alone = solve(*s.K, s.b, SmoothedAggregation(*s.K, options)).iterations;
  EXPECT_GE(alone, with_rotations + 2);  // they differ, so that the next says something
  on_ranks(3, [&](Ranks& ranks) { EXPECT_NEAR(solve_over(ranks, s, 60, &given).iterations, alone, 1); });
}

TEST(MultigridOverRanks, IsNotRefreshed) {
  const System s = heat_cube(CellKind::hex8, 4, Device::named("cpu", 1));
  on_ranks(1, [&](Ranks& ranks) {
    const auto A =
        divided_matrix(ranks, ranks.among_all(s.K->device()), RowsOfMatrix(*s.K).range(0, s.space->node_count()));
    EXPECT_THROW(SmoothedAggregation(*A).refresh(), Error);
  });
}

}  // namespace
}  // namespace ritz::testing
