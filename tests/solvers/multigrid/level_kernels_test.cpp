// The parts of a level, kernel by kernel.
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/multigrid/aggregation_kernels.hpp"
#include "solvers/multigrid/level_matrix_kernels.hpp"
#include "solvers/multigrid/near_null_kernels.hpp"
#include "tests/solvers/multigrid/hub.hpp"
#include "tests/solvers/multigrid/models.hpp"

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

// A free elastic body of n^3 cells, its rigid motions and strong connections.
struct FreeBody {
  testing::System system;
  BlockMatrixView<double> A;
  Index nonzeros;
  Vector motions;
  Graph strong;
};

FreeBody free_body(CellKind kind, Index n, const Point& size, const Device& device) {
  const Lame l = Lame::from(1000, 0.3);
  FreeBody body{testing::make_system(box(n, n, n, size, kind), 3,
                                     {Integral::over_all_cells(Elasticity{l.lambda, l.mu})}, {}, device)};
  const SparseMatrix& K = *body.system.K;
  const SparsityPattern& pattern = K.pattern();
  body.A = {pattern.rows(),           pattern.rows(),   3, 3, pattern.offsets().data(),
            pattern.columns().data(), K.values().data()};
  body.nonzeros = pattern.nonzeros();
  body.motions = Vector(device, K.rows() * 6, "test");
  const double centre[3] = {size[0] / 2, size[1] / 2, size[2] / 2};
  kernels<NearNullKernels>(device, solver_kernels, "near-null space")
      .rigid_motions(device, body.A, body.system.space->coordinates().data(), 3, centre, 1, 6, body.motions.data());
  kernels<AggregationKernels>(device, solver_kernels, "aggregation")
      .strong_graph(device, body.A, body.nonzeros, {0.3}, {body.motions.data(), 6, 3}, {}, body.strong);
  return body;
}

// visit(i, j) for all strong connections
template <class Visit>
void strong_connections(const FreeBody& body, const Visit& visit) {
  const std::vector<Index> begin = body.system.K->pattern().offsets().host();
  const std::vector<std::int32_t> count = body.strong.count.host(), column = body.strong.column.host();
  for (std::size_t i = 0; i < count.size(); ++i)
    for (Index k = begin[i]; k < begin[i] + count[i]; ++k)
      visit(static_cast<Index>(i), Index{column[static_cast<std::size_t>(k)]});
}

TEST(StrongGraph, OfABodyFollowsTheShortEdgesOfItsCells) {
  const Device device = Device::named("cpu");
  for (const CellKind kind : {CellKind::hex8, CellKind::tet4})
    for (const double length : {10.0, 50.0}) {
      const FreeBody body = free_body(kind, 5, {length, 1, 1}, device);
      const std::vector<double> x = body.system.space->coordinates().host();
      Index connections = 0;
      strong_connections(body, [&](Index i, Index j) {
        ++connections;
        ASSERT_NEAR(x[static_cast<std::size_t>(3 * i)], x[static_cast<std::size_t>(3 * j)], 1e-9);
      });
      EXPECT_GE(connections, 4 * body.A.rows) << traits(kind).name;
    }
}

TEST(StrongGraph, OfABodyHasAllNeighboursInCubesAndIsSymmetric) {
  const Device device = Device::named("cpu");
  for (const CellKind kind : {CellKind::hex8, CellKind::tet4}) {
    const FreeBody body = free_body(kind, 5, {1, 1, 1}, device);
    std::set<std::pair<Index, Index>> connections;
    strong_connections(body, [&](Index i, Index j) { connections.insert({i, j}); });
    for (const auto& [i, j] : connections) EXPECT_TRUE(connections.contains({j, i}));
    // All of an inner node's neighbours; at edges some tetrahedra leave a diagonal without a common neighbour.
    EXPECT_GT(std::ssize(connections), (body.nonzeros - body.A.rows) * 9 / 10) << traits(kind).name;
  }
}

// A maps rigid motions to zero, so (I - omega D^-1 A) T B_coarse = B, and leaving weak couplings out must keep that.
TEST(Prolongator, WithoutWeakCouplingsHasTheRigidMotions) {
  for (const char* name : {"cpu", "fake"})
    for (const CellKind kind : {CellKind::hex8, CellKind::tet4})
      for (const Point& size : {Point{1, 1, 1}, {50, 1, 1}}) {
        const Device device = Device::named(name);
        const FreeBody body = free_body(kind, 6, size, device);
        const NearNullKernels& near_null = kernels<NearNullKernels>(device, solver_kernels, "near-null space");
        const TransferKernels& transfer = kernels<TransferKernels>(device, solver_kernels, "transfer");
        Array<std::int32_t> aggregate;
        const Index nodes = body.A.rows, aggregates = kernels<AggregationKernels>(device, solver_kernels, "aggregation")
                                                          .aggregate(device, body.strong, nodes, nullptr, aggregate);
        Vector T(device, nodes * 18, "test"), coarse(device, aggregates * 36, "test"),
            extension(device, aggregates * 36, "test"), inverse = body.system.K->diagonal();
        inverse = inverse_diagonal(std::move(inverse));
        near_null.tentative(device, aggregate.data(), nodes, aggregates, 3, 6, body.motions.data(), T.data(),
                            coarse.data());
        near_null.rigid_extension(device, aggregates, 6, 3, coarse.data(), extension.data());
        BlockMatrix P, all;
        ProlongatorInput input{body.A, inverse.data(), 0.5, aggregate.data(), T.data(), body.strong.view()};
        transfer.smooth_prolongator(device, input, aggregates, 6, all);
        input.near_null = body.motions.data();
        input.extension = extension.data();
        transfer.smooth_prolongator(device, input, aggregates, 6, P);
        if (size[0] > 1) { EXPECT_LT(P.nonzeros() * 3, all.nonzeros() * 2); }
        const std::vector<double> p = P.values.host(), b = coarse.host(), expected = body.motions.host();
        const std::vector<Index> offsets = P.offsets.host();
        const std::vector<std::int32_t> column = P.column.host();
        for (std::size_t row = 0; row < static_cast<std::size_t>(nodes) * 3; ++row)
          for (std::size_t k = 0; k < 6; ++k) {
            double sum = 0;
            for (auto e = static_cast<std::size_t>(offsets[row / 3]);
                 e < static_cast<std::size_t>(offsets[row / 3 + 1]); ++e)
              for (std::size_t d = 0; d < 6; ++d)
                sum += p[(e * 3 + row % 3) * 6 + d] * b[(static_cast<std::size_t>(column[e]) * 6 + d) * 6 + k];
            ASSERT_NEAR(sum, expected[row * 6 + k], 1e-9 * size[0]) << traits(kind).name << ", motion " << k;
          }
        Vector again(device, P.values.size(), "test");
        ASSERT_TRUE(transfer.smooth_prolongator_again(device, input, P.view(), again.data()));
        EXPECT_EQ(again.host(), P.values.host());
      }
}

TEST(StrongGraph, IsSymmetricAtExactTies) {
  // Off-diagonal blocks of which some lie at the threshold: ||A_ij||^2 is the same from both sides, to the bit.
  const Device device = Device::named("cpu");
  const AggregationKernels& kernel = kernels<AggregationKernels>(device, solver_kernels, "aggregation");
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
        kernel.strong_graph(device, A.view(), A.nonzeros(), {0.25}, {}, {}, graph);
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
  kernel.strong_graph(device, A.view(), A.nonzeros(), {0.3}, {}, {}, graph);
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
  kernel.strong_graph(device, A.view(), A.nonzeros(), {0.3}, {}, {}, graph);
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
