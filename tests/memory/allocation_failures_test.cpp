// Allocations of a run fail, one in each run, on the device and on the host: the run ends with exit code 6 or with the
// right answer, and leaves nothing behind. All of the host with RITZ_ALL_FAULTS (tools/long_checks.sh), else some 200.
#include "fem/operator/evaluate.hpp"
#include "tests/memory/failing_new.hpp"

#include "fem/analysis/static_solution.hpp"
#include "fem/analysis/vibration.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/elasticity.hpp"
#include "fem/forms/loads.hpp"
#include "fem/forms/mass.hpp"
#include "fem/physics/mortar.hpp"
#include "fem/physics/surface_projection.hpp"
#include "mesh/generators.hpp"
#include "tests/fem/elements/structure.hpp"
#include "tests/fem/physics/two_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <new>
#include <omp.h>
#include <optional>

namespace ritz {
namespace {

using test::fail_new;
using test::live_news;
using test::new_calls;

struct Answer {
  std::vector<double> u, derived, reaction;
};

// Device, space, equations, solution, derived fields: what an app does between the mesh file and the results.
using Task = std::function<Answer(const Device&)>;

Answer solved(const FunctionSpace& space, const Operator& equations, const Constraints& fixed,
              const LinearSolverOptions& options) {
  const StaticSolution s = solve_static(equations, fixed, options);
  return {space.to_mesh(s.u), evaluate(equations, s.u).at_nodes, s.reaction};
}

// With several levels of multigrid.
LinearSolverOptions iterative(PreconditionerKind preconditioner) {
  LinearSolverOptions options{
      .method = LinearMethod::conjugate_gradient, .preconditioner = preconditioner, .relative = 1e-10};
  options.multigrid.coarsest_size = 30;
  return options;
}

Constraints held(const FunctionSpace& space, const char* side, double value) {
  Constraints fixed(space);
  for (int c = 0; c < space.components(); ++c) fixed.prescribe(space.mesh().region(side), c, value, "test");
  fixed.finish();
  return fixed;
}

Answer elasticity(const Device& device, const LinearSolverOptions& options) {
  const Mesh mesh = box(4, 2, 2, {4, 2, 2}, CellKind::hex8);
  constexpr Lame lame = Lame::from(1.0, 0.3);
  const FunctionSpace space(mesh, 3, device);
  const Constraints fixed = held(space, "x0", 0);
  const Operator equations(space, {Integral::over_all_cells(Elasticity{lame.lambda, lame.mu}),
                                   Integral::over(Load<3, 3, 1>{{0, -0.1, 0.02}}, mesh.region("x1"))});
  return solved(space, equations, fixed, options);
}

Answer heat(const Device& device, const LinearSolverOptions& options) {
  const Mesh mesh = box(2, 2, 2, {1, 1, 1}, CellKind::tet10);
  const FunctionSpace space(mesh, 1, device);
  const Constraints fixed = held(space, "z0", 20);
  const Operator equations(
      space, {Integral::over_all_cells(Diffusion<3>{2.0}), Integral::over_all_cells(Load<1, 3, 0>{{5.0}})});
  return solved(space, equations, fixed, options);
}

// A square plate of shells, clamped on a side, under pressure and a force at a corner: factorised.
Answer structure(const Device& device) {
  test::Structure plate(
      test::surface_mesh(3, 2, {3, 2}, test::flat), 6,
      {Integral::over_all_cells(Shell{{.young = 1e4, .poisson = 0.3, .thickness = 0.05}}),
       Integral::over_all_cells(ShellLoad{{0, 0, 0}, 1}), Integral::at_nodes(NodeLoad<6>{{0, 0.1, -0.2}, {}}, {0})},
      device);
  const std::vector<Node> side =
      test::nodes_where(plate.mesh, [](double x, double, double) { return test::same(x, 3); });
  const std::vector<double> u =
      plate.solve({{side, test::clamped}}, {.method = LinearMethod::direct, .relative = 1e-8});
  return {u, evaluate(plate.equations, plate.solution.u).at_nodes, plate.solution.reaction};
}

// A beam of three different edges, so that no two modes are alike. Frequencies, what they move, and the masses.
Answer modes(const Device& device, EigenMethod method) {
  const Mesh mesh = box(4, 2, 3, {4, 1.6, 2.4}, CellKind::hex8);
  constexpr Lame lame = Lame::from(1.0, 0.3);
  const FunctionSpace space(mesh, 3, device);
  const Constraints fixed = held(space, "x0", 0);
  EigenOptions options{.count = 3, .relative = 1e-8, .method = method};
  options.multigrid.coarsest_size = 30;
  const VibrationModes found =
      solve_vibration(Operator(space, {Integral::over_all_cells(Elasticity{lame.lambda, lame.mu})}),
                      Operator(space, {Integral::over_all_cells(Mass<3, 3>{1.0})}), fixed, {}, options);
  Answer answer{found.frequencies, {}, found.total_mass};
  for (const std::vector<double>& masses : found.effective_mass)
    answer.derived.insert(answer.derived.end(), masses.begin(), masses.end());
  return answer;
}

// Members of a sweep, with a matrix, lists and a factor or hierarchy that are kept: other loads, another material, the
// first again.
Answer sweep(const Device& device, const LinearSolverOptions& options) {
  const Mesh mesh = box(3, 3, 3, {1, 1, 1}, CellKind::hex8);
  const FunctionSpace space(mesh, 1, device);
  const Constraints fixed = held(space, "z0", 20);
  const auto numbers = [](double conductivity, double source) {
    return std::vector{Integral::over_all_cells(Diffusion<3>{conductivity}),
                       Integral::over_all_cells(Load<1, 3, 0>{{source}})};
  };
  Operator equations(space, numbers(2, 5));
  SystemCache reuse;
  Answer answer;
  for (const auto& [conductivity, source] : {std::pair{2.0, 5.0}, {2.0, 7.0}, {0.3, 7.0}, {2.0, 5.0}}) {
    if (!equations.inputs().set_numbers(numbers(conductivity, source)))
      throw Error(ErrorKind::internal, "the equations are the same");
    const StaticSolution s = std::move(
        solve_static(equations, LoadVectors{.cases = {{"", {}, &fixed, {}}}}, options, {}, &reuse).cases.front());
    const std::vector<double> u = space.to_mesh(s.u);
    answer.u.insert(answer.u.end(), u.begin(), u.end());
    answer.reaction.insert(answer.reaction.end(), s.reaction.begin(), s.reaction.end());
  }
  return answer;
}

struct Named {
  std::string name;
  Task task;
  double tolerance;       // when another way leads to the answer
  bool has_ways = false;  // where memory of the host is short
};

const std::vector<Named>& tasks() {
  static const std::vector<Named> list = {
      {"elasticity_multigrid", [](const Device& d) { return elasticity(d, iterative(PreconditionerKind::multigrid)); },
       1e-7, true},
      {"elasticity_auto", [](const Device& d) { return elasticity(d, {.relative = 1e-10}); }, 1e-7, true},
      {"heat_multigrid", [](const Device& d) { return heat(d, iterative(PreconditionerKind::multigrid)); }, 1e-7, true},
      {"heat_without_matrix",
       [](const Device& d) {
         LinearSolverOptions options = iterative(PreconditionerKind::chebyshev);
         options.operator_kind = OperatorKind::matrix_free;
         return heat(d, options);
       },
       1e-7, true},
      {"structure_direct", structure, 1e-7},
      {"modes_lanczos", [](const Device& d) { return modes(d, EigenMethod::lanczos); }, 1e-7},
      {"modes_lobpcg", [](const Device& d) { return modes(d, EigenMethod::lobpcg); }, 1e-6},
      {"sweep_multigrid", [](const Device& d) { return sweep(d, iterative(PreconditionerKind::multigrid)); }, 1e-7},
      {"sweep_direct", [](const Device& d) { return sweep(d, {.method = LinearMethod::direct, .relative = 1e-10}); },
       1e-7}};
  return list;
}

bool near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  if (a.size() != b.size()) return false;
  double largest = 0, off = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i]));
    off = std::max(off, std::abs(a[i] - b[i]));
  }
  return off <= tolerance * largest;
}

bool same(const Answer& a, const Answer& b, double tolerance) {
  return near(a.u, b.u, tolerance) && near(a.derived, b.derived, tolerance) && near(a.reaction, b.reaction, tolerance);
}

// nullopt: out of memory, as it should say. Any other error is a failure of the test.
std::optional<Answer> attempt(const Named& task, const Device& device) {
  try {
    return task.task(device);
  } catch (const std::bad_alloc&) {
  } catch (const Error& error) { EXPECT_EQ(error.exit(), Exit::resources) << error.what(); }
  return std::nullopt;
}

class AllocationFailures : public ::testing::TestWithParam<Named> {};
INSTANTIATE_TEST_SUITE_P(Runs, AllocationFailures, ::testing::ValuesIn(tasks()),
                         [](const auto& info) { return info.param.name; });

TEST_P(AllocationFailures, OnTheDevice) {
  for (const char* name : {"cpu", "fake"}) {
    const Device device = Device::named(name, 2);
    const Answer right = GetParam().task(device);
    int refused = 0, survived = 0;
    for (Index n = 1;; ++n) {
      device.memory().trim();
      const Index before = device.machine().calls().count(MachineCall::allocate);
      device.machine().calls().fail(MachineCall::allocate, n);
      const std::optional<Answer> answer = attempt(GetParam(), device);
      const bool failed = device.machine().calls().count(MachineCall::allocate) - before >= n;
      device.machine().calls().fail(MachineCall::allocate, 0);
      ASSERT_EQ(device.memory().statistics().live, 0) << name << ", allocation " << n;
      ASSERT_TRUE(!answer || same(*answer, right, GetParam().tolerance)) << name << ", allocation " << n;
      if (!failed) break;
      ++(answer ? survived : refused);
    }
    EXPECT_GT(refused + survived, 10);
    printf("%s, %s: %d allocations failed, %d runs ended with exit 6, %d went another way\n", GetParam().name.c_str(),
           name, refused + survived, refused, survived);
  }
}

TEST_P(AllocationFailures, OnTheHost) {
  const Device device = Device::named("cpu", 2);
  const Answer right = GetParam().task(device);
  { const Answer again = GetParam().task(device); }  // whatever is made once exists now,
  for (const Named& other : tasks())
    if (other.name == "structure_direct")
      other.task(device);  // also the factorisation's library, which some turn to when memory fails
  const long calls_before = new_calls();
  { const Answer again = GetParam().task(device); }
  const long calls = new_calls() - calls_before;
  const long step = std::getenv("RITZ_ALL_FAULTS") != nullptr ? 1 : std::max(1L, calls / 200);
  int refused = 0, survived = 0;
  for (long n = 1; n <= calls + calls / 10; n += step) {
    device.memory().trim();
    const long live = live_news();
    bool wrong = false;
    {
      fail_new(n);
      const std::optional<Answer> answer = attempt(GetParam(), device);
      fail_new(0);
      wrong = answer && !same(*answer, right, GetParam().tolerance);
      ++(answer ? survived : refused);
    }
    ASSERT_FALSE(wrong) << "allocation " << n << " of " << calls;
    ASSERT_EQ(device.memory().statistics().live, 0) << "allocation " << n << " of " << calls;
    device.memory().trim();
    // tags and phases that are new to the device
    ASSERT_LE(live_news() - live, 8) << "allocation " << n << " of " << calls;
  }
  EXPECT_GT(refused * step, 100);
  if (GetParam().has_ways) { EXPECT_GT(4 * survived * step, calls); }
  printf("%s: %ld allocations, %d runs ended with exit 6, %d did not\n", GetParam().name.c_str(), calls, refused,
         survived);
}

// Loops of several threads hand the errors of all threads on.
void expect_errors_where_new_fails(const std::function<void()>& work) {
  work();
  const long before = new_calls();
  work();
  const long calls = new_calls() - before;
  long refused = 0, tried = 0;
  for (long n = 1; n <= calls; n += std::max(1L, calls / 50)) {
    ++tried;
    fail_new(n);
    try {
      work();
    } catch (const std::bad_alloc&) { ++refused; }
    fail_new(0);
  }
  EXPECT_EQ(refused, tried);
  EXPECT_GT(tried, 5);
}

TEST(AllocationFailuresInLoops, FeetOfNodesAndMortars) {
  const Mesh mesh = test::two_parts({CellKind::hex8, CellKind::hex8});
  const FunctionSpace space(mesh, 1, Device::named("cpu", 2));
  const Region& follows = mesh.region("up_bottom");
  const SurfaceProjection onto(space, mesh.region("low_top"));
  std::vector<Point> points;
  for (const Node node : space.nodes_in(follows)) points.push_back(space.point(node));
  expect_errors_where_new_fails([&] { onto.feet_of(points); });
  expect_errors_where_new_fails([&] { mortar_rows(space, follows.facets, onto.facets(), {}); });
}

}  // namespace
}  // namespace ritz
