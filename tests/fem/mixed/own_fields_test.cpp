// Every rank runs the same program: problems of one field and of several, on edges and facets, by each iteration, have
// the solution of one process. Threads pose as ranks.
#include "fem/ranks/own_fields.hpp"

#include "fem/forms/diffusion.hpp"
#include "fem/forms/loads.hpp"
#include "fem/physics/model.hpp"
#include "tests/fem/mixed/mixed_problems.hpp"
#include "tests/solvers/thread_ranks.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace ritz::test {
namespace {

std::unique_ptr<Problem> heat(const Device& device) {
  auto problem = std::make_unique<Problem>(disturbed_mesh(CellKind::hex8, 5), form_of<MixedPoisson>(3, 1.0),
                                           std::vector<Integral>{}, device);
  problem->spaces = {FunctionSpace(problem->mesh, 1, device)};
  remake(problem->equations, problem->spaces, {},
         {Integral::over_all_cells(Diffusion<3>{2.0}), Integral::over_all_cells(volume_load(3, std::array{1.0}))});
  problem->supports = FieldsConstraints(problem->spaces);
  problem->supports[0].prescribe(problem->mesh.region("x0"), 0, PointFunction(1 + PointExpression::y()), "warm");
  problem->supports.finish();
  return problem;
}

struct Case {
  const char* name;
  std::unique_ptr<Problem> (*make)(const Device& device);
  LinearMethod method;
  double more = 0;  // iterations beside one, as a part of those of one process
};
const Case cases[] = {
    {"heat", heat, LinearMethod::conjugate_gradient},
    {"heat", heat, LinearMethod::minres},
    {"flow", [](const Device& device) { return flow(CellKind::tri3, 9, Stokes<2>{0.5}, 1, device); },
     LinearMethod::minres},
    {"flow", [](const Device& device) { return flow(CellKind::hex8, 3, Stokes<3>{0.5}, 1, device); },
     LinearMethod::gmres},
    {"seepage", [](const Device& device) { return seepage(CellKind::quad4, 9, 2, device); }, LinearMethod::minres, 0.2},
    {"current", [](const Device& device) { return current(CellKind::tet4, 4, 1, 0, device); }, LinearMethod::minres,
     0.2},
    {"warming", [](const Device& device) { return warming(CellKind::tri3, 8, device); }, LinearMethod::gmres},
};

LinearSolverOptions options_of(const Case& each) {
  return {.method = each.method, .relative = 1e-6, .promise = MatrixPromise::positive_definite};
}

TEST(OwnFields, FindTheSolutionOfOneProcessInAsManyIterations) {
  for (const Case& each : cases) {
    const std::unique_ptr<Problem> whole = each.make(Device::named("cpu", 1));
    const StaticSolution alone = solve_static(whole->equations, whole->supports, options_of(each));
    const std::vector<double> expected = alone.u.host(), &reaction = alone.reaction;
    for (const int count : {1, 2, 3}) {
      std::vector<std::vector<double>> found(static_cast<std::size_t>(count)), held = found;
      std::vector<int> iterations(found.size());
      ritz::testing::on_ranks(count, [&](Ranks& ranks) {
        const std::unique_ptr<Problem> mine = each.make(Device::named("cpu", 1));
        LinearSolverOptions options = options_of(each);
        options.ranks = &ranks;
        const StaticSolution s = solve_static(mine->equations, mine->supports, options);
        const auto rank = static_cast<std::size_t>(ranks.rank());
        iterations[rank] = s.report.iterations;
        found[rank] = s.u.host();
        held[rank] = s.reaction;
        EXPECT_LT(s.residual, 1e-5);
      });
      for (const auto& [of_ranks, of_one] : {std::pair(&found, &expected), std::pair(&held, &reaction)}) {
        const double size = std::abs(std::ranges::max(*of_one, {}, [](double x) { return std::abs(x); }));
        for (const std::vector<double>& of_rank : *of_ranks) {
          ASSERT_EQ(of_rank.size(), of_one->size());
          for (std::size_t i = 0; i < of_one->size(); ++i)
            ASSERT_NEAR(of_rank[i], (*of_one)[i], 2e-4 * size) << each.name << ", unknown " << i;
        }
      }
      for (const int mine : iterations)
        EXPECT_LE(std::abs(mine - alone.report.iterations), 1 + each.more * alone.report.iterations)
            << each.name << " on " << count << " ranks: " << mine << ", alone " << alone.report.iterations;
    }
  }
}

// The pressure of a flow at rest on all sides has no level; a body that nothing holds may turn.
TEST(OwnFields, NameTheMotionThatNothingHolds) {
  ritz::testing::on_ranks(2, [](Ranks& ranks) {
    const std::unique_ptr<Problem> closed = flow(CellKind::tri3, 6, Stokes<2>{1}, 1, Device::named("cpu", 1));
    for (int c = 0; c < 2; ++c) closed->supports[0].prescribe(closed->mesh.region("x1"), c, 0.0, "x1");
    closed->supports.finish();
    try {
      solve_static(closed->equations, closed->supports, {.method = LinearMethod::minres, .ranks = &ranks});
      ADD_FAILURE() << "a pressure without a level was found";
    } catch (const AgreedError& error) {
      EXPECT_EQ(error.exit(), Exit::model);
      EXPECT_NE(error.message().find("a constant may be added to the field 'pressure'"), std::string::npos);
    }
  });
}

// A current that ends in the mesh has no field where gradients are free.
TEST(OwnFields, RefuseACurrentThatEndsInTheMesh) {
  ritz::testing::on_ranks(2, [](Ranks& ranks) {
    const std::unique_ptr<Problem> coil = current(CellKind::tri3, 6, 0, 0, Device::named("cpu", 1));
    try {
      solve_static(coil->equations, coil->supports, {.method = LinearMethod::minres, .ranks = &ranks});
      ADD_FAILURE() << "a current that ends has a field";
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::model);
      EXPECT_NE(error.message().find("not free of divergence"), std::string::npos) << error.message();
    }
  });
}

}  // namespace
}  // namespace ritz::test
