// Load cases that share a matrix: each is what it would be alone, and sums of them are solutions of the sums.
#include "fem/analysis/static_solution.hpp"

#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace ritz::test::static_solution_test {
namespace {

// An elastic patch held at x0, with loads whose sizes are given: on x1 along y, on y1 along x, in the volume along the
// last axis.
struct Loaded {
  explicit Loaded(CellKind kind)
      : dimension(traits(kind).dimension),
        mesh(patch(kind, {.random = 0.1})),
        space(mesh, dimension, Device::named("cpu", 2)) {}

  std::vector<Integral> stiffness() const { return {Integral::over_all_cells(elastic_form(dimension))}; }
  std::vector<Integral> loads(double on_x1, double on_y1, double in_volume) const {
    const auto c = static_cast<std::size_t>(dimension);
    std::vector<double> x(c, 0.0), y(c, 0.0), last(c, 0.0);
    y[1] = on_x1;
    x[0] = on_y1;
    last[c - 1] = in_volume;
    return {Integral::over(facet_load(dimension, y), mesh.region("x1")),
            Integral::over(facet_load(dimension, x), mesh.region("y1")),
            Integral::over_all_cells(volume_load(dimension, last))};
  }
  Operator together(const std::vector<Integral>& loads) const {
    std::vector<Integral> all = stiffness();
    all.insert(all.end(), loads.begin(), loads.end());
    return {space, all};
  }
  // Moved by `shift` along x.
  Constraints held(double shift = 0) const {
    Constraints fixed(space);
    for (int c = 0; c < dimension; ++c) fixed.prescribe(mesh.region("x0"), c, c == 0 ? shift : 0, "test");
    fixed.finish();
    return fixed;
  }

  int dimension;
  Mesh mesh;
  FunctionSpace space;
};

// The load cases, then their combinations.
std::vector<StaticSolution> solve_all(const Operator& equations, const LoadVectors& loads,
                                      const LinearSolverOptions& options, const Observer& observer = {}) {
  StaticSolutions solved = solve_static(equations, loads, options, observer);
  std::vector<StaticSolution> combined;
  for (std::size_t i = 0; i < loads.combinations.size(); ++i) combined.push_back(solved.combination(i));
  std::ranges::move(combined, std::back_inserter(solved.cases));
  return std::move(solved.cases);
}

double difference(const Vector& a, const Vector& b) {
  Vector d(a.device(), a.size(), "test");
  copy(a, d);
  axpy(-1.0, b, d);
  return norm2(d) / norm2(b);
}

std::vector<LinearSolverOptions> solvers(double relative) {
  return {{.method = LinearMethod::direct, .relative = relative},
          {.method = LinearMethod::conjugate_gradient, .relative = relative}};
}

// Three: fewer are solved one by one.
constexpr double sizes[3][3] = {{1.5, 0, 0}, {0, -2, 0.3}, {0.1, 0.2, 4}};

class LoadCasesOn : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, LoadCasesOn,
                         ::testing::Values(CellKind::tri3, CellKind::quad8, CellKind::tet10, CellKind::hex8),
                         kind_name);

// 1e-9: tolerance times the condition of a patch of some hundred unknowns.
TEST_P(LoadCasesOn, AreSolvedAsTheyWouldBeAlone) {
  const Loaded model(kind());
  const Operator equations(model.space, model.stiffness());
  const Constraints fixed = model.held(), moved = model.held(0.01);
  std::vector<std::vector<Integral>> own;
  own.reserve(3);
  LoadVectors loads;
  for (int i = 0; i < 3; ++i) {
    own.push_back(model.loads(sizes[i][0], sizes[i][1], sizes[i][2]));
    loads.cases.push_back({std::to_string(i), own.back(), i == 1 ? &moved : &fixed});
  }
  for (const LinearSolverOptions& options : solvers(1e-12)) {
    const std::vector<StaticSolution> all = solve_all(equations, loads, options);
    ASSERT_EQ(all.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      const StaticSolution alone = solve_static(model.together(model.loads(sizes[i][0], sizes[i][1], sizes[i][2])),
                                                *loads.cases[i].supports, options);
      EXPECT_LE(difference(all[i].u, alone.u), 1e-9);
      EXPECT_LE(all[i].residual, 1e-11);
      EXPECT_TRUE(all[i].report.converged());
      for (std::size_t c = 0; c < alone.applied.size(); ++c) EXPECT_NEAR(all[i].applied[c], alone.applied[c], 1e-13);
      for (std::size_t k = 0; k < alone.reaction.size(); ++k) EXPECT_NEAR(all[i].reaction[k], alone.reaction[k], 1e-9);
    }
  }
}

TEST_P(LoadCasesOn, ADifferentOrderGivesTheSameSolutions) {
  const Loaded model(kind());
  const Operator equations(model.space, model.stiffness());
  const Constraints fixed = model.held();
  std::vector<std::vector<Integral>> own;
  own.reserve(3);
  LoadVectors forward, backward;
  for (int i = 0; i < 3; ++i) {
    own.push_back(model.loads(sizes[i][0], sizes[i][1], sizes[i][2]));
    forward.cases.push_back({std::to_string(i), own.back(), &fixed});
  }
  backward.cases.assign(forward.cases.rbegin(), forward.cases.rend());
  for (const LinearSolverOptions& options : solvers(1e-8)) {
    const std::vector<StaticSolution> a = solve_all(equations, forward, options),
                                      b = solve_all(equations, backward, options);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(difference(a[i].u, b[2 - i].u), 1e-13);
  }
}

// With loads and a movement that all cases share: they count once.
// Nineteen load cases: groups of eight, eight and three. A run that knows some of them ends with the same bits as one
// that knows none.
TEST_P(LoadCasesOn, GoOnBehindWhatIsSolvedToTheLastBit) {
  const Loaded model(kind());
  const Operator equations(model.space, model.stiffness());
  const Constraints fixed = model.held(), moved = model.held(0.01);
  std::vector<std::vector<Integral>> own;
  own.reserve(19);
  LoadVectors loads{.combinations = {{"all", std::vector<double>(19, 0.5)}}, .common = &moved};
  for (int i = 0; i < 19; ++i) {
    own.push_back(model.loads(1 + 0.1 * i, std::cos(i), std::sin(i)));
    loads.cases.push_back({std::to_string(i), own.back(), i % 2 == 0 ? &fixed : &moved});
  }
  for (const LinearSolverOptions& options : solvers(1e-10)) {
    std::vector<SolvedColumns> stages;
    loads.known.clear();
    const auto keep = [&](const State& state) {
      EXPECT_TRUE(state.place.ends_with(" of 20 load cases")) << state.place;  // and what acts in all of them
      stages.push_back(state.columns);
    };
    const std::vector<StaticSolution> whole = solve_all(equations, loads, options, {.keep = keep});
    ASSERT_EQ(stages.size(), options.method == LinearMethod::direct ? 1u : 3u);
    if (stages.size() == 3) {
      EXPECT_EQ(stages[0].size(), 8u);
      EXPECT_EQ(stages[1].size(), 16u);
    }
    for (const SolvedColumns& stage : stages) {
      loads.known = stage;
      const std::vector<StaticSolution> rest = solve_all(equations, loads, options);
      ASSERT_EQ(rest.size(), whole.size());
      for (std::size_t i = 0; i < rest.size(); ++i) {
        EXPECT_EQ(rest[i].u.host(), whole[i].u.host()) << i << " with " << stage.size() << " known";
        EXPECT_EQ(rest[i].reaction, whole[i].reaction);
        EXPECT_EQ(rest[i].report.iterations, whole[i].report.iterations);
        EXPECT_EQ(rest[i].report.true_relative_residual, whole[i].report.true_relative_residual);
        EXPECT_EQ(rest[i].report.preconditioner, whole[i].report.preconditioner);
        EXPECT_NEAR(rest[i].report.error_estimate, whole[i].report.error_estimate,
                    1e-9 * std::abs(whole[i].report.error_estimate));
      }
    }
  }
}

TEST_P(LoadCasesOn, CombinationsSolveTheCombinedLoads) {
  const Loaded model(kind());
  const Operator equations = model.together(model.loads(0.7, 0.3, -1));
  const Constraints common = model.held(0.02), moved = model.held(-0.05);
  const std::vector<Integral> first = model.loads(1.5, 0, 0), second = model.loads(0, -2, 0.3);
  const LoadVectors loads{.cases = {{"first", first, &common}, {"second", second, &moved}},
                          .combinations = {{"both", {1, 1}}, {"factors", {1.35, -0.5}}, {"nothing", {0, 0}}},
                          .common = &common};
  for (const LinearSolverOptions& options : solvers(1e-12)) {
    const std::vector<StaticSolution> all = solve_all(equations, loads, options);
    ASSERT_EQ(all.size(), 5u);
    for (std::size_t k = 0; k < 3; ++k) {
      const double a = loads.combinations[k].factors[0], b = loads.combinations[k].factors[1];
      const StaticSolution alone = solve_static(model.together(model.loads(0.7 + 1.5 * a, 0.3 - 2 * b, -1 + 0.3 * b)),
                                                model.held(0.02 - 0.07 * b), options);
      EXPECT_LE(difference(all[2 + k].u, alone.u), 1e-9) << loads.combinations[k].name;
      EXPECT_LE(all[2 + k].residual, 1e-10);
      for (std::size_t c = 0; c < alone.applied.size(); ++c)
        EXPECT_NEAR(all[2 + k].applied[c], alone.applied[c], 1e-11);
      for (std::size_t i = 0; i < alone.reaction.size(); ++i)
        EXPECT_NEAR(all[2 + k].reaction[i], alone.reaction[i], 1e-9);
    }
  }
}

// Superposition leaves an error relative to the parts: too much where they cancel.
TEST(LoadCases, WhatCancelsInACombinationIsSolvedFor) {
  const Loaded model(CellKind::hex8);
  const Operator equations(model.space, model.stiffness());
  const Constraints fixed = model.held();
  const std::vector<Integral> a = model.loads(1, 0, 0), b = model.loads(1, 1e-4, 1), c = model.loads(0, 0, 1);
  const LoadVectors loads{.cases = {{"a", a, &fixed}, {"b", b, &fixed}, {"c", c, &fixed}},
                          .combinations = {{"difference", {-1, 1, -1}}, {"sum", {1, 1, 1}}},
                          .common = &fixed};
  const StaticSolution exact =
      solve_static(model.together(model.loads(0, 1e-4, 0)), fixed, {.method = LinearMethod::direct, .relative = 1e-12});
  // either solver was given back, and is made again
  for (const OperatorKind kind : {OperatorKind::matrix, OperatorKind::matrix_free}) {
    const LinearSolverOptions options{.method = LinearMethod::conjugate_gradient,
                                      .preconditioner = PreconditionerKind::jacobi,
                                      .relative = 1e-6,
                                      .operator_kind = kind};
    const std::vector<StaticSolution> all = solve_all(equations, loads, options);
    EXPECT_LE(all[3].residual, 1e-6);
    EXPECT_GT(all[3].report.iterations, 0);
    EXPECT_NE(all[3].report.choice.find("cancel"), std::string::npos);
    EXPECT_LE(difference(all[3].u, exact.u), 1e-4);
    EXPECT_EQ(all[4].report.method, "superposition");
  }
}

TEST(LoadCases, ExactCancellationIsNoSolveAtAll) {
  const Loaded model(CellKind::hex8);
  const Operator equations(model.space, model.stiffness());
  const Constraints fixed = model.held();
  const std::vector<Integral> a = model.loads(1, 0, 0), c = model.loads(3, 0, 0);
  const LoadVectors loads{
      .cases = {{"a", a, &fixed}, {"c", c, &fixed}}, .combinations = {{"a - c / 3", {1, -1.0 / 3}}}, .common = &fixed};
  for (const LinearSolverOptions& options : solvers(1e-8)) {
    const std::vector<StaticSolution> all = solve_all(equations, loads, options);
    EXPECT_LE(norm2(all[2].u), 1e-6 * norm2(all[0].u));
  }
}

TEST(LoadCases, WithoutALoadNothingMoves) {
  const Loaded model(CellKind::hex8);
  const Operator equations(model.space, model.stiffness());
  const std::vector<Integral> pulled = model.loads(1, 0, 0);
  const Constraints fixed = model.held();
  const LoadVectors loads{.cases = {{"nothing", {}, &fixed}, {"pulled", pulled, &fixed}, {"again", pulled, &fixed}}};
  for (const LinearSolverOptions& options : solvers(1e-8)) {
    const std::vector<StaticSolution> all = solve_all(equations, loads, options);
    EXPECT_EQ(norm2(all[0].u), 0);
    EXPECT_LE(difference(all[1].u, all[2].u), 1e-13);  // a library may add the columns of a block in different orders
  }
}

template <class Run>
std::string message_of(Exit exit, const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), exit) << error.what();
    std::string text = error.message();
    if (const auto* several = dynamic_cast<const Errors*>(&error)) {
      text.clear();
      for (const Error& each : several->list()) text += each.message() + "\n";
    }
    return text;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(LoadCases, ThoseThatDoNotConvergeAreNamed) {
  const Loaded model(CellKind::hex8);
  const Operator equations(model.space, model.stiffness());
  const std::vector<Integral> pulled = model.loads(1, 0, 0), heavy = model.loads(0, 0, 1);
  const Constraints fixed = model.held();
  const LoadVectors loads{.cases = {{"wind", pulled, &fixed}, {"idle", {}, &fixed}, {"snow", heavy, &fixed}}};
  const LinearSolverOptions options{
      .method = LinearMethod::conjugate_gradient, .preconditioner = PreconditionerKind::jacobi, .max_iterations = 2};
  const std::string message = message_of(Exit::not_converged, [&] { solve_static(equations, loads, options); });
  EXPECT_NE(message.find("load case 'wind': the linear solver"), std::string::npos) << message;
  EXPECT_NE(message.find("load case 'snow': the linear solver"), std::string::npos) << message;
  EXPECT_EQ(message.find("idle"), std::string::npos) << message;
}

TEST(LoadCases, LoadsThatAreNotFiniteAreNamed) {
  const Loaded model(CellKind::hex8);
  const double huge = std::numeric_limits<double>::max();
  const Operator equations(model.space, model.stiffness());
  const std::vector<Integral> pulled = model.loads(1, 0, 0), bad = model.loads(huge, huge, 10 * huge);
  const Constraints fixed = model.held();
  const LoadVectors loads{.cases = {{"wind", pulled, &fixed}, {"flood", bad, &fixed}}};
  EXPECT_NE(
      message_of(Exit::model, [&] { solve_static(equations, loads, {}); }).find("load case 'flood': the loads at node"),
      std::string::npos);
}

TEST(LoadCases, PrescribeTheSameUnknownsOrSayWhereNot) {
  const Loaded model(CellKind::hex8);
  const Operator equations(model.space, model.stiffness());
  const Constraints fixed = model.held();
  Constraints more = model.held();
  more.prescribe(model.mesh.region("x1"), 2, 0.1, "test");
  more.finish();
  const LoadVectors loads{.cases = {{"wind", {}, &fixed}, {"push", {}, &more}}};
  const std::string message = message_of(Exit::model, [&] { solve_static(equations, loads, {}); });
  EXPECT_NE(message.find("component z at node"), std::string::npos) << message;
  EXPECT_NE(message.find("is prescribed in load case 'push' and free in load case 'wind'"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace ritz::test::static_solution_test
