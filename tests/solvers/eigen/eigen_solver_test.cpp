// Facts of -lap u = lambda u on rectangles, whose eigenvalues are pi^2 (i^2 / a^2 + j^2 / b^2), and of the algebra.
#include "tests/solvers/eigen/models.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/algebra/solver_progress.hpp"
#include "solvers/eigen/shift_invert.hpp"
#include "tests/solvers/matrices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ritz::testing {
namespace {

constexpr EigenMethod methods[] = {EigenMethod::lanczos, EigenMethod::lobpcg};

std::vector<double> exact_membrane(double a, double b, bool held, std::size_t count) {
  std::vector<double> values;
  for (int i = held ? 1 : 0; i < 60; ++i)
    for (int j = held ? 1 : 0; j < 60; ++j)
      values.push_back(std::numbers::pi * std::numbers::pi * (i * i / (a * a) + j * j / (b * b)));
  std::ranges::sort(values);
  values.resize(count);
  return values;
}

Exit exit_of(const auto& action, std::string* message = nullptr) {
  try {
    action();
  } catch (const Error& error) {
    if (message != nullptr) *message = error.message();
    return error.exit();
  }
  return Exit::ok;
}

class Methods : public ::testing::TestWithParam<EigenMethod> {
 protected:
  void SetUp() override {
    if (GetParam() == EigenMethod::lobpcg) return;
    const Vibration v = membrane(2, 2, {1, 1}, CellKind::quad4, {"x0"});
    if (exit_of([&] { v.solve({.count = 1, .method = EigenMethod::lanczos}); }) == Exit::environment)
      GTEST_SKIP() << "skipped: no direct solver";
  }
};
INSTANTIATE_TEST_SUITE_P(Eigen, Methods, ::testing::ValuesIn(methods),
                         [](const auto& info) { return name_of(info.param); });

// A square has double eigenvalues (i, j), (j, i).
TEST_P(Methods, FindEveryDoubleEigenvalueOfASquare) {
  const Vibration v = membrane(24, 24, {1, 1}, CellKind::quad9, all_sides);
  const EigenSolution s = v.solve({.count = 20, .method = GetParam()});
  ASSERT_TRUE(s.converged()) << s.method;
  const std::vector<double> exact = exact_membrane(1, 1, true, 20);
  for (std::size_t k = 0; k < exact.size(); ++k) EXPECT_NEAR(s.values[k], exact[k], 3e-4 * exact[k]) << k;
  EXPECT_EQ(s.verified, GetParam() == EigenMethod::lanczos) << s.verification;
}

TEST_P(Methods, TellTheConvergedPairsFromTheFirstIterationToTheLast) {
  const Vibration v = membrane(24, 24, {1, 1}, CellKind::quad9, all_sides);
  std::vector<std::string> heard;
  const SolverListener listening([&](const std::string& text) {
    if (text.starts_with("modes: ")) heard.push_back(text);
  });
  ASSERT_TRUE(v.solve({.count = 6, .method = GetParam()}).converged());
  ASSERT_GE(heard.size(), 2u);
  EXPECT_THAT(heard.front(), ::testing::StartsWith("modes: 0 of 6 converged, "));
  EXPECT_THAT(heard.back(), ::testing::StartsWith("modes: 6 of 6 converged, "));
  EXPECT_THAT(heard, ::testing::Contains(::testing::MatchesRegex(".*iteration [0-9]+, residual .*, target .*")));
}

TEST_P(Methods, VectorsAreOrthonormalAndResidualsAreWhatTheySay) {
  const Vibration v = membrane(15, 10, {3, 2}, CellKind::tri6, {"x0"});
  const EigenSolution s = v.solve({.count = 12, .method = GetParam()});
  ASSERT_TRUE(s.converged());
  MultiVector MX(v.K->device(), v.K->rows(), 12), KX(v.K->device(), v.K->rows(), 12);
  v.M->apply_block(*s.vectors, MX);
  v.K->apply_block(*s.vectors, KX);
  const std::vector<double> mass = gram(*s.vectors, MX), stiffness = gram(*s.vectors, KX);
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) {
      EXPECT_NEAR(mass[i * 12 + j], i == j ? 1 : 0, 1e-12);
      EXPECT_NEAR(stiffness[i * 12 + j], i == j ? s.values[i] : 0, 1e-11 * s.values.back());
    }
  const std::vector<double> size = column_norms(MX);
  std::vector<double> minus(144, 0.0);
  for (std::size_t i = 0; i < 12; ++i) minus[i * 12 + i] = -s.values[i];
  combine(MX, minus, 1.0, KX);
  const std::vector<double> residual = column_norms(KX);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_LE(s.residuals[i], 1e-6);
    EXPECT_NEAR(residual[i] / (s.values[i] * size[i]), s.residuals[i], 1e-3 * s.residuals[i] + 1e-13);
  }
}

TEST_P(Methods, AFreeBodyHasItsConstantAsZero) {
  const Vibration v = membrane(12, 8, {3, 2}, CellKind::quad8, {});
  for (const int known_zeros : {1, 0}) {
    // multigrid of a singular matrix must be asked for
    if (known_zeros == 0 && GetParam() == EigenMethod::lobpcg) continue;
    const EigenSolution s = v.solve({.count = 9, .method = GetParam(), .zero_count = known_zeros});
    ASSERT_TRUE(s.converged()) << s.method;
    const std::vector<double> exact = exact_membrane(3, 2, false, 9);
    EXPECT_NEAR(s.values[0], 0, 1e-9 * exact[1]);
    for (std::size_t k = 1; k < exact.size(); ++k) EXPECT_NEAR(s.values[k], exact[k], 1e-3 * exact[k]) << k;
  }
}

// Discrete eigenvalues lie above the exact ones and approach them with h^(2p) (Strang and Fix 1973, section 6.3).
TEST_P(Methods, EigenvaluesComeFromAboveWithTwiceTheOrder) {
  for (const CellKind kind : {CellKind::tri3, CellKind::quad4, CellKind::tri6, CellKind::quad9}) {
    const std::vector<double> exact = exact_membrane(1.5, 1, true, 4);
    double errors[2][4];
    for (const int level : {0, 1}) {
      const Index n = 12 << level;
      const EigenSolution s =
          membrane(n, n, {1.5, 1}, kind, all_sides).solve({.count = 4, .relative = 1e-8, .method = GetParam()});
      ASSERT_TRUE(s.converged());
      for (std::size_t k = 0; k < 4; ++k) {
        errors[level][k] = s.values[k] / exact[k] - 1;
        EXPECT_GT(errors[level][k], 0) << traits(kind).name << ' ' << k;
      }
    }
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(std::log2(errors[0][k] / errors[1][k]), 2 * traits(kind).order, 0.35)
          << traits(kind).name << ' ' << k;
  }
}

TEST_P(Methods, ThreadsDoNotChangeABit) {
  std::vector<double> first;
  for (const int threads : {1, 2, 3}) {
    const EigenSolution s = membrane(20, 15, {4, 3}, CellKind::quad8, {"x0"}, Device::named("cpu", threads))
                                .solve({.count = 7, .method = GetParam()});
    std::vector<double> numbers = s.values, vectors = s.vectors->values().host();
    numbers.insert(numbers.end(), vectors.begin(), vectors.end());
    if (threads == 1) first = numbers;
    EXPECT_EQ(numbers, first) << threads;
  }
}

TEST_P(Methods, ScaleOfTheUnitsDoesNotMatter) {
  for (const double unit : {1e-9, 1e12}) {
    Vibration v = membrane(10, 8, {2, 1}, CellKind::quad9, all_sides);
    const double before = v.solve({.count = 3, .method = GetParam()}).values[2];
    axpby(0.0, v.M->values(), unit, v.M->values());
    const EigenSolution s = v.solve({.count = 3, .method = GetParam()});
    ASSERT_TRUE(s.converged());
    EXPECT_NEAR(s.values[2] * unit, before, 1e-9 * before);
  }
}

TEST_P(Methods, AreStoppedByTheirLimitAndSaySo) {
  const Vibration v = membrane(30, 30, {1, 1}, CellKind::quad4, all_sides);
  const EigenSolution s = v.solve({.count = 30, .relative = 1e-12, .method = GetParam(), .max_iterations = 2});
  EXPECT_FALSE(s.converged());
  EXPECT_EQ(s.reason, StopReason::iteration_limit);
  EXPECT_FALSE(s.verified);
}

// All eigenvalues of a matrix, more than one block and fewer unknowns than the method would like.
TEST(Lanczos, FindsAllEigenvaluesOfASmallMatrix) {
  const Vibration v = membrane(4, 4, {1, 1}, CellKind::quad4, all_sides);
  const EigenSolution s = v.solve({.count = 9, .method = EigenMethod::lanczos});
  ASSERT_TRUE(s.converged());
  EXPECT_TRUE(s.verified) << s.verification;
  // Products of the one-dimensional problem: lambda_i = 6 n^2 (1 - cos) / (2 + cos), angle i pi / n (Strang and Fix
  // 1973).
  std::vector<double> exact;
  const auto line = [](int i) {
    return 96 * (1 - std::cos(i * std::numbers::pi / 4)) / (2 + std::cos(i * std::numbers::pi / 4));
  };
  for (int i = 1; i < 4; ++i)
    for (int j = 1; j < 4; ++j) exact.push_back(line(i) + line(j));
  std::ranges::sort(exact);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(s.values[k], exact[k], 1e-12 * exact[k]);
}

// More copies of an eigenvalue than a block is wide: ten equal squares that do not touch.
TEST(Lanczos, MissesNoCopyOfATenfoldEigenvalue) {
  MeshData data = rectangle_data(6, 6, {1, 1}, CellKind::quad4);
  const std::vector<double> points = data.points;
  const std::vector<Node> nodes = data.blocks[0].nodes;
  data.regions.clear();
  for (int copy = 1; copy < 10; ++copy) {
    for (std::size_t i = 0; i < points.size(); ++i) data.points.push_back(points[i] + (i % 3 == 0 ? 2.0 * copy : 0.0));
    for (const Node node : nodes) data.blocks[0].nodes.push_back(node + copy * Node(points.size() / 3));
  }
  const Vibration v =
      make_vibration(Mesh(std::move(data)), Diffusion<2>{1}, Mass<1, 2>{1}, {}, Device::named("cpu", 1));
  for (const int known_zeros : {10, 0}) {
    const EigenSolution s = v.solve({.count = 30, .method = EigenMethod::lanczos, .zero_count = known_zeros});
    ASSERT_TRUE(s.converged()) << name_of(s.reason) << ": " << s.verification;
    EXPECT_TRUE(s.verified) << s.verification;
    for (std::size_t k = 0; k < 10; ++k) EXPECT_NEAR(s.values[k], 0, 1e-8);
    // (1, 0) and (0, 1)
    for (std::size_t k = 10; k < 30; ++k) EXPECT_NEAR(s.values[k], s.values[10], 1e-9 * s.values[10]);
  }
}

TEST(Lanczos, ABandHoldsExactlyWhatLiesInIt) {
  const Vibration v = membrane(24, 24, {1, 1}, CellKind::quad9, all_sides);
  const std::vector<double> all = v.solve({.count = 40, .method = EigenMethod::lanczos}).values;
  for (const auto& [low, high] :
       {std::pair{0.0, 101.0}, std::pair{101.0, 200.0}, std::pair{130.0, 300.0}, std::pair{49.0, 50.0}}) {
    std::vector<double> expected;
    for (const double value : all)
      if (value >= low && value <= high) expected.push_back(value);
    const EigenSolution s = v.solve({.band = EigenBand{low, high}});
    ASSERT_TRUE(s.converged());
    EXPECT_TRUE(s.verified) << s.verification;
    ASSERT_EQ(s.values.size(), expected.size()) << low;
    for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(s.values[k], expected[k], 1e-9 * expected[k]);
  }
}

TEST(Lanczos, ABandWithoutEigenvaluesIsAnAnswer) {
  const EigenSolution s = membrane(8, 8, {1, 1}, CellKind::quad9, all_sides).solve({.band = EigenBand{1, 15}});
  EXPECT_TRUE(s.converged());
  EXPECT_TRUE(s.verified);
  EXPECT_TRUE(s.values.empty());
}

// K - 3 I is singular: the shift moves, by less than what tells two eigenvalues apart.
TEST(ShiftInvert, AShiftThatIsAnEigenvalueMovesByLittle) {
  const SparseMatrix K = on(Device::named("cpu"), diagonal_matrix({1, 2, 3, 4, 5}));
  SparseMatrix M(K.shared_pattern(), 1);
  M.values().upload(std::vector<double>(5, 1.0));
  SparseMatrix A(K.shared_pattern(), 1);
  const ShiftedMatrix shifted = [&](double shift) -> DirectInput {
    A.values().copy_from(K.values());
    axpy(-shift, M.values(), A.values());
    return A;
  };
  const AttachedMotions none;
  ShiftInvert inverse(shifted, {}, none);
  inverse.move_to(3);
  EXPECT_GT(inverse.factorisations(), 1);
  EXPECT_NEAR(inverse.shift(), 3, 3e-6);
  EXPECT_EQ(inverse.count_below(), 3);
}

TEST(EigenSolver, RefusesWhatHasNoAnswer) {
  const Vibration v = membrane(4, 4, {1, 1}, CellKind::quad4, all_sides);
  std::string message;
  EXPECT_EQ(exit_of([&] { v.solve({.count = 0}); }, &message), Exit::input);
  EXPECT_NE(message.find("0 eigenvalues"), std::string::npos);
  EXPECT_EQ(exit_of([&] { v.solve({.count = 10}); }, &message), Exit::input);
  EXPECT_NE(message.find("only 9 unknowns"), std::string::npos) << message;
  EXPECT_EQ(exit_of([&] { v.solve({.band = EigenBand{5, 5}}); }), Exit::input);
  EXPECT_EQ(exit_of([&] { v.solve({.band = EigenBand{-5, -1}}); }), Exit::input);
  EXPECT_EQ(exit_of([&] { v.solve({.band = EigenBand{1, 2}, .method = EigenMethod::lobpcg}); }), Exit::input);
  const Vibration held = membrane(1, 1, {1, 1}, CellKind::quad4, all_sides);
  EXPECT_EQ(exit_of([&] { held.solve({.count = 1}); }), Exit::model);
  v.M->values().fill_zero();
  EXPECT_EQ(exit_of([&] { v.solve({.count = 1}); }), Exit::model);
}

void add_to_diagonal(SparseMatrix& A, std::size_t row, double value) {
  const std::vector<Index> offsets = A.pattern().offsets().host();
  const std::vector<std::int32_t> columns = A.pattern().columns().host();
  std::vector<double> values = A.values().host();
  for (auto k = static_cast<std::size_t>(offsets[row]); k < static_cast<std::size_t>(offsets[row + 1]); ++k)
    if (static_cast<std::size_t>(columns[k]) == row) values[k] += value;
  A.values().upload(values);
}

// Springs and masses of single unknowns are entries of the diagonal, and a motion that is held is a support.
TEST(AttachedMotions, OfSingleUnknownsAreInTheMatrices) {
  const Vibration v = membrane(8, 8, {1, 1}, CellKind::quad4, {"x0"}),
                  with = membrane(8, 8, {1, 1}, CellKind::quad4, {"x0"});
  const Index n = v.K->rows();
  std::vector<std::size_t> free;  // prescribed unknowns have no mass
  const std::vector<double> mass = v.M->diagonal().host();
  for (std::size_t i = 0; i < mass.size(); ++i)
    if (mass[i] > 0) free.push_back(i);
  const std::size_t at[] = {free[20], free[45], free[33]};
  AttachedMotions motions{
      MultiVector(v.K->device(), n, 3), {40, 0, std::numeric_limits<double>::infinity()}, {0.1, 0.3, 0}};
  for (std::size_t j = 0; j < 3; ++j) {
    std::vector<double> unit(static_cast<std::size_t>(n), 0.0);
    unit[at[j]] = 1;
    motions.U.set_column(static_cast<int>(j), Vector(v.K->device(), std::span<const double>(unit), "vectors"));
  }
  for (std::size_t j = 0; j < 2; ++j) {
    add_to_diagonal(*with.K, at[j], motions.stiffness[j]);
    add_to_diagonal(*with.M, at[j], motions.mass[j]);
  }
  std::vector<std::uint8_t> held(static_cast<std::size_t>(n), 0);
  held[at[2]] = 1;
  const Array<std::uint8_t> mask(v.K->device(), std::span<const std::uint8_t>(held), "constraints");
  with.K->eliminate(mask, 1e3);
  with.M->eliminate(mask, 0);
  EigenOptions options{.count = 6, .relative = 1e-9, .method = EigenMethod::lanczos};
  if (exit_of([&] { v.solve(options); }) == Exit::environment) GTEST_SKIP() << "skipped: no direct solver";
  const EigenSolution exact = with.solve(options), found = solve_eigen(*v.K, *v.M, options, v.geometry(), motions);
  ASSERT_TRUE(found.converged());
  EXPECT_TRUE(found.verified) << found.verification;
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(found.values[k], exact.values[k], 1e-8 * exact.values[k]) << k;
  options.band = EigenBand{exact.values[1] * 1.01, exact.values[4] * 1.001};  // inertia counts them
  EXPECT_EQ(solve_eigen(*v.K, *v.M, options, v.geometry(), motions).values.size(), 3U);
  options.band.reset();
  options.method = EigenMethod::lobpcg;
  EXPECT_EQ(exit_of([&] { solve_eigen(*v.K, *v.M, options, v.geometry(), motions); }), Exit::input);
  motions.stiffness = {0, 0, 0};
  const EigenSolution iterated = solve_eigen(*v.K, *v.M, options, v.geometry(), motions);
  options.method = EigenMethod::lanczos;
  const EigenSolution factorised = solve_eigen(*v.K, *v.M, options, v.geometry(), motions);
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(iterated.values[k], factorised.values[k], 1e-8 * factorised.values[k]) << k;
}

// Ties and springs leave pairs of unknowns that move a mass together: 15 unknowns with mass, 13 motions. A pair of
// springs in a row has 1 / (1 / k + 1 / l).
TEST(Lobpcg, FindsModesWhereFewerMotionsThanUnknownsHaveMass) {
  constexpr std::size_t n = 15;
  std::vector<std::vector<double>> stiffness(n, std::vector<double>(n, 0.0));
  std::vector<double> mass(n * n, 0.0), exact;
  for (std::size_t i = 0; i < n; ++i) {
    stiffness[i][i] = 1 + 0.5 * double(i);
    mass[i * n + i] = 1;
    if (i >= 4) exact.push_back(stiffness[i][i]);
  }
  for (const std::size_t i : {0, 2}) {
    mass[i * n + i + 1] = mass[(i + 1) * n + i] = 1;
    exact.push_back(1 / (1 / stiffness[i][i] + 1 / stiffness[i + 1][i + 1]));
  }
  std::ranges::sort(exact);
  const SparseMatrix K = on(Device::named("cpu", 1), dense_matrix(stiffness));
  SparseMatrix M(K.shared_pattern(), 1);
  M.values().upload(mass);
  const EigenSolution s = solve_eigen(K, M, {.count = 8, .method = EigenMethod::lobpcg}, {});
  ASSERT_TRUE(s.converged()) << name_of(s.reason);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(s.values[k], exact[k], 1e-6 * exact[k]);
}

TEST(EigenSolver, BothMethodsAgree) {
  const Vibration v = elastic_box(4, {2, 1, 1}, CellKind::hex20, true);
  const EigenSolution a = v.solve({.count = 15, .method = EigenMethod::lanczos}),
                      b = v.solve({.count = 15, .method = EigenMethod::lobpcg});
  ASSERT_TRUE(a.converged() && b.converged());
  for (std::size_t k = 0; k < 15; ++k) EXPECT_NEAR(a.values[k], b.values[k], 1e-9 * a.values[k]) << k;
}

}  // namespace
}  // namespace ritz::testing
