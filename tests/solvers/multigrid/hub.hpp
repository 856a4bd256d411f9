// A node that couples more aggregates than a row of the prolongator takes, as one does that a rigid region follows.
#pragma once

#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/multigrid/level_matrix_kernels.hpp"
#include "solvers/multigrid/transfer_kernels.hpp"

#include <gtest/gtest.h>

namespace ritz::testing {

// Node 0 and all nodes of its rim, each with it; the sums of rows are zero. Strong connections, and whose rows they
// are.
struct Hub {
  BlockMatrix A;
  Graph strong;
};

inline Hub hub(const Device& device, Index rim, int C) {
  std::vector<Index> offsets{0, rim + 1};
  std::vector<std::int32_t> column, neighbour, count{static_cast<std::int32_t>(rim)}, whole;
  std::vector<double> values;
  const auto add = [&](std::int32_t j, double value) {
    column.push_back(j);
    for (int k = 0; k < C * C; ++k) values.push_back(k % (C + 1) == 0 ? value : 0.1 * value);
  };
  add(0, double(rim));
  for (std::int32_t j = 1; j <= rim; ++j) add(j, -1);
  neighbour.assign(column.begin() + 1, column.end());
  neighbour.push_back(0);
  for (std::int32_t i = 1; i <= rim; ++i) {
    add(i, 1);
    add(0, -1);
    neighbour.insert(neighbour.end(), {0, 0});
    count.push_back(1);
    offsets.push_back(offsets.back() + 2);
  }
  Hub result;
  result.A.rows = result.A.columns = rim + 1;
  result.A.row_block = result.A.column_block = C;
  result.A.offsets = Array<Index>(device, std::span<const Index>(offsets), "test");
  result.A.column = Array<std::int32_t>(device, std::span<const std::int32_t>(column), "test");
  result.A.values = Vector(device, std::span<const double>(values), "test");
  result.strong.begin = result.A.offsets.data();
  result.strong.count = Array<std::int32_t>(device, std::span<const std::int32_t>(count), "test");
  result.strong.column = Array<std::int32_t>(device, std::span<const std::int32_t>(neighbour), "test");
  return result;
}

// Every node is an aggregate. The tentative prolongator is that of constants, and of rotations about the node.
inline void expect_a_hub_keeps_to_its_aggregate(const Device& device) {
  struct Case {
    int C, K;
    Index rim;
  };
  for (const Case each : {Case{1, 1, 127},
                          {1, 1, 128},
                          {1, 1, 600},
                          {3, 6, 127},
                          {3, 6, 128},
                          {3, 6, 600},
                          {2, 2, 128},
                          {2, 3, 128},
                          {3, 3, 128},
                          {4, 4, 128},
                          {5, 5, 128},
                          {6, 6, 128}}) {
    const Index nodes = each.rim + 1, size = each.C * each.K;
    const Hub model = hub(device, each.rim, each.C);
    std::vector<double> T(static_cast<std::size_t>(nodes * size)), inverse(static_cast<std::size_t>(nodes * each.C), 1);
    for (std::size_t k = 0; k < T.size(); ++k) T[k] = 1 + double(k % static_cast<std::size_t>(size));
    std::fill_n(inverse.begin(), each.C, 1 / double(each.rim));
    std::vector<std::int32_t> own(static_cast<std::size_t>(nodes));
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<std::int32_t>(i);
    const Array<std::int32_t> aggregate(device, std::span<const std::int32_t>(own), "test");
    const Vector tentative(device, std::span<const double>(T), "test");
    const Vector inverse_diagonal(device, std::span<const double>(inverse), "test");
    const ProlongatorInput input{model.A.view(),   inverse_diagonal.data(), 0.5,
                                 aggregate.data(), tentative.data(),        model.strong.view()};
    BlockMatrix P;
    const auto& kernel = kernels<TransferKernels>(device, solver_kernels, "transfer");
    kernel.smooth_prolongator(device, input, nodes, each.K, P);
    const std::vector<Index> offsets = P.offsets.host();
    const std::vector<double> values = P.values.host();
    const bool fits = nodes <= 128;
    EXPECT_EQ(offsets[1], fits ? nodes : 1) << each.rim;
    EXPECT_EQ(offsets[2] - offsets[1], 2) << "a node of the rim is smoothed";
    for (std::size_t k = 0; k < static_cast<std::size_t>(size) && !fits; ++k)
      EXPECT_NEAR(values[k], T[k], each.C == 1 ? double(each.rim) * 0x1p-52 : 0) << each.rim << ", " << each.C;
    Vector again(device, P.values.size(), "test");
    ASSERT_TRUE(kernel.smooth_prolongator_again(device, input, P.view(), again.data()));
    EXPECT_EQ(again.host(), values);
  }
}

}  // namespace ritz::testing
