#include "solvers/algebra/multi_vector.hpp"

#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>

namespace ritz::testing {
namespace {

using Columns = std::vector<std::vector<double>>;

Columns random_columns(Index rows, int columns, unsigned seed) {
  Columns result;
  for (int j = 0; j < columns; ++j) result.push_back(random_numbers(static_cast<std::size_t>(rows), seed + 100 * j));
  return result;
}

MultiVector on(const Device& device, Index rows, const Columns& columns) {
  MultiVector X(device, rows, static_cast<int>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j)
    X.set_column(static_cast<int>(j), Vector(device, columns[j], "test"));
  return X;
}

std::vector<double> column(const MultiVector& X, int j) {
  Vector x(X.device(), X.rows(), "test");
  X.get_column(j, x);
  return x.host();
}

void expect_padding_is_zero(const MultiVector& X) {
  const std::vector<double> values = X.values().host();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int group = static_cast<int>(Index(i) / (X.rows() * MultiVector::lanes)),
              lane = static_cast<int>(i % MultiVector::lanes);
    if (group * MultiVector::lanes + lane >= X.columns()) { ASSERT_EQ(values[i], 0.0) << "place " << i; }
  }
}

TEST(MultiVector, ColumnsComeBackAsTheyWereSetAndLanesBeyondTheLastStayZero) {
  for (const std::string& name : back_ends())
    for (const int columns : {1, 7, 8, 9, 19}) {
      const Columns x = random_columns(37, columns, 1);
      const MultiVector X = on(Device::named(name), 37, x);
      for (int j = 0; j < columns; ++j) EXPECT_EQ(column(X, j), x[j]);
      expect_padding_is_zero(X);
    }
}

TEST(MultiVector, GramIsTheMatrixOfScalarProducts) {
  for (const std::string& name : back_ends())
    for (const Index rows : {1, 63, 2000})
      for (const auto& [p, q] : {std::pair{1, 1}, {3, 8}, {9, 2}, {17, 20}}) {
        const Device device = Device::named(name, 2);
        const Columns x = random_columns(rows, p, 2), y = random_columns(rows, q, 3);
        const std::vector<double> G = gram(on(device, rows, x), on(device, rows, y));
        ASSERT_EQ(static_cast<int>(G.size()), p * q);
        for (int i = 0; i < p; ++i)
          for (int j = 0; j < q; ++j) {
            long double sum = 0;
            for (Index r = 0; r < rows; ++r) sum += static_cast<long double>(x[i][r]) * y[j][r];
            EXPECT_NEAR(G[i * q + j], double(sum), 1e-15 * double(rows)) << i << " " << j;
          }
      }
}

TEST(MultiVector, ColumnDotsAreTheDiagonalOfGram) {
  const Device device = Device::named("cpu", 2);
  const MultiVector X = on(device, 1500, random_columns(1500, 11, 4)),
                    Y = on(device, 1500, random_columns(1500, 11, 5));
  const std::vector<double> G = gram(X, Y), d = column_dots(X, Y), norms = column_norms(X), XX = gram(X, X);
  for (int j = 0; j < 11; ++j) {
    EXPECT_NEAR(d[j], G[j * 11 + j], 1e-12);
    EXPECT_NEAR(norms[j] * norms[j], XX[j * 11 + j], 1e-10);
  }
}

TEST(MultiVector, SumsAreBitwiseTheSameForAnyNumberOfThreads) {
  const Columns x = random_columns(20'011, 10, 6), y = random_columns(20'011, 3, 7);
  std::vector<double> reference, norms;
  for (const int threads : {1, 2, 3}) {
    const Device device = Device::named("cpu", threads);
    const MultiVector X = on(device, 20'011, x), Y = on(device, 20'011, y);
    if (reference.empty()) reference = gram(X, Y), norms = column_norms(X);
    EXPECT_EQ(gram(X, Y), reference);
    EXPECT_EQ(column_norms(X), norms);
  }
}

TEST(MultiVector, SeveralGramsAreReadBackAtOnce) {
  const Device device = Device::named("cpu");
  const MultiVector X = on(device, 100, random_columns(100, 9, 8)), Y = on(device, 100, random_columns(100, 2, 9));
  const Index before = device.machine().traffic().scalar_reads;
  const auto results = grams({{&X, &Y}, {&Y, &Y}, {&X, &X}});
  EXPECT_EQ(device.machine().traffic().scalar_reads - before, 1);
  EXPECT_EQ(results[0], gram(X, Y));
  EXPECT_EQ(results[1], gram(Y, Y));
  EXPECT_EQ(results[2], gram(X, X));
}

TEST(MultiVector, CombineIsTheProductWithASmallMatrix) {
  for (const std::string& name : back_ends())
    for (const auto& [p, q] : {std::pair{0, 3}, {1, 1}, {8, 8}, {5, 13}, {35, 10}, {70, 9}})
      for (const double beta : {0.0, 1.0, -0.5}) {
        const Device device = Device::named(name, 2);
        const Index rows = 1100;
        const Columns x = random_columns(rows, p, 10), y = random_columns(rows, q, 11);
        const std::vector<double> C = random_numbers(static_cast<std::size_t>(p * q), 12);
        MultiVector Y = on(device, rows, y);
        combine(on(device, rows, x), C, beta, Y);
        expect_padding_is_zero(Y);
        for (int j = 0; j < q; ++j) {
          const std::vector<double> result = column(Y, j);
          for (Index r = 0; r < rows; ++r) {
            long double sum = static_cast<long double>(beta) * y[j][r];
            for (int i = 0; i < p; ++i) sum += static_cast<long double>(x[i][r]) * C[i * q + j];
            ASSERT_NEAR(result[r], double(sum), 1e-14 * (p + 1)) << p << " x " << q << ", " << j;
          }
        }
      }
}

TEST(MultiVector, OverwritingDoesNotReadTheTarget) {
  const Device device = Device::named("cpu");
  const Columns nothing(1, std::vector<double>(5, std::nan("")));
  MultiVector Y = on(device, 5, nothing);
  combine(on(device, 5, random_columns(5, 2, 13)), {0.0, 0.0}, 0.0, Y);
  EXPECT_EQ(column(Y, 0), std::vector<double>(5, 0.0));
}

TEST(MultiVector, WrongSizesAndColumnsAreRejected) {
  const Device device = Device::named("cpu");
  MultiVector X(device, 5, 3), Y(device, 6, 3);
  Vector x(device, 5, "test"), y(device, 6, "test");
  EXPECT_THROW(X.set_column(3, x), Error);
  EXPECT_THROW(X.set_column(-1, x), Error);
  EXPECT_THROW(X.set_column(0, y), Error);
  EXPECT_THROW(gram(X, Y), Error);
  EXPECT_THROW(combine(X, std::vector<double>(9), 0.0, X), Error);
  EXPECT_THROW(combine(X, std::vector<double>(9), 0.0, Y), Error);
  MultiVector Z(device, 5, 3);
  EXPECT_THROW(combine(X, std::vector<double>(8), 0.0, Z), Error);
  EXPECT_THROW(MultiVector(device, 5, -1), Error);
}

TEST(MultiVector, NoRowsAndNoColumnsAreFine) {
  const Device device = Device::named("cpu");
  const MultiVector X(device, 0, 3), Y(device, 4, 0);
  EXPECT_EQ(gram(X, X), std::vector<double>(9, 0.0));
  EXPECT_TRUE(gram(Y, Y).empty());
  EXPECT_EQ(column_norms(X), std::vector<double>(3, 0.0));
}

// Every operator on several vectors does to each what it does to one.
TEST(MultiVector, OperatorsTreatEveryColumnAlike) {
  for (const std::string& name : back_ends())
    for (const auto& [columns, b] : {std::pair{1, 3}, {8, 2}, {11, 1}, {11, 3}}) {
      const Device device = Device::named(name, 2);
      const SparseMatrix A = on(device, grid_matrix(6, b));
      const JacobiPreconditioner jacobi(A);
      const ChebyshevPreconditioner chebyshev(A);
      const Columns x = random_columns(A.rows(), columns, 14);
      const MultiVector X = on(device, A.rows(), x);
      for (const LinearOperator* op :
           {static_cast<const LinearOperator*>(&A), static_cast<const LinearOperator*>(&jacobi),
            static_cast<const LinearOperator*>(&chebyshev)}) {
        MultiVector Y(device, A.rows(), columns);
        op->apply_block(X, Y);
        expect_padding_is_zero(Y);
        Vector single(device, A.rows(), "test");
        for (int j = 0; j < columns; ++j) {
          op->apply(Vector(device, x[j], "test"), single);
          const std::vector<double> expected = single.host(), result = column(Y, j);
          for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(result[i], expected[i], 1e-13 * 110);
        }
      }
      MultiVector Y(device, A.rows(), columns), wrong(device, A.rows(), columns + 1);
      EXPECT_THROW(A.apply_block(X, wrong), Error);
      EXPECT_THROW(A.apply_block(Y, Y), Error);
    }
}

}  // namespace
}  // namespace ritz::testing
