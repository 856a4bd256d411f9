#include "solvers/algebra/sparse_matrix.hpp"

#include "solvers/algebra/vectors.hpp"
#include "tests/solvers/matrices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ritz::testing {
namespace {

std::vector<double> multiplied(const SparseMatrix& A, const std::vector<double>& x) {
  const Vector xd(A.device(), x, "test");
  Vector y(A.device(), A.rows(), "test");
  A.apply(xd, y);
  return y.host();
}

// Fact L18: componentwise 4 n_row u |A| |x|, u = 2^-53.
TEST(SparseMatrix, ProductAgreesOnEveryBackEndWithinTheRoundingBound) {
  for (const std::string& name : back_ends())
    for (const int b : {1, 2, 3, 4, 5, 6})
      for (const auto& [n, all] : {std::pair{1, true}, {2, true}, {3, false}, {7, true}, {17, true}, {19, false}}) {
        const SparseMatrix A = on(Device::named(name, 2), grid_matrix(n, b, all));
        const std::vector<double> x = random_numbers(static_cast<std::size_t>(A.rows()), 1);
        const std::vector<double> y = multiplied(A, x);
        const Product exact = product(host_matrix(A), x);
        for (std::size_t i = 0; i < y.size(); ++i)
          ASSERT_LE(std::abs(y[i] - exact.y[i]), 4.0 * double(exact.entries[i]) * 0x1p-53 * exact.size[i])
              << name << ", block size " << b << ", n " << n << ", row " << i;
      }
}

TEST(SparseMatrix, ProductIsBitwiseTheSameForAnyNumberOfThreads) {
  for (const int b : {1, 2, 3, 4, 5, 6}) {
    std::vector<double> reference;
    double reference_dot = 0;
    for (const int threads : {1, 2, 3}) {
      const Device device = Device::named("cpu", threads);
      const SparseMatrix A = on(device, grid_matrix(18, b));
      const Vector x(device, random_numbers(static_cast<std::size_t>(A.rows()), 2), "test");
      Vector y(device, A.rows(), "test"), xy(device, 1, "test");
      A.apply_dot(x, y, xy.data());
      if (reference.empty()) {
        reference = y.host();
        reference_dot = xy.host()[0];
      }
      EXPECT_EQ(y.host(), reference) << threads << " threads";
      EXPECT_EQ(xy.host()[0], reference_dot) << threads << " threads";
      EXPECT_EQ(multiplied(A, x.host()), reference);
    }
  }
}

TEST(SparseMatrix, FusedDotIsTheDotOfXAndY) {
  for (const std::string& name : back_ends())
    for (const int b : {1, 2, 3, 4, 5, 6}) {
      const Device device = Device::named(name, 2);
      const SparseMatrix A = on(device, grid_matrix(11, b));
      const Vector x(device, random_numbers(static_cast<std::size_t>(A.rows()), 3), "test");
      Vector y(device, A.rows(), "test"), xy(device, 1, "test");
      A.apply_dot(x, y, xy.data());
      EXPECT_NEAR(xy.host()[0], dot(x, y), 1e-13 * norm2(x) * norm2(y));
    }
}

TEST(SparseMatrix, ProductsCountTheBytesOfMatrixAndVectorsForTheOpenPhase) {
  const Device device = Device::named("cpu", 1);
  const SparseMatrix A = on(device, grid_matrix(11, 3));
  const Vector x(device, random_numbers(static_cast<std::size_t>(A.rows()), 3), "test");
  Vector y(device, A.rows(), "test");
  {
    const auto outer = device.profile().phase("solve");
    A.apply(x, y);
    const auto inner = device.profile().phase("iteration");
    A.apply(x, y);
    axpy(2, x, y);
  }
  const Index nonzeros = A.pattern().nonzeros(), block_rows = A.pattern().rows(), rows = A.rows();
  const Index product = (8 * 9 + 4) * nonzeros + 8 * (block_rows + 1) + 16 * rows;
  EXPECT_EQ(device.profile().phases()[1].bytes, product + 24 * rows);
  EXPECT_EQ(device.profile().phases()[0].bytes, 2 * product + 24 * rows);  // what is inside counts outside, too
}

TEST(SparseMatrix, SymmetricMatrixGivesASymmetricForm) {
  for (const int b : {1, 2, 3, 4, 5, 6}) {
    const Device device = Device::named("cpu");
    const SparseMatrix A = on(device, grid_matrix(9, b));
    const auto size = static_cast<std::size_t>(A.rows());
    const Vector u(device, random_numbers(size, 4), "test"), v(device, random_numbers(size, 5), "test");
    Vector Au(device, A.rows(), "test"), Av(device, A.rows(), "test");
    A.apply(u, Au);
    A.apply(v, Av);
    EXPECT_NEAR(dot(Au, v), dot(u, Av), 1e-12 * norm2(Au) * norm2(v));
  }
}

TEST(SparseMatrix, DiagonalIsWhatUnitVectorsPickOut) {
  for (const std::string& name : back_ends())
    for (const int b : {1, 2, 3, 4, 5, 6}) {
      const SparseMatrix A = on(Device::named(name), grid_matrix(3, b));
      const std::vector<double> diagonal = A.diagonal().host();
      for (std::size_t i = 0; i < diagonal.size(); ++i) {
        std::vector<double> unit(diagonal.size(), 0.0);
        unit[i] = 1;
        EXPECT_EQ(diagonal[i], multiplied(A, unit)[i]);
      }
    }
}

std::vector<std::vector<double>> dense(const SparseMatrix& A) {
  const HostMatrix host = host_matrix(A);
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(host.rows()),
                                        std::vector<double>(static_cast<std::size_t>(host.rows())));
  for (Index i = 0; i < host.rows(); ++i)
    for (Index k = host.offsets[i]; k < host.offsets[i + 1]; ++k) rows[i][host.columns[k]] = host.values[k];
  return rows;
}

TEST(SparseMatrix, EliminationEmptiesRowsAndColumnsAndKeepsSymmetryAndPattern) {
  for (const std::string& name : back_ends())
    for (const int b : {1, 2, 3, 4, 5, 6}) {
      const Device device = Device::named(name);
      SparseMatrix A = on(device, grid_matrix(4, b));
      const auto before = dense(A);
      const std::vector<std::int32_t> columns = A.pattern().columns().host();
      std::vector<std::uint8_t> constrained(before.size(), 0);
      for (std::size_t i = 0; i < constrained.size(); i += 5) constrained[i] = 1;
      A.eliminate(Array<std::uint8_t>(device, constrained, "test"), 7.5);
      const auto after = dense(A);
      EXPECT_EQ(A.pattern().columns().host(), columns);
      for (std::size_t i = 0; i < after.size(); ++i)
        for (std::size_t j = 0; j < after.size(); ++j) {
          const bool touched = constrained[i] != 0 || constrained[j] != 0;
          EXPECT_EQ(after[i][j], touched ? (i == j ? 7.5 : 0.0) : before[i][j]) << i << ", " << j;
          EXPECT_EQ(after[i][j], after[j][i]);
        }
    }
}

TEST(SparseMatrix, EmptyRowsGiveZero) {
  const Device device = Device::named("cpu");
  Blocks blocks;
  blocks.offsets = {0, 0, 1, 1};
  blocks.columns = {2};
  blocks.values = {3.0};
  const SparseMatrix A = on(device, blocks);
  EXPECT_EQ(multiplied(A, {1, 1, 2}), (std::vector<double>{0, 6, 0}));
}

TEST(SparseMatrix, NoRowsAreAllowed) {
  const SparseMatrix A = on(Device::named("cpu"), Blocks{});
  EXPECT_EQ(A.rows(), 0);
  EXPECT_TRUE(multiplied(A, {}).empty());
}

TEST(SparseMatrix, HostCopyComesBackUnchanged) {
  const Device device = Device::named("fake");
  const HostMatrix host = host_matrix(on(device, grid_matrix(3, 2)));
  const HostMatrix again = host_matrix(sparse_matrix(device, host));
  EXPECT_EQ(host.offsets, again.offsets);
  EXPECT_EQ(host.columns, again.columns);
  EXPECT_EQ(host.values, again.values);
}

TEST(SparsityPattern, RejectsWhatKernelsCannotTrust) {
  const Device device = Device::named("cpu");
  const auto make = [&](std::vector<Index> offsets, std::vector<std::int32_t> columns) {
    SparsityPattern(device, offsets, columns);
  };
  EXPECT_THROW(make({}, {}), Error);
  EXPECT_THROW(make({0, 1}, {}), Error);            // the last offset is not the number of columns
  EXPECT_THROW(make({1, 1}, {0}), Error);           // the first is not zero
  EXPECT_THROW(make({0, 2, 1, 2}, {0, 1}), Error);  // decreasing
  EXPECT_THROW(make({0, 2, 2}, {1, 0}), Error);     // columns not ascending
  EXPECT_THROW(make({0, 2, 2}, {0, 0}), Error);     // twice the same
  EXPECT_THROW(make({0, 1}, {1}), Error);           // column out of range
  EXPECT_THROW(make({0, 1}, {-1}), Error);
  EXPECT_NO_THROW(make({0, 2, 3}, {0, 1, 1}));
}

TEST(SparseMatrix, RejectsWrongSizes) {
  const Device device = Device::named("cpu");
  SparseMatrix A = on(device, grid_matrix(2, 1));
  Vector x(device, 8, "test"), short_one(device, 7, "test"), y(device, 8, "test");
  EXPECT_THROW(A.apply(short_one, y), Error);
  EXPECT_THROW(A.apply(x, short_one), Error);
  EXPECT_THROW(A.apply(x, x), Error);
  EXPECT_THROW(SparseMatrix(A.shared_pattern(), 7), Error);
  EXPECT_THROW(A.eliminate(Array<std::uint8_t>(device, 7, "test"), 1.0), Error);
}

TEST(SparseMatrix, AProcessorHasNoProductOfAVendor) {
  EXPECT_THAT(on(Device::named("cpu"), poisson_matrix(2)).use_vendor_product(), ::testing::HasSubstr("GPU"));
}

TEST(SparseMatrix, EliminationNeedsAFullDiagonal) {
  const Device device = Device::named("cpu");
  Blocks blocks;
  blocks.offsets = {0, 1, 2};
  blocks.columns = {1, 0};
  blocks.values = {1, 1};
  SparseMatrix A = on(device, blocks);
  EXPECT_THROW(A.eliminate(Array<std::uint8_t>(device, std::vector<std::uint8_t>{1, 0}, "test"), 1.0), Error);
}

}  // namespace
}  // namespace ritz::testing
