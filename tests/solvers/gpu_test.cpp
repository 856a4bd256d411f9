// The GPU does what the CPU does. Label gpu: ctest -L gpu.
#include "solvers/smoothers/chebyshev.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/diagonal_blocks.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_factor_there.hpp"
#include "solvers/direct/direct_solver.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/block_conjugate_gradient.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/minres.hpp"
#include "solvers/linear/matrix_traits.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"
#include "device/kernels.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/solvers/matrices.hpp"
#include "tests/solvers/multigrid/sparse_products.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace ritz::testing {
namespace {

class Gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!list_devices().why_no_gpu.empty()) GTEST_SKIP() << "skipped: no GPU (" << list_devices().why_no_gpu << ")";
    gpu = Device::named("gpu");
    ASSERT_TRUE(gpu.is_gpu());
  }
  int size(int of_a_card, int of_an_emulated_one) const {
    return test::takes_small_sizes(gpu) ? of_an_emulated_one : of_a_card;
  }
  Device gpu;
};

TEST_F(Gpu, ProductAgreesWithinTheRoundingBound) {
  for (int b = 1; b <= 6; ++b)
    for (const auto& [n, all] :
         {std::pair{1, true}, {2, true}, {3, false}, {7, true}, {size(21, 9), true}, {size(24, 12), false}}) {
      if (b > 3 && n > 3) continue;
      const SparseMatrix A = on(gpu, grid_matrix(n, b, all));
      const std::vector<double> x = random_numbers(static_cast<std::size_t>(A.rows()), 1);
      const Vector xd(gpu, x, "test");
      Vector y(gpu, A.rows(), "test"), again(gpu, A.rows(), "test"), xy(gpu, 1, "test");
      A.apply(xd, y);
      A.apply_dot(xd, again, xy.data());
      const std::vector<double> result = y.host();
      const Product exact = product(host_matrix(A), x);
      for (std::size_t i = 0; i < result.size(); ++i)
        ASSERT_LE(std::abs(result[i] - exact.y[i]), 4.0 * double(exact.entries[i]) * 0x1p-53 * exact.size[i])
            << "block size " << b << ", n " << n << ", row " << i;
      EXPECT_EQ(again.host(), result);
      EXPECT_NEAR(xy.host()[0], dot(xd, y), 1e-13 * norm2(xd) * norm2(y));
    }
}

TEST_F(Gpu, DiagonalAndEliminationAgreeWithTheCpu) {
  const Device cpu = Device::named("cpu");
  for (int b = 1; b <= 6; ++b) {
    SparseMatrix A = on(gpu, grid_matrix(5, b)), B = on(cpu, grid_matrix(5, b));
    EXPECT_EQ(A.diagonal().host(), B.diagonal().host());
    std::vector<std::uint8_t> constrained(static_cast<std::size_t>(A.rows()), 0);
    for (std::size_t i = 0; i < constrained.size(); i += 7) constrained[i] = 1;
    A.eliminate(Array<std::uint8_t>(gpu, constrained, "test"), 2.0);
    B.eliminate(Array<std::uint8_t>(cpu, constrained, "test"), 2.0);
    EXPECT_EQ(A.values().host(), B.values().host());
  }
}

TEST_F(Gpu, VectorsAgreeWithTheCpu) {
  const Device cpu = Device::named("cpu");
  for (const int count : {1, 255, 4097, size(1'000'003, 100'003)}) {
    const auto size = static_cast<std::size_t>(count);
    const std::vector<double> x = random_numbers(size, 2), y = random_numbers(size, 3);
    const Vector gx(gpu, x, "test"), cx(cpu, x, "test");
    Vector gy(gpu, y, "test"), cy(cpu, y, "test");
    axpby(2.0, gx, 0.5, gy);
    axpby(2.0, cx, 0.5, cy);
    const std::vector<double> of_gpu = gy.host(), of_cpu = cy.host();
    for (std::size_t i = 0; i < size; ++i) ASSERT_NEAR(of_gpu[i], of_cpu[i], 1e-15);
    EXPECT_NEAR(dot(gx, gy), dot(cx, cy), 1e-14 * double(size));
    EXPECT_EQ(max_abs(gx), max_abs(cx));
    EXPECT_EQ(dot(gx, gy), dot(gx, gy));
    EXPECT_EQ(first_not_finite(gx), -1);
  }
}

TEST_F(Gpu, ConjugateGradientsSolveAndRepeatBitwise) {
  const SparseMatrix A = on(gpu, grid_matrix(size(8, 5), 3));
  const std::vector<double> f = random_numbers(static_cast<std::size_t>(A.rows()), 4);
  const Vector b(gpu, f, "test");
  const JacobiPreconditioner jacobi(A);
  const ChebyshevPreconditioner chebyshev(A);
  for (const LinearOperator* preconditioner :
       {static_cast<const LinearOperator*>(nullptr), static_cast<const LinearOperator*>(&jacobi),
        static_cast<const LinearOperator*>(&chebyshev)}) {
    std::vector<double> first;
    for (int repeat = 0; repeat < 3; ++repeat) {
      Vector x(gpu, A.rows(), "test");
      x.fill_zero();
      const SolveReport report = ConjugateGradient{.relative = 1e-10}.solve(A, b, x, preconditioner);
      EXPECT_TRUE(report.converged()) << summary(report);
      if (first.empty()) first = x.host();
      EXPECT_EQ(x.host(), first);
    }
    EXPECT_LE(relative_residual(A, first, f), 1.0001e-10);
  }
}

// Launches, reads and waits of an iteration: product with its dot, update with its sums, direction; numbers are read
// once.
TEST_F(Gpu, AnIterationOfConjugateGradientsTakesThreeKernelsAndOneRead) {
  for (const int b : {1, 3}) {
    const SparseMatrix A = on(gpu, grid_matrix(size(12, 6), b));
    const JacobiPreconditioner jacobi(A);
    const Vector f(gpu, random_numbers(static_cast<std::size_t>(A.rows()), 12), "test");
    const auto cost = [&](int iterations) {
      Vector x(gpu, A.rows(), "test");
      x.fill_zero();
      const Traffic before = gpu.machine().traffic();
      const ConjugateGradient method{.relative = 1e-14, .max_iterations = iterations};
      EXPECT_EQ(method.solve(A, f, x, &jacobi).iterations, iterations);
      const Traffic after = gpu.machine().traffic();
      return std::array<Index, 5>{after.kernels - before.kernels, after.scalar_reads - before.scalar_reads,
                                  after.waits - before.waits, after.to_device - before.to_device,
                                  after.graphs - before.graphs};
    };
    const auto few = cost(3), more = cost(8);
    EXPECT_EQ(more[0] - few[0], 3 * 5) << "block size " << b;
    EXPECT_EQ(more[1] - few[1], 5);
    EXPECT_EQ(more[2] - few[2], 5);
    EXPECT_EQ(more[3], few[3]);
    EXPECT_EQ(more[4], 0);
  }
}

// The other methods, with Jacobi: each reads its numbers once in an iteration.
TEST_F(Gpu, IterationsOfOtherMethodsReadTheirNumbersOnce) {
  const SparseMatrix A = on(gpu, grid_matrix(size(12, 5), 3));
  const JacobiPreconditioner jacobi(A);
  const Vector f(gpu, random_numbers(static_cast<std::size_t>(A.rows()), 12), "test");
  const auto solve = [&](const std::string& method, int iterations, Vector& x) {
    if (method == "MINRES") return Minres{.relative = 1e-14, .max_iterations = iterations}.solve(A, f, x, &jacobi);
    if (method == "BiCGSTAB") return Bicgstab{.relative = 1e-14, .max_iterations = iterations}.solve(A, f, x, &jacobi);
    return Gmres{.relative = 1e-14, .max_iterations = iterations, .restart = 20}.solve(A, f, x, &jacobi);
  };
  for (const auto& [method, kernels] : {std::pair{"MINRES", 5}, {"BiCGSTAB", 9}, {"GMRES", 8}}) {
    const auto cost = [&, name = std::string(method)](int iterations) {
      Vector x(gpu, A.rows(), "test");
      x.fill_zero();
      const Traffic before = gpu.machine().traffic();
      EXPECT_EQ(solve(name, iterations, x).iterations, iterations);
      const Traffic after = gpu.machine().traffic();
      return std::array<Index, 4>{after.kernels - before.kernels, after.scalar_reads - before.scalar_reads,
                                  after.waits - before.waits,
                                  after.to_device - before.to_device + after.to_host - before.to_host};
    };
    const auto few = cost(3), more = cost(8);
    EXPECT_EQ(more[0] - few[0], 5 * kernels) << method;
    EXPECT_EQ(more[1] - few[1], 5) << method;
    EXPECT_EQ(more[2] - few[2], 5) << method;
    EXPECT_EQ(more[3], few[3]) << method;
  }
}

// With multigrid the cycle is one graph. The update leaves the residual in single precision, and the result of the
// cycle comes to double precision with its products: two kernels that would be five.
TEST_F(Gpu, AnIterationWithMultigridTakesFourKernelsAndOneGraph) {
  const SparseMatrix A = on(gpu, poisson_matrix(size(12, 8)));
  SmoothedAggregationOptions options;
  options.coarsest_size = 100;
  const SmoothedAggregation multigrid(A, options);
  const Vector f(gpu, random_numbers(static_cast<std::size_t>(A.rows()), 12), "test");
  for (const bool flexible : {false, true}) {
    const auto cost = [&](int iterations) {
      Vector x(gpu, A.rows(), "test");
      x.fill_zero();
      const Traffic before = gpu.machine().traffic();
      const ConjugateGradient method{.relative = 1e-15, .max_iterations = iterations, .flexible = flexible};
      EXPECT_EQ(method.solve(A, f, x, &multigrid).iterations, iterations);
      const Traffic after = gpu.machine().traffic();
      return std::array<Index, 4>{after.kernels - before.kernels, after.graphs - before.graphs,
                                  after.scalar_reads - before.scalar_reads, after.to_device - before.to_device};
    };
    cost(3);  // the cycle is recorded
    const auto few = cost(3), more = cost(8);
    EXPECT_EQ(more[0] - few[0], 4 * 5) << "flexible " << flexible;
    EXPECT_EQ(more[1] - few[1], 5);
    EXPECT_EQ(more[2] - few[2], 5);
    EXPECT_EQ(more[3], few[3]);
  }
}

// The set-up of a hierarchy moves nothing of the size of the matrix between host and device. 264 launches and 54 waits
// for three levels of 20^3 rows.
TEST_F(Gpu, MultigridSetUpStaysOnTheDevice) {
  const int n = size(20, 13);
  const Blocks blocks = poisson_matrix(n);
  const SparseMatrix A = on(gpu, blocks);
  std::vector<double> places;
  for (int node = 0; node < n * n * n; ++node)
    for (const int d : {node % n, node / n % n, node / (n * n)}) places.push_back(d);
  const Vector coordinates(gpu, places, "test");
  SmoothedAggregationOptions options;
  options.coordinates = &coordinates;
  options.dimension = 3;
  const Traffic before = gpu.machine().traffic();
  const SmoothedAggregation multigrid(A, options);
  const Traffic after = gpu.machine().traffic();
  EXPECT_LT(after.to_host - before.to_host, 4096);
  EXPECT_LT(after.to_device - before.to_device, 4096);
  const auto levels = static_cast<Index>(multigrid.levels().size());
  EXPECT_LE(after.kernels - before.kernels, 95 * levels);
  EXPECT_LE(after.waits - before.waits, 20 * levels);
}

// A direct solver's matrix stays where it is, also with new values: 295 KB of blocks here.
TEST_F(Gpu, DirectSolverMovesNothingOfTheSizeOfTheMatrix) {
  const SparseMatrix A = on(gpu, grid_matrix(6, 3, true));
  SparseMatrix B = on(gpu, grid_matrix(6, 3, true));
  EXPECT_GT(A.values().bytes(), 100'000);
  const auto moved = [&](const auto& work) {
    const Traffic before = gpu.machine().traffic();
    work();
    const Traffic after = gpu.machine().traffic();
    return after.to_device - before.to_device + after.to_host - before.to_host;
  };
  for (const auto kind :
       {DirectSolver::Kind::positive_definite, DirectSolver::Kind::symmetric, DirectSolver::Kind::general}) {
    std::optional<DirectSolver> solver;
    EXPECT_LT(moved([&] { solver.emplace(A, kind); }), 4096);
    axpby(3.0, A.values(), 0.0, B.values());
    EXPECT_LT(moved([&] { solver->refactorise(B); }), 4096);
    const Vector b(gpu, random_numbers(static_cast<std::size_t>(A.rows()), 8), "test");
    Vector x(gpu, A.rows(), "test");
    EXPECT_TRUE(solver->solve(b, x).converged());
    EXPECT_LE(relative_residual(B, x.host(), b.host()), 1e-12);
  }
}

// Rows of more than 512 columns, which no table of a warp takes, are multiplied on the host.
TEST_F(Gpu, SparseProductsAreThoseOfTheirRows) {
  for (const Index hub : {0, 4, 1}) expect_products(gpu, hub);
  expect_sums(gpu);
  expect_scaled(gpu);
}

TEST_F(Gpu, BlocksAreJoinedOnTheirDevice) { expect_joined(gpu); }

// cuSPARSE is a choice: its products are those of the kernel within rounding, and who does not ask for it has ours.
TEST_F(Gpu, VendorProductAgreesWithOurs) {
  for (const int b : {1, 2, 3}) {
    SparseMatrix A = on(gpu, grid_matrix(7, b, true));
    const Vector x(gpu, random_numbers(static_cast<std::size_t>(A.rows()), 1), "test");
    Vector ours(gpu, A.rows(), "test"), theirs(gpu, A.rows(), "test");
    A.apply(x, ours);
    const std::string why = A.use_vendor_product();
    if (!why.empty() && b > 1) continue;  // blocks came late to the library
    ASSERT_EQ(why, "");
    A.apply(x, theirs);
    axpy(-1.0, ours, theirs);
    EXPECT_LE(max_abs(theirs), 1e-13 * max_abs(ours)) << "block size " << b;
  }
}

// Makes the sum of each row of scalars zero: constants are in the null space, as without a support.
void release(Blocks& A) {
  for (std::size_t row = 0; row + 1 < A.offsets.size(); ++row) {
    double others = 0;
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      if (A.columns[k] != Index(row)) others += A.values[k];
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      if (A.columns[k] == Index(row)) A.values[k] = -others;
  }
}

// The factorisation finds that there is no support anywhere.
TEST_F(Gpu, FreeBodyIsAModelErrorOfEveryDirectSolverInEveryUnit) {
  const Vector b(gpu, random_numbers(64, 3), "test");
  Vector x(gpu, 64, "test");
  for (const double unit : {1e-15, 1.0, 1e11})
    for (const auto kind :
         {DirectSolver::Kind::positive_definite, DirectSolver::Kind::symmetric, DirectSolver::Kind::general}) {
      Blocks free = poisson_matrix(4);
      for (double& value : free.values) value *= unit;
      const SparseMatrix held = on(gpu, free);
      EXPECT_TRUE(DirectSolver(held, kind).solve(b, x).converged()) << "unit " << unit;
      EXPECT_LE(relative_residual(held, x.host(), b.host()), 1e-12) << "unit " << unit;
      release(free);
      const SparseMatrix A = on(gpu, free);
      try {
        DirectSolver solver(A, kind);
        ADD_FAILURE() << "unit " << unit << ": " << summary(solver.solve(b, x));
      } catch (const Error& error) {
        EXPECT_EQ(error.exit(), Exit::model) << error.message();
        EXPECT_NE(error.message().find("singular"), std::string::npos) << error.message();
      }
    }
}

TEST_F(Gpu, SeveralVectorsAgreeWithTheHostAndAreRepeatable) {
  const Device cpu = Device::named("cpu", 2);
  for (const auto& [rows_per_edge, columns, b] : {std::tuple{3, 1, 1},
                                                  {3, 20, 1},
                                                  {size(9, 6), 11, 2},
                                                  {size(17, 7), 35, 3},
                                                  {size(7, 4), 9, 4},
                                                  {7, 3, 5},
                                                  {5, 9, 6}}) {
    const Blocks blocks = grid_matrix(rows_per_edge, b);
    const SparseMatrix A = on(gpu, blocks), reference = on(cpu, blocks);
    MultiVector X(gpu, A.rows(), columns), Y(gpu, A.rows(), columns), Xc(cpu, A.rows(), columns),
        Yc(cpu, A.rows(), columns);
    for (int j = 0; j < columns; ++j) {
      const std::vector<double> x = random_numbers(static_cast<std::size_t>(A.rows()), 20 + j);
      X.set_column(j, Vector(gpu, x, "test"));
      Xc.set_column(j, Vector(cpu, x, "test"));
    }
    A.apply_block(X, Y);
    reference.apply_block(Xc, Yc);
    const std::vector<double> G = gram(X, Y), Gc = gram(Xc, Yc),
                              C = random_numbers(static_cast<std::size_t>(columns * columns), 7);
    const double scale = double(A.rows()) * 300;
    for (std::size_t i = 0; i < G.size(); ++i) ASSERT_NEAR(G[i], Gc[i], 1e-14 * scale);
    EXPECT_EQ(gram(X, Y), G);
    combine(X, C, -0.5, Y);
    combine(Xc, C, -0.5, Yc);
    const std::vector<double> y = Y.values().host(), yc = Yc.values().host();
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], yc[i], 1e-11);
    const std::vector<double> norms = column_norms(Y), expected = column_norms(Yc);
    for (int j = 0; j < columns; ++j) EXPECT_NEAR(norms[j], expected[j], 1e-12 * expected[j]);
    JacobiPreconditioner(A).apply_block(X, Y);
    JacobiPreconditioner(reference).apply_block(Xc, Yc);
    EXPECT_EQ(Y.values().host(), Yc.values().host());
  }
}

TEST_F(Gpu, MatricesOfDiagonalBlocksMultiplyAsOnesOfBlocks) {
  for (const int b : {2, 3}) {
    Blocks blocks = grid_matrix(4, b);
    EXPECT_FALSE(DiagonalBlocks::of(on(gpu, blocks)));
    const auto size = static_cast<std::size_t>(b), of_block = size * size;
    for (std::size_t i = 0; i < blocks.values.size(); ++i)
      if (i % of_block % (size + 1) != 0) blocks.values[i] = 0;
    const SparseMatrix A = on(gpu, blocks);
    const std::optional<DiagonalBlocks> light = DiagonalBlocks::of(A);
    ASSERT_TRUE(light);
    constexpr int columns = 11;
    MultiVector X(gpu, A.rows(), columns), Y(gpu, A.rows(), columns), Z(gpu, A.rows(), columns);
    for (int j = 0; j < columns; ++j)
      X.set_column(j, Vector(gpu, random_numbers(static_cast<std::size_t>(A.rows()), 20 + j), "test"));
    A.apply_block(X, Y);
    light->apply_block(X, Z);
    const std::vector<double> y = Y.values().host(), z = Z.values().host();
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], z[i], 1e-12 * 36 * b);
  }
}

TEST_F(Gpu, SymmetricPartsAndTraitsAreThoseOfTheCpu) {
  const Device cpu = Device::named("cpu", 1);
  for (int b = 1; b <= 6; ++b) {
    Blocks blocks = grid_matrix(3, b);
    for (std::size_t i = 0; i < blocks.values.size(); i += 5) blocks.values[i] += 0.25;
    const SparseMatrix A = on(gpu, blocks), reference = on(cpu, blocks);
    for (const bool dominant : {false, true})
      EXPECT_EQ(A.symmetric_part(dominant).values().host(), reference.symmetric_part(dominant).values().host());
    EXPECT_EQ(inspect(A).symmetric, inspect(reference).symmetric);
  }
}

TEST_F(Gpu, KrylovMethodsSolveAndRepeatBitwise) {
  const SparseMatrix A = on(gpu, grid_matrix(size(6, 4), 2));
  const std::vector<double> f = random_numbers(static_cast<std::size_t>(A.rows()), 6);
  const Vector b(gpu, f, "test");
  const JacobiPreconditioner jacobi(A);
  const ChebyshevPreconditioner chebyshev(A);
  Vector x(gpu, A.rows(), "test");
  for (const LinearOperator* M :
       {static_cast<const LinearOperator*>(nullptr), static_cast<const LinearOperator*>(&jacobi),
        static_cast<const LinearOperator*>(&chebyshev)})
    for (int method = 0; method < 4; ++method) {
      std::vector<double> first;
      for (int repeat = 0; repeat < 2; ++repeat) {
        x.fill_zero();
        const SolveReport report = method == 0
                                       ? ConjugateGradient{.relative = 1e-10, .flexible = true}.solve(A, b, x, M)
                                   : method == 1 ? Minres{.relative = 1e-10}.solve(A, b, x, M)
                                   : method == 2 ? Gmres{.relative = 1e-10}.solve(A, b, x, M)
                                                 : Bicgstab{.relative = 1e-10}.solve(A, b, x, M);
        EXPECT_TRUE(report.converged()) << summary(report);
        if (first.empty()) first = x.host();
        EXPECT_EQ(x.host(), first) << report.method;
      }
      EXPECT_LE(relative_residual(A, first, f), 1.0001e-10);
    }
}

TEST_F(Gpu, SeveralRightHandSidesAreSolvedAtOnce) {
  const SparseMatrix A = on(gpu, grid_matrix(size(8, 4), 3));
  const JacobiPreconditioner jacobi(A);
  const ChebyshevPreconditioner chebyshev(A);
  constexpr int columns = 13;
  MultiVector B(gpu, A.rows(), columns), X(gpu, A.rows(), columns);
  std::vector<std::vector<double>> f;
  for (int j = 0; j < columns; ++j) {
    f.push_back(random_numbers(static_cast<std::size_t>(A.rows()), 70 + j));
    B.set_column(j, Vector(gpu, f.back(), "test"));
  }
  Vector x(gpu, A.rows(), "test");
  for (const LinearOperator* M :
       {static_cast<const LinearOperator*>(nullptr), static_cast<const LinearOperator*>(&jacobi),
        static_cast<const LinearOperator*>(&chebyshev)}) {
    X.values().fill_zero();
    const std::vector<SolveReport> reports = BlockConjugateGradient{.relative = 1e-10}.solve(A, B, X, M);
    for (int j = 0; j < columns; ++j) {
      EXPECT_TRUE(reports[static_cast<std::size_t>(j)].converged()) << summary(reports[static_cast<std::size_t>(j)]);
      X.get_column(j, x);
      EXPECT_LE(relative_residual(A, x.host(), f[static_cast<std::size_t>(j)]), 1.0001e-10);
    }
  }
}

// The chain 2, -1 minus s has the eigenvalues 2 - 2 cos(k pi / (n + 1)) - s. Counted by the CPU where the GPU's library
// does not.
TEST_F(Gpu, NegativePivotsCountTheEigenvaluesBelowAShift) {
  constexpr int n = 40;
  for (const double shift : {0.1, 2.0, 3.9}) {
    std::vector<std::vector<double>> rows(n, std::vector<double>(n, 0.0));
    Index below = 0;
    for (std::size_t i = 0; i < n; ++i) {
      rows[i][i] = 2 - shift;
      if (i > 0) rows[i][i - 1] = rows[i - 1][i] = -1;
      below += 2 - 2 * std::cos(double(i + 1) * std::numbers::pi / (n + 1)) < shift;
    }
    const SparseMatrix A = on(gpu, dense_matrix(rows));
    EXPECT_EQ(DirectSolver(A, DirectSolver::Kind::symmetric).negative_pivots(), below) << "shift " << shift;
  }
}

TEST_F(Gpu, DirectSolverSolvesAndNamesSingularity) {
  const SparseMatrix A = on(gpu, grid_matrix(7, 3));
  const std::vector<double> f = random_numbers(static_cast<std::size_t>(A.rows()), 5);
  Vector x(gpu, A.rows(), "test");
  for (const auto kind : {DirectSolver::Kind::positive_definite, DirectSolver::Kind::general}) {
    DirectSolver solver(A, kind);
    EXPECT_TRUE(solver.solve(Vector(gpu, f, "test"), x).converged());
    EXPECT_LE(relative_residual(A, x.host(), f), 1e-12);
  }
  const SparseMatrix singular = on(gpu, diagonal_matrix({1, 2, 0, 4}));
  Vector y(gpu, 4, "test");
  EXPECT_THROW(
      {
        DirectSolver solver(singular, DirectSolver::Kind::positive_definite);
        solver.solve(Vector(gpu, std::vector<double>(4, 1.0), "test"), y);
      },
      Error);
}

// ctest runs these tests with one library and with another.
TEST_F(Gpu, DirectSolverIsTheOneUnderTest) {
  const char* const library = std::getenv("RITZ_TEST_DIRECT_SOLVER");
  if (library == nullptr) GTEST_SKIP() << "no library is asked for";
  const SparseMatrix A = on(gpu, diagonal_matrix({1, 2}));
  EXPECT_NE(DirectSolver(A, DirectSolver::Kind::general).name().find(library), std::string::npos);
}

// Convection: the pattern is symmetric, the values are not.
Blocks convection_matrix(int n) {
  Blocks A = poisson_matrix(n);
  for (std::size_t row = 0; row + 1 < A.offsets.size(); ++row)
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      if (A.columns[k] != Index(row)) A.values[k] *= A.columns[k] < Index(row) ? 1.9 : 0.1;
  return A;
}

TEST_F(Gpu, DirectSolverSolvesUnsymmetricSystems) {
  const SparseMatrix A = on(gpu, convection_matrix(6));
  const std::vector<double> b = random_numbers(216, 9);
  Vector x(gpu, 216, "test");
  EXPECT_TRUE(DirectSolver(A, DirectSolver::Kind::general).solve(Vector(gpu, b, "test"), x).converged());
  EXPECT_LE(relative_residual(A, x.host(), b), 1e-12);
}

// A chain whose end points obey two equations: the multipliers stand on a diagonal of zeros, and are as many as there
// are negative eigenvalues.
TEST_F(Gpu, DirectSolverSolvesSystemsWithLagrangeMultipliers) {
  constexpr std::size_t n = 20, all = n + 2;
  std::vector<std::vector<double>> rows(all, std::vector<double>(all, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    rows[i][i] = 2;
    if (i > 0) rows[i][i - 1] = rows[i - 1][i] = -1;
  }
  rows[n][0] = rows[0][n] = rows[n + 1][n - 1] = rows[n - 1][n + 1] = 1;
  const SparseMatrix A = on(gpu, dense_matrix(rows));
  const std::vector<double> b = random_numbers(all, 10);
  Vector x(gpu, A.rows(), "test");
  DirectSolver solver(A, DirectSolver::Kind::symmetric);
  EXPECT_TRUE(solver.solve(Vector(gpu, b, "test"), x).converged());
  EXPECT_LE(relative_residual(A, x.host(), b), 1e-12);
  if (solver.knows_inertia()) { EXPECT_EQ(solver.negative_pivots(), 2); }
}

TEST_F(Gpu, DirectSolverSolvesForSeveralRightHandSidesAsForEach) {
  for (const auto kind : {DirectSolver::Kind::positive_definite, DirectSolver::Kind::general}) {
    const SparseMatrix A = on(gpu, poisson_matrix(6));
    DirectSolver solver(A, kind);
    solver.max_refinements = 0;
    MultiVector B(gpu, 216, 3), X(gpu, 216, 3);
    for (int j = 0; j < 3; ++j) B.set_column(j, Vector(gpu, random_numbers(216, 30 + unsigned(j)), "test"));
    for (const SolveReport& report : solver.solve(B, X)) EXPECT_TRUE(report.converged()) << summary(report);
    Vector b(gpu, 216, "test"), x(gpu, 216, "test"), one(gpu, 216, "test");
    for (int j = 0; j < 3; ++j) {
      B.get_column(j, b);
      X.get_column(j, x);
      EXPECT_TRUE(solver.solve(b, one).converged());
      axpy(-1.0, one, x);
      EXPECT_LE(max_abs(x), 1e-13 * max_abs(one)) << "column " << j;
    }
  }
}

// Promised by cuDSS in its deterministic mode, not by cuSOLVER.
TEST_F(Gpu, DirectSolverRepeatsItsBits) {
  const SparseMatrix identity = on(gpu, diagonal_matrix({1, 1}));
  if (DirectSolver(identity, DirectSolver::Kind::general).name().find("cuDSS") == std::string::npos)
    GTEST_SKIP() << "with cuDSS only";
  const Vector b(gpu, random_numbers(216, 11), "test");
  for (const auto kind :
       {DirectSolver::Kind::positive_definite, DirectSolver::Kind::symmetric, DirectSolver::Kind::general}) {
    const SparseMatrix A = on(gpu, poisson_matrix(6));
    std::vector<double> first;
    for (int run = 0; run < 3; ++run) {
      Vector x(gpu, 216, "test");
      DirectSolver solver(A, kind);
      solver.max_refinements = 0;
      EXPECT_TRUE(solver.solve(b, x).converged());
      if (run == 0) first = x.host();
      EXPECT_EQ(x.host(), first);
    }
  }
}

// Newton's method shortens its step after a singular matrix, and factorises again.
TEST_F(Gpu, DirectSolverFactorisesAgainAfterASingularMatrix) {
  const std::vector<double> b = random_numbers(64, 12);
  Vector x(gpu, 64, "test");
  for (const auto kind :
       {DirectSolver::Kind::positive_definite, DirectSolver::Kind::symmetric, DirectSolver::Kind::general}) {
    const Blocks regular = poisson_matrix(4);
    SparseMatrix A = on(gpu, regular);
    DirectSolver solver(A, kind);
    Blocks singular = regular;
    release(singular);
    if (kind == DirectSolver::Kind::positive_definite)
      for (double& value : singular.values) value = -value;
    A.values().upload(singular.values);
    EXPECT_THROW(solver.refactorise(), Error);
    A.values().upload(regular.values);
    solver.refactorise();
    EXPECT_TRUE(solver.solve(Vector(gpu, b, "test"), x).converged());
    EXPECT_LE(relative_residual(A, x.host(), b), 1e-12);
  }
}

// Its factors outgrow the memory without notice, so it takes matrices up to a size. Asked before anything is made of
// the matrix: a matrix of that size would take seconds here.
TEST_F(Gpu, DirectSolverRefusesAMatrixThatIsTooLargeForItsLibrary) {
  const auto& factory = *static_cast<const DirectFactoryThere*>(find_kernels(gpu.backend(), "ritz_direct", "direct"));
  const SparseMatrix A = on(gpu, diagonal_matrix({1, 2}));
  const bool has_bound = DirectSolver(A, DirectSolver::Kind::general).name().find("cuSOLVER") != std::string::npos;
  EXPECT_NO_THROW(factory.check_entries(20'000'000));
  try {
    factory.check_entries(20'000'001);
    EXPECT_FALSE(has_bound) << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::resources);
    EXPECT_NE(error.message().find("20000001 entries"), std::string::npos) << error.message();
    EXPECT_NE(error.fix().find("cuDSS"), std::string::npos) << error.fix();
  }
}

struct LittleMemory : ::testing::Test {
  void SetUp() override {
    if (list_devices().devices.size() < 2) GTEST_SKIP() << "skipped: no GPU";
    gpu = Device::named("gpu");
    if (gpu.info().memory_total >= 1'000'000) GTEST_SKIP() << "on an emulated GPU of less than 1 MB only";
  }
  Device gpu;
};

// From none to enough, in steps: whichever allocation fails, the error says so, nothing stays behind, and then it
// works.
TEST_F(LittleMemory, DirectSolversSayThatItIsMissing) {
  const auto left = [&] {
    gpu.memory().trim();
    return gpu.machine().current_info().memory_free;
  };
  for (const auto kind : {DirectSolver::Kind::positive_definite, DirectSolver::Kind::general}) {
    const SparseMatrix A = on(gpu, poisson_matrix(6));
    const Vector b(gpu, random_numbers(216, 13), "test");
    Vector x(gpu, 216, "test");
    const Index before = left();
    int failures = 0, solutions = 0;
    for (Index given = 4096; solutions == 0; given += 2048) {
      ASSERT_LT(given, before);
      const Array<std::uint8_t> taken(gpu, before - given, "test");
      try {
        solutions += DirectSolver(A, kind).solve(b, x).converged();
      } catch (const Error& error) {
        ++failures;
        ASSERT_EQ(error.exit(), Exit::resources) << error.message();
      }
    }
    EXPECT_GT(failures, 10);
    EXPECT_EQ(left(), before);
  }
}

// Memory that our own pool keeps for later is there for a library that takes its own.
TEST_F(LittleMemory, DirectSolversGetWhatThePoolKeeps) {
  const SparseMatrix A = on(gpu, poisson_matrix(6));
  const Vector b(gpu, random_numbers(216, 13), "test");
  Vector x(gpu, 216, "test");
  constexpr Index block = 16'384, enough_for_rows = 120'000;  // not for the factor
  std::vector<Array<std::uint8_t>> kept;
  while (gpu.machine().current_info().memory_free > enough_for_rows) kept.emplace_back(gpu, block, "test");
  kept.clear();
  EXPECT_GT(gpu.memory().statistics().cached, 10 * block);
  EXPECT_TRUE(DirectSolver(A, DirectSolver::Kind::general).solve(b, x).converged());
}

// Memory is taken between two factorisations: what is left is enough for reductions, and not for the library.
TEST_F(LittleMemory, DirectSolversSayThatItIsMissingForAnotherFactor) {
  const SparseMatrix A = on(gpu, poisson_matrix(6));
  const Vector b(gpu, random_numbers(216, 13), "test");
  Vector x(gpu, 216, "test");
  DirectSolver solver(A, DirectSolver::Kind::positive_definite);
  {
    std::vector<Array<std::uint8_t>> taken;
    while (gpu.machine().current_info().memory_free > 8192) taken.emplace_back(gpu, 1024, "test");
    try {
      solver.refactorise();
      ADD_FAILURE() << "there was memory";
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::resources);
      EXPECT_NE(error.message().find("failed in cu"), std::string::npos) << error.message();
    }
  }
  gpu.memory().trim();
  solver.refactorise();
  EXPECT_TRUE(solver.solve(b, x).converged());
}

TEST(SeveralGpus, DirectSolversWorkWhileAnotherOneIsChosen) {
  if (list_devices().devices.size() < 3) GTEST_SKIP() << "on two GPUs only";
  const Device gpu = Device::named("gpu:0"), other = Device::named("gpu:1");
  Vector there(other, 4, "test");
  const auto choose_other = [&] { there.fill_zero(); };
  SparseMatrix A = on(gpu, poisson_matrix(4));
  const Vector b(gpu, random_numbers(64, 14), "test");
  Vector x(gpu, 64, "test");
  {
    choose_other();
    DirectSolver solver(A, DirectSolver::Kind::symmetric);
    choose_other();
    solver.refactorise();
    choose_other();
    if (solver.knows_inertia()) { EXPECT_EQ(solver.negative_pivots(), 0); }
    choose_other();
    EXPECT_GE(solver.memory_bytes(), 0);
    choose_other();
    EXPECT_TRUE(solver.solve(b, x).converged());
    choose_other();
  }
  EXPECT_TRUE(DirectSolver(A, DirectSolver::Kind::general).solve(b, x).converged());
}

}  // namespace
}  // namespace ritz::testing
