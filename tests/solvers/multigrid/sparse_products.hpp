// Sparse products on one device against maps of the host, for devices of every kind.
#pragma once

#include "solvers/algebra/block_operator.hpp"
#include "solvers/multigrid/sparse_products.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace ritz::testing {

using RowMaps = std::vector<std::map<std::int32_t, double>>;

// About `per_row` entries in each row; row 1 has a column in every `hub`-th place where that is given.
inline HostMatrix random_rows(Index rows, Index columns, Index per_row, unsigned seed, Index hub = 0) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<std::int32_t> column(0, static_cast<std::int32_t>(columns - 1));
  std::uniform_real_distribution<double> value(-1, 1);
  HostMatrix A;
  A.offsets.push_back(0);
  for (Index row = 0; row < rows; ++row) {
    std::set<std::int32_t> chosen;
    for (Index k = 0; k < per_row; ++k) chosen.insert(column(generator));
    for (Index c = 0; hub > 0 && row == 1 && c < columns; c += hub) chosen.insert(static_cast<std::int32_t>(c));
    for (const std::int32_t c : chosen) {
      A.columns.push_back(c);
      A.values.push_back(value(generator));
    }
    A.offsets.push_back(std::ssize(A.columns));
  }
  return A;
}

inline RowMaps rows_of(const HostMatrix& A) {
  RowMaps rows(static_cast<std::size_t>(A.rows()));
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (auto k = static_cast<std::size_t>(A.offsets[row]); k < static_cast<std::size_t>(A.offsets[row + 1]); ++k)
      rows[row].emplace(A.columns[k], A.values[k]);
  return rows;
}

inline void expect_rows(const HostMatrix& A, const RowMaps& expected) {
  ASSERT_EQ(A.rows(), std::ssize(expected));
  for (std::size_t row = 0; row < expected.size(); ++row) {
    auto known = expected[row].begin();
    ASSERT_EQ(A.offsets[row + 1] - A.offsets[row], std::ssize(expected[row])) << "row " << row;
    for (auto k = static_cast<std::size_t>(A.offsets[row]); k < static_cast<std::size_t>(A.offsets[row + 1]);
         ++k, ++known) {
      ASSERT_EQ(A.columns[k], known->first) << "row " << row;
      ASSERT_NEAR(A.values[k], known->second, 1e-13) << "row " << row;
    }
  }
}

inline void expect_products(const Device& device, Index hub) {
  const HostMatrix a = random_rows(40, 900, 7, 1, hub), b = random_rows(900, 1300, 5, 2);
  const BlockMatrix A = block_matrix(device, a, 900), B = block_matrix(device, b, 1300);
  const RowMaps of_a = rows_of(a), of_b = rows_of(b);
  RowMaps AB(of_a.size()), transpose(900);
  for (std::size_t row = 0; row < of_a.size(); ++row)
    for (const auto& [middle, x] : of_a[row]) {
      transpose[static_cast<std::size_t>(middle)].emplace(static_cast<std::int32_t>(row), x);
      for (const auto& [column, y] : of_b[static_cast<std::size_t>(middle)]) AB[row][column] += x * y;
    }
  BlockMatrix made = product(device, A.view(), B.view());
  EXPECT_EQ(made.columns, 1300);
  sort_rows(made);
  expect_rows(host_matrix(made), AB);
  expect_rows(host_matrix(transposed(A)), transpose);
}

// Blocks of three beside scalars, rows that are cleared, and rows that the second matrix lacks.
inline void expect_sums(const Device& device) {
  const HostMatrix a = random_rows(192, 192, 6, 3);
  const BlockMatrix A = block_matrix(device, a, 192);
  const SparseMatrix B = on(device, grid_matrix(4, 3));
  std::vector<std::uint8_t> cleared(192, 0);
  cleared[4] = cleared[77] = 1;
  const Array<std::uint8_t> mask(device, std::span<const std::uint8_t>(cleared), "test");
  BlockMatrixView<double> first = block_view(B);
  first.rows = 40;
  const RowMaps of_b = rows_of(host_matrix(B));
  RowMaps expected = rows_of(a);
  for (std::size_t row = 0; row < 120; ++row)
    for (const auto& [column, value] : of_b[row]) expected[row][column] += cleared[row] != 0 ? 0 : -0.5 * value;
  expect_rows(host_matrix(sum(device, A.view(), -0.5, first, &mask)), expected);
  Vector ones(device, std::vector<double>(192, 1.0), "test");
  const SparseMatrix with_diagonal = sparse_matrix(sum(device, A.view(), 0, diagonal_matrix(std::move(ones)).view()));
  EXPECT_TRUE(with_diagonal.pattern().has_full_diagonal());
  EXPECT_NO_THROW(
      SparsityPattern(device, with_diagonal.pattern().offsets().host(), with_diagonal.pattern().columns().host()));
}

inline void expect_scaled(const Device& device) {
  const HostMatrix a = random_rows(60, 60, 6, 5);
  const std::vector<double> factors = random_numbers(60, 6);
  const Vector scale(device, factors, "test");
  const RectangularMatrix A(block_matrix(device, a, 60));
  SparseMatrix B = sparse_matrix(block_matrix(device, a, 60));
  scale_rows_and_columns(B, scale);
  const std::vector<double> rows = scaled_rows(A, scale).host(), both = B.values().host();
  const std::vector<Index> kept = kept_rows(A, 20).host();
  for (std::size_t row = 0; row < 60; ++row) {
    EXPECT_EQ(kept[row + 1], a.offsets[std::min<std::size_t>(row + 1, 20)]);
    for (auto k = static_cast<std::size_t>(a.offsets[row]); k < static_cast<std::size_t>(a.offsets[row + 1]); ++k) {
      EXPECT_EQ(rows[k], a.values[k] * factors[row]);
      EXPECT_NEAR(both[k], a.values[k] * factors[row] * factors[static_cast<std::size_t>(a.columns[k])], 1e-15);
    }
  }
}

// Blocks of three, scalars, couplings either way, a diagonal block that is missing and one with a gap in its diagonal.
inline BlockOperator several_blocks(const Device& device) {
  BlockOperator K(device, Layout(std::array<Index, 3>{192, 50, 30}));
  const auto coupling = [&](Index rows, Index columns, unsigned seed) {
    return std::make_unique<RectangularMatrix>(block_matrix(device, random_rows(rows, columns, 4, seed), columns));
  };
  K.set(0, std::make_unique<SparseMatrix>(on(device, grid_matrix(4, 3))));
  K.set(0, 1, coupling(192, 50, 7));
  K.set(1, 0, coupling(50, 192, 8));
  K.set(2, 0, coupling(30, 192, 9));
  const HostMatrix gap = random_rows(30, 30, 3, 10);
  auto pattern = std::make_shared<SparsityPattern>(device, gap.offsets, gap.columns);
  EXPECT_FALSE(pattern->has_full_diagonal());
  K.set(2, std::make_unique<SparseMatrix>(pattern, 1));
  K.square(2)->values().upload(gap.values);
  return K;
}

inline void expect_joined(const Device& device) {
  const BlockOperator K = several_blocks(device);
  const Layout& layout = K.layout();
  RowMaps expected(static_cast<std::size_t>(layout.total()));
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) {
      RowMaps block;
      if (row == column && K.square(row) != nullptr) block = rows_of(host_matrix(*K.square(row)));
      if (row != column && K.coupling(row, column) != nullptr) block = rows_of(host_matrix(*K.coupling(row, column)));
      for (std::size_t i = 0; i < block.size(); ++i)
        for (const auto& [j, value] : block[i])
          expected[static_cast<std::size_t>(layout.first(row)) + i]
                  [static_cast<std::int32_t>(layout.first(column)) + j] = value;
    }
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i].emplace(static_cast<std::int32_t>(i), 0.0);
  const Traffic before = device.machine().traffic();
  const SparseMatrix joined = joined_matrix(K);
  const Traffic after = device.machine().traffic();
  EXPECT_LE(after.to_device - before.to_device + after.to_host - before.to_host, 64);
  EXPECT_TRUE(joined.pattern().has_full_diagonal());
  expect_rows(host_matrix(joined), expected);
}

}  // namespace ritz::testing
