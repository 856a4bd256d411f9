// Blocks of vectors in pieces: combinations in place, and vectors orthonormal in M.
#include "solvers/eigen/orthonormal_block.hpp"
#include "tests/solvers/eigen/models.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ritz::testing {
namespace {

const Device device = Device::named("cpu", 2);

SmallMatrix random_matrix(int rows, int columns, int seed) {
  std::mt19937 generator(static_cast<unsigned>(seed));
  SmallMatrix C(static_cast<std::size_t>(rows * columns));
  for (double& c : C) c = std::uniform_real_distribution<double>(-1, 1)(generator);
  return C;
}

VectorPieces random_pieces(Index rows, int columns, int seed) {
  MultiVector X(device, rows, columns);
  for (int j = 0; j < columns; ++j) {
    const SmallMatrix x = random_matrix(static_cast<int>(rows), 1, seed * 100 + j);
    X.set_column(j, Vector(device, std::span<const double>(x), "vectors"));
  }
  return in_pieces(X);
}

std::vector<double> column(const VectorPieces& X, int j) {
  const MultiVector& piece = X[static_cast<std::size_t>(j / 8)];
  Vector x(device, piece.rows(), "vectors");
  piece.get_column(j % 8, x);
  return x.host();
}

// [X, P, W] C with rows beyond one slab, into an X of fewer columns and a P of more.
TEST(VectorPieces, AreReplacedByCombinationsOfThemselves) {
  constexpr Index rows = 5000;
  VectorPieces X = random_pieces(rows, 13, 1), P = random_pieces(rows, 3, 2), W = random_pieces(rows, 9, 3);
  std::vector<std::vector<double>> before;
  for (const VectorPieces* block : {&X, &P, &W})
    for (int j = 0; j < column_count(*block); ++j) before.push_back(column(*block, j));
  const SmallMatrix C = random_matrix(25, 17, 4);
  replace({&X, &P, &W}, C, {{&X, 6}, {&P, 11}});
  ASSERT_EQ(X.size(), 1u);
  ASSERT_EQ(P.size(), 2u);
  ASSERT_EQ(column_count(X), 6);
  ASSERT_EQ(column_count(P), 11);
  for (int j = 0; j < 17; ++j) {
    const std::vector<double> x = j < 6 ? column(X, j) : column(P, j - 6);
    for (std::size_t i = 0; i < x.size(); i += 37) {
      double sum = 0;
      for (std::size_t k = 0; k < before.size(); ++k) sum += before[k][i] * C[k * 17 + static_cast<std::size_t>(j)];
      ASSERT_NEAR(x[i], sum, 1e-13) << i << ", " << j;
    }
  }
  for (std::size_t g = 0; g < 2; ++g) {  // lanes beyond the last column stay zero
    const std::vector<double> lanes = P[g].values().host();
    if (g == 1) { EXPECT_EQ(lanes[3], 0.0); }
  }
}

TEST(VectorPieces, BecomeOrthonormalInTheMassBesideABasisAndLoseWhatDependsOnIt) {
  const Vibration v = elastic_box(4, {1, 1, 1}, CellKind::hex8, true, 0.3, device);
  VectorPieces X = random_pieces(v.M->rows(), 9, 5);
  make_orthonormal(*v.M, {}, X);
  ASSERT_EQ(column_count(X), 9);
  // Eight vectors: one is nearly in the basis, one is a multiple of another, and all are of different lengths.
  VectorPieces W = random_pieces(v.M->rows(), 8, 6);
  SmallMatrix C(17 * 8, 0.0);
  for (std::size_t j = 0; j < 8; ++j) C[j * 8 + j] = std::pow(10.0, -static_cast<double>(j));
  C[8 * 8 + 0] = 1;
  C[0] = 1e-6;
  C[1 * 8 + 7] = 3, C[7 * 8 + 7] = 0;
  replace({&W, &X}, C, {{&W, 8}});
  make_orthonormal(*v.M, {&X}, W);
  ASSERT_EQ(column_count(W), 7);
  const SmallMatrix G = projected(*v.M, {&X, &W}, W);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 7; ++j)
      EXPECT_NEAR(G[static_cast<std::size_t>(i * 7 + j)], i == 9 + j ? 1 : 0, 1e-11) << i << ", " << j;
  VectorPieces inside(in_pieces(joined(X)));
  make_orthonormal(*v.M, {&X}, inside);
  EXPECT_TRUE(inside.empty());
}

}  // namespace
}  // namespace ritz::testing
