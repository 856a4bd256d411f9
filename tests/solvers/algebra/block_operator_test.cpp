// Matrices of several fields: products by blocks, elimination in couplings, and preconditioners whose exact parts leave
// as many eigenvalues as theory says.
#include "solvers/algebra/block_operator.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/minres.hpp"
#include "solvers/linear/block_preconditioner.hpp"
#include "tests/solvers/matrices.hpp"

#include <gtest/gtest.h>

namespace ritz::testing {
namespace {

constexpr Index n = 12, m = 5;

Vector random_vector(const Device& device, Index size, unsigned seed) {
  return Vector(device, std::span<const double>(random_numbers(static_cast<std::size_t>(size), seed)), "vectors");
}

// Each column of B^T has two entries in rows of its own, so that B D^-1 B^T is diagonal.
std::unique_ptr<RectangularMatrix> divergence(const Device& device, bool transposed) {
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (Index i = 0; i < (transposed ? n : m); ++i) {
    for (Index j = 0; j < (transposed ? m : n); ++j) {
      const Index v = transposed ? i : j, p = transposed ? j : i;
      if (v / 2 != p) continue;
      columns.push_back(static_cast<std::int32_t>(j));
      values.push_back(1.0 + 0.3 * double(v) - 0.5 * double(p));
    }
    offsets.push_back(static_cast<Index>(columns.size()));
  }
  auto B = std::make_unique<RectangularMatrix>(device, offsets, columns, transposed ? m : n);
  B->values().upload(values);
  return B;
}

std::vector<double> diagonal_of_first() {
  std::vector<double> d;
  for (Index i = 0; i < n; ++i) d.push_back(1 + 0.7 * double(i));
  return d;
}

std::unique_ptr<SparseMatrix> diagonal(const Device& device, const std::vector<double>& values) {
  HostMatrix host{{0}, {}, values};
  for (std::size_t i = 0; i < values.size(); ++i) {
    host.columns.push_back(static_cast<std::int32_t>(i));
    host.offsets.push_back(static_cast<Index>(i) + 1);
  }
  return std::make_unique<SparseMatrix>(sparse_matrix(device, host));
}

BlockOperator saddle_point(const Device& device) {
  BlockOperator K(device, Layout(std::array{n, m}));
  K.set(0, diagonal(device, diagonal_of_first()));
  K.set(0, 1, divergence(device, true));
  K.set(1, 0, divergence(device, false));
  return K;
}

std::vector<double> schur_complement() {  // B D^-1 B^T
  const std::vector<double> d = diagonal_of_first();
  std::vector<double> s(m, 0.0);
  for (Index v = 0; v < 2 * m; ++v) {
    const double b = 1.0 + 0.3 * double(v) - 0.5 * double(v / 2);
    s[static_cast<std::size_t>(v / 2)] += b * b / d[static_cast<std::size_t>(v)];
  }
  return s;
}

TEST(Layout, PartsGoOutAndIn) {
  for (const char* name : {"cpu", "fake"}) {
    const Device device = Device::named(name, 1);
    const Layout layout(std::array<Index, 3>{4, 0, 3});
    EXPECT_EQ(layout.total(), 7);
    EXPECT_EQ(layout.first(2), 4);
    const Vector x = random_vector(device, 7, 1);
    Vector y(device, 7, "vectors");
    for (int k = 0; k < 3; ++k) layout.put(layout.part(x, k), k, y);
    EXPECT_EQ(x.host(), y.host());
    EXPECT_THROW(layout.part(layout.part(x, 0), 0), Error);
    Vector wrong(device, 3, "vectors");
    EXPECT_THROW(layout.take(x, 0, wrong), Error);
    EXPECT_THROW(layout.put(layout.part(x, 2), 2, wrong), Error);
    EXPECT_THROW(layout.size(3), std::out_of_range);
  }
}

void expect_product_of_host_copy(const BlockOperator& K) {
  const HostMatrix host = host_matrix(K);
  EXPECT_EQ(host.rows(), n + m);
  const Vector x = random_vector(K.device(), n + m, 2);
  Vector y(K.device(), n + m, "vectors");
  K.apply(x, y);
  const std::vector<double> in = x.host(), out = y.host();
  for (std::size_t row = 0; row < out.size(); ++row) {
    double sum = 0;
    for (Index k = host.offsets[row]; k < host.offsets[row + 1]; ++k)
      sum += host.values[static_cast<std::size_t>(k)] *
             in[static_cast<std::size_t>(host.columns[static_cast<std::size_t>(k)])];
    EXPECT_NEAR(out[row], sum, 1e-14);
  }
}

TEST(BlockOperator, MultipliesAsItsHostCopyDoes) {
  for (const std::string& name : back_ends({"cpu:v3", "cpu:v4", "fake"})) {
    const Device device = Device::named(name, 1);
    expect_product_of_host_copy(saddle_point(device));
    BlockOperator one_sided(device, Layout(std::array{n, m}));
    one_sided.set(0, diagonal(device, diagonal_of_first()));
    one_sided.set(0, 1, divergence(device, true));
    expect_product_of_host_copy(one_sided);
  }
}

TEST(BlockOperator, TakesOnlyBlocksThatFit) {
  const Device device = Device::named("cpu", 1);
  BlockOperator K(device, Layout(std::array{n, m}));
  EXPECT_THROW(K.set(1, diagonal(device, diagonal_of_first())), Error);
  EXPECT_THROW(K.set(1, 0, divergence(device, true)), Error);
  EXPECT_THROW(K.set(1, 1, divergence(device, true)), Error);
  Vector x(device, n, "vectors"), y(device, n + m, "vectors");
  EXPECT_THROW(K.apply(x, y), Error);
}

TEST(RectangularMatrix, EliminatesMarkedRowsAndColumns) {
  const Device device = Device::named("cpu", 1);
  const auto B = divergence(device, false);
  std::vector<std::uint8_t> rows(m, 0), columns(n, 0);
  rows[1] = columns[4] = 1;
  B->eliminate(Array<std::uint8_t>(device, std::span<const std::uint8_t>(rows), "constraints"),
               Array<std::uint8_t>(device, std::span<const std::uint8_t>(columns), "constraints"));
  const HostMatrix host = host_matrix(*B);
  for (std::size_t row = 0; row < m; ++row)
    for (Index k = host.offsets[row]; k < host.offsets[row + 1]; ++k)
      EXPECT_EQ(host.values[static_cast<std::size_t>(k)] == 0,
                row == 1 || host.columns[static_cast<std::size_t>(k)] == 4);
}

TEST(RectangularMatrix, PatternsOutOfOrderAreErrors) {
  const Device device = Device::named("cpu", 1);
  const std::vector<Index> offsets{0, 2};
  const auto made = [&](std::vector<std::int32_t> columns) { RectangularMatrix(device, offsets, columns, 4); };
  EXPECT_NO_THROW(made({1, 3}));
  EXPECT_THROW(made({3, 1}), Error);
  EXPECT_THROW(made({1, 1}), Error);
  EXPECT_THROW(made({1, 4}), Error);
  EXPECT_THROW(made({1}), Error);
}

// With both exact parts the preconditioned matrix has the eigenvalues 1 and (1 +- sqrt 5) / 2 alone: Murphy, Golub and
// Wathen, SIAM J. Sci. Comput. 21 (2000) 1969.
TEST(BlockPreconditioner, ExactPartsLeaveThreeStepsOfMinres) {
  const Device device = Device::named("cpu", 1);
  const BlockOperator K = saddle_point(device);
  const auto schur = diagonal(device, schur_complement());
  const BlockPreconditioner M(K, {{.by = "jacobi", .matrix = K.square(0)}, {.by = "jacobi", .matrix = schur.get()}});
  const Vector b = random_vector(device, n + m, 3);
  Vector x(device, n + m, "vectors");
  x.fill_zero();
  const SolveReport report = Minres{.relative = 1e-12}.solve(K, b, x, &M);
  EXPECT_TRUE(report.converged()) << summary(report);
  EXPECT_LE(report.iterations, 3);
  EXPECT_EQ(report.preconditioner, "block diagonal (Jacobi, Jacobi)");
}

// And of a triangle with the right sign of the Schur complement only the eigenvalue 1, twice.
TEST(BlockPreconditioner, ExactTrianglesLeaveTwoStepsOfGmres) {
  const Device device = Device::named("cpu", 1);
  const BlockOperator K = saddle_point(device);
  const auto schur = diagonal(device, schur_complement());
  for (const BlockTriangle triangle : {BlockTriangle::lower, BlockTriangle::upper}) {
    const BlockPreconditioner M(
        K, {{.by = "jacobi", .matrix = K.square(0)}, {.by = "jacobi", .matrix = schur.get(), .factor = -1}}, triangle);
    const Vector b = random_vector(device, n + m, 4);
    Vector x(device, n + m, "vectors");
    x.fill_zero();
    const SolveReport report = Gmres{.relative = 1e-12}.solve(K, b, x, &M);
    EXPECT_TRUE(report.converged()) << summary(report);
    EXPECT_LE(report.iterations, 2);
  }
}

TEST(BlockPreconditioner, PartsThatDoNotFitAreErrors) {
  const Device device = Device::named("cpu", 1);
  const BlockOperator K = saddle_point(device);
  const auto schur = diagonal(device, schur_complement());
  const BlockPart first{.by = "jacobi", .matrix = K.square(0)};
  EXPECT_THROW(BlockPreconditioner(K, {first}), Error);
  EXPECT_THROW(BlockPreconditioner(K, {first, {.by = "jacobi", .matrix = K.square(1)}}), Error);  // there is none
  EXPECT_THROW(BlockPreconditioner(K, {first, first}), Error);
  EXPECT_THROW(BlockPreconditioner(K, {first, {.by = "incomplete", .matrix = schur.get()}}), Error);
}

}  // namespace
}  // namespace ritz::testing
