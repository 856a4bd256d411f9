// The parts of a level, kernel by kernel.
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/multigrid/aggregation_kernels.hpp"
#include "solvers/multigrid/level_matrix_kernels.hpp"
#include "tests/solvers/multigrid/hub.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace ritz {
namespace {

using Columns = std::vector<std::vector<std::int32_t>>;  // [row]

BlockMatrix blocks(const Device& device, const Columns& columns, Index width, int row_block, int column_block,
                   const std::vector<double>& values) {
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> all;
  for (const auto& row : columns) {
    all.insert(all.end(), row.begin(), row.end());
    offsets.push_back(static_cast<Index>(all.size()));
  }
  BlockMatrix m;
  m.rows = static_cast<Index>(columns.size());
  m.columns = width;
  m.row_block = row_block;
  m.column_block = column_block;
  m.offsets = Array<Index>(device, std::span<const Index>(offsets), "test");
  m.column = Array<std::int32_t>(device, std::span<const std::int32_t>(all), "test");
  m.values = Vector(device, std::span<const double>(values), "test");
  return m;
}

// [scalar row][scalar column]
std::vector<double> dense(const BlockMatrix& m) {
  const std::vector<Index> offsets = m.offsets.host();
  const std::vector<std::int32_t> columns = m.column.host();
  const std::vector<double> values = m.values.host();
  const auto L = static_cast<std::size_t>(m.row_block), M = static_cast<std::size_t>(m.column_block),
             width = static_cast<std::size_t>(m.columns) * M;
  std::vector<double> result(static_cast<std::size_t>(m.rows) * L * width, 0);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
    for (auto e = static_cast<std::size_t>(offsets[i]); e < static_cast<std::size_t>(offsets[i + 1]); ++e)
      for (std::size_t l = 0; l < L; ++l)
        for (std::size_t k = 0; k < M; ++k)
          result[(i * L + l) * width + static_cast<std::size_t>(columns[e]) * M + k] += values[(e * L + l) * M + k];
  return result;
}

struct Product {
  BlockMatrix A, P, R;
};

// A chain of nodes coupled to their next two neighbours, A symmetric, its columns out of order; up to three random
// blocks in a row of P.
Product random_product(const Device& device, std::int32_t nodes, int C, int K, bool diagonal) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1, 1);
  const std::int32_t coarse = nodes / 3;
  const auto c = static_cast<std::size_t>(C), k = static_cast<std::size_t>(K), n = static_cast<std::size_t>(nodes);
  std::vector<double> symmetric(n * c * n * c, 0);
  for (std::size_t i = 0; i < n * c; ++i)
    for (std::size_t j = 0; j <= i; ++j) symmetric[i * n * c + j] = symmetric[j * n * c + i] = number(random);
  Columns a(n), p(n), r(static_cast<std::size_t>(coarse));
  std::vector<double> a_values, p_values, r_values;
  for (std::int32_t i = 0; i < nodes; ++i)
    for (const std::int32_t j : {i + 2, i - 1, i, i + 1, i - 2})
      if (j >= 0 && j < nodes) {
        a[static_cast<std::size_t>(i)].push_back(j);
        for (std::size_t l = 0; l < c; ++l)
          for (std::size_t m = 0; m < c; ++m)
            a_values.push_back(
                symmetric[(static_cast<std::size_t>(i) * c + l) * n * c + static_cast<std::size_t>(j) * c + m]);
      }
  std::vector<std::vector<double>> r_blocks(static_cast<std::size_t>(coarse));
  for (std::int32_t i = 0; i < nodes; ++i)
    for (const std::int32_t to : std::set<std::int32_t>{i % coarse, (i / 2) % coarse, (i / 3) % coarse}) {
      p[static_cast<std::size_t>(i)].push_back(to);
      r[static_cast<std::size_t>(to)].push_back(i);
      std::vector<double> block(c * k);
      for (std::size_t e = 0; e < c * k; ++e) block[e] = diagonal && e / k != e % k ? 0 : number(random);
      p_values.insert(p_values.end(), block.begin(), block.end());
      for (std::size_t m = 0; m < k; ++m)
        for (std::size_t l = 0; l < c; ++l) r_blocks[static_cast<std::size_t>(to)].push_back(block[l * k + m]);
    }
  for (const auto& row : r_blocks) r_values.insert(r_values.end(), row.begin(), row.end());
  return {blocks(device, a, nodes, C, C, a_values), blocks(device, p, coarse, C, K, p_values),
          blocks(device, r, nodes, K, C, r_values)};
}

TEST(GalerkinProduct, IsThatOfDenseMatricesAndSymmetricToTheBit) {
  struct Blocks {
    int C, K;
    bool diagonal;
  };
  for (const char* name : {"cpu", "fake"})
    for (const Blocks b : {Blocks{1, 1, false},
                           {2, 3, false},
                           {3, 6, false},
                           {4, 4, false},
                           {5, 5, false},
                           {6, 6, false},
                           {2, 2, true},
                           {3, 3, true},
                           {3, 3, false}}) {
      const Device device = Device::named(name);
      const Product m = random_product(device, 60, b.C, b.K, b.diagonal);
      BlockMatrix coarse;
      const LevelMatrixKernels& kernel = kernels<LevelMatrixKernels>(device, solver_kernels, "level matrix");
      kernel.galerkin(device, m.A.view(), m.P.view(), m.R.view(), b.diagonal, coarse);
      const std::vector<double> A = dense(m.A), P = dense(m.P), result = dense(coarse);
      const auto fine = static_cast<std::size_t>(m.A.scalar_rows()),
                 size = static_cast<std::size_t>(coarse.scalar_rows());
      std::vector<double> AP(fine * size, 0), expected(size * size, 0);
      for (std::size_t i = 0; i < fine; ++i)
        for (std::size_t j = 0; j < fine; ++j)
          for (std::size_t k = 0; k < size; ++k) AP[i * size + k] += A[i * fine + j] * P[j * size + k];
      for (std::size_t i = 0; i < fine; ++i)
        for (std::size_t j = 0; j < size; ++j)
          for (std::size_t k = 0; k < size; ++k) expected[j * size + k] += P[i * size + j] * AP[i * size + k];
      for (std::size_t j = 0; j < size; ++j)
        for (std::size_t k = 0; k < size; ++k) {
          ASSERT_NEAR(result[j * size + k], expected[j * size + k], 1e-12) << b.C << " x " << b.K;
          const bool same_node = j / static_cast<std::size_t>(b.K) == k / static_cast<std::size_t>(b.K);
          ASSERT_TRUE(same_node || result[j * size + k] == result[k * size + j]) << b.C << " x " << b.K;
        }
      Vector again(device, coarse.values.size(), "test");
      ASSERT_TRUE(
          kernel.galerkin_again(device, m.A.view(), m.P.view(), m.R.view(), b.diagonal, coarse.view(), again.data()));
      EXPECT_EQ(again.host(), coarse.values.host());
    }
}

TEST(Prolongator, OfAHubStaysInItsAggregate) {
  for (const char* name : {"cpu", "fake"}) testing::expect_a_hub_keeps_to_its_aggregate(Device::named(name));
}

void make_strong_graph(const Device& device, const BlockMatrix& A, double threshold, Graph& graph) {
  const AggregationKernels& kernel = kernels<AggregationKernels>(device, solver_kernels, "aggregation");
  Vector measure(device, A.rows, "test");
  kernel.measure(device, A.view(), threshold, measure.data());
  kernel.strong_graph(device, A.view(), A.nonzeros(), threshold, measure.data(), graph);
}

TEST(StrongGraph, IsSymmetricAtExactTies) {
  // Off-diagonal blocks of which some lie at the threshold: ||A_ij||^2 is the same from both sides, to the bit.
  const Device device = Device::named("cpu");
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int C = 2; C <= 6; ++C)
    for (int trial = 0; trial < 50; ++trial) {
      const auto c = static_cast<std::size_t>(C);
      std::vector<double> values(4 * c * c, 0);  // A_00, A_01, A_10, A_11
      double square = 0;
      for (std::size_t k = 0; k < c; ++k)
        for (std::size_t l = 0; l < c; ++l) {
          const double a = number(random);
          square += a * a;
          values[c * c + k * c + l] = values[2 * c * c + l * c + k] = a;
        }
      for (const double nudge : {-2.0, -1.0, 0.0, 1.0, 2.0}) {
        values[3 * c * c] = std::sqrt(square) / 0.25;
        values[0] = values[3 * c * c] * (1 + nudge * 0x1p-52);
        const BlockMatrix A = blocks(device, {{0, 1}, {0, 1}}, 2, C, C, values);
        Graph graph;
        make_strong_graph(device, A, 0.25, graph);
        const std::vector<std::int32_t> count = graph.count.host();
        ASSERT_EQ(count[0], count[1]) << "blocks of " << C << ", trial " << trial;
      }
    }
}

// A grid of springs, one of them cut off.
TEST(Aggregates, HaveARootWithAllItsNeighboursAndLeaveNobodyOut) {
  const Device device = Device::named("cpu");
  constexpr std::int32_t side = 40, nodes = side * side + 1;
  Columns columns(nodes);
  std::vector<double> values;
  for (std::int32_t i = 0; i < nodes; ++i) {
    const std::int32_t x = i % side, y = i / side;
    const auto add = [&](std::int32_t j, double value) {
      columns[static_cast<std::size_t>(i)].push_back(j);
      values.push_back(value);
    };
    add(i, 4);
    if (y == side) continue;
    if (x > 0) add(i - 1, -1);
    if (x + 1 < side) add(i + 1, -1);
    if (y > 0) add(i - side, -1);
    if (y + 1 < side) add(i + side, -1);
  }
  const BlockMatrix A = blocks(device, columns, nodes, 1, 1, values);
  const AggregationKernels& kernel = kernels<AggregationKernels>(device, solver_kernels, "aggregation");
  Graph graph;
  make_strong_graph(device, A, 0.3, graph);
  Array<std::int32_t> result;
  const Index count = kernel.aggregate(device, graph, nodes, nullptr, result);
  const std::vector<std::int32_t> aggregate = result.host();
  std::set<std::int32_t> rooted;
  for (std::size_t i = 0; i + 1 < nodes; ++i) {
    ASSERT_GE(aggregate[i], 0);
    ASSERT_LT(aggregate[i], count);
    if (std::ranges::all_of(columns[i],
                            [&](std::int32_t j) { return aggregate[static_cast<std::size_t>(j)] == aggregate[i]; }))
      rooted.insert(aggregate[i]);
  }
  EXPECT_EQ(aggregate.back(), -1);
  EXPECT_EQ(static_cast<Index>(rooted.size()), count);
  EXPECT_GT(count, nodes / 13);  // within distance 2 of a root there are 13
  EXPECT_LT(count, nodes / 5);   // a root and its neighbours are 5, fewer at the rim
}

// Two nodes joined by a stiff spring; a soft one holds the third, which has nothing else, and another the fourth, which
// stands on a stiff spring of its own: smoothing finds that one.
TEST(Aggregates, OfScalarsHaveAllThatCouplingsHold) {
  const Device device = Device::named("cpu");
  const BlockMatrix A = blocks(device, {{0, 1, 2, 3}, {0, 1}, {0, 2}, {0, 3}}, 4, 1, 1,
                               {1002, -1000, -1, -1, -1000, 1000, -1, 1, -1, 11});
  const AggregationKernels& kernel = kernels<AggregationKernels>(device, solver_kernels, "aggregation");
  Graph graph;
  make_strong_graph(device, A, 0.3, graph);
  Array<std::int32_t> result;
  EXPECT_EQ(kernel.aggregate(device, graph, 4, nullptr, result), 2);
  const std::vector<std::int32_t> aggregate = result.host();
  EXPECT_EQ(aggregate[0], aggregate[1]);
  EXPECT_NE(aggregate[2], aggregate[0]);
  EXPECT_GE(aggregate[2], 0);
  EXPECT_EQ(aggregate[3], -1);
}

}  // namespace
}  // namespace ritz
