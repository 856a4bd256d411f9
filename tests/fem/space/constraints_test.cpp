// Prescribed values: whose value holds where regions meet, and what happens to them in time.
#include "fem/analysis/static_solution.hpp"
#include "fem/analysis/tangent_system.hpp"
#include "fem/results/lagrange_results.hpp"
#include "fem/space/constraints.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>

namespace ritz::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Plate {
  Mesh mesh = rectangle(4, 4, {1, 1}, CellKind::quad4);
  FunctionSpace space{mesh, 1, device_under_test()};
  Constraints fixed{space};

  // [mesh node], 7 where nothing is prescribed
  std::vector<double> values() const {
    Vector u = space.zeros();
    u.upload(std::vector<double>(static_cast<std::size_t>(u.size()), 7.0));
    fixed.set_values(u);
    return space.to_mesh(u);
  }
  double x(std::size_t node) const { return mesh.point(static_cast<Index>(node))[0]; }
  double y(std::size_t node) const { return mesh.point(static_cast<Index>(node))[1]; }
};

PointFunction in_time(double (*value)(double x, double y, double t)) {
  return [value](std::span<const double> points, double t, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(points[3 * i], points[3 * i + 1], t);
  };
}

std::string error_at(Constraints& fixed, double t) {
  try {
    fixed.set_time(t);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::model);
    return error.message() + "; " + error.why();
  }
  return "none";
}

TEST(Constraints, FollowTheirFunctionsInTime) {
  Plate plate;
  plate.fixed.prescribe(plate.mesh.region("x0"), 0, in_time([](double, double y, double t) { return t * (1 + y); }),
                        "left");
  plate.fixed.prescribe(plate.mesh.region("x1"), 0, 3.0, "right");
  plate.fixed.finish();
  EXPECT_TRUE(plate.fixed.varies_in_time());
  const std::vector<std::uint8_t> mask = plate.fixed.host_mask();
  for (const double t : {0.0, 2.0, 0.5}) {
    plate.fixed.set_time(t);
    const std::vector<double> values = plate.values();
    for (std::size_t node = 0; node < values.size(); ++node)
      EXPECT_EQ(values[node], plate.x(node) == 0 ? t * (1 + plate.y(node)) : plate.x(node) == 1 ? 3 : 7);
  }
  EXPECT_EQ(plate.fixed.host_mask(), mask);
}

TEST(Constraints, WithoutTimeStayWhatTheyAre) {
  Plate plate;
  plate.fixed.prescribe(
      plate.mesh.region("x0"), 0,
      [](std::span<const double> points, std::span<double> values) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = points[3 * i + 1];
      },
      "left");
  plate.fixed.finish();
  EXPECT_FALSE(plate.fixed.varies_in_time());
  const std::vector<double> before = plate.values();
  plate.fixed.set_time(3);
  EXPECT_EQ(plate.values(), before);
}

// A ramp begins at zero, and is no support that holds still.
TEST(Constraints, ThatBeginAtZeroAreNotAllZero) {
  Plate plate;
  plate.fixed.prescribe(plate.mesh.region("x0"), 0, in_time([](double, double, double t) { return t; }), "ramp");
  plate.fixed.finish();
  EXPECT_FALSE(plate.fixed.all_zero());
}

TEST(Constraints, ThatDisagreeLaterAreRefusedWithTheTime) {
  const auto ramp = in_time([](double, double, double t) { return t < 2 ? 0 : t; });
  for (const bool number_first : {true, false}) {
    Plate plate;
    if (number_first) plate.fixed.prescribe(plate.mesh.region("x0"), 0, 0.0, "number");
    plate.fixed.prescribe(plate.mesh.region("y0"), 0, ramp, "ramp");
    if (!number_first) plate.fixed.prescribe(plate.mesh.region("x0"), 0, 0.0, "number");
    plate.fixed.finish();
    EXPECT_EQ(error_at(plate.fixed, 1), "none");
    EXPECT_THAT(error_at(plate.fixed, 3), AllOf(HasSubstr("conflicting values"), HasSubstr("when t = 3"),
                                                HasSubstr("number"), HasSubstr("ramp")));
  }
  Plate plate;
  plate.fixed.prescribe(plate.mesh.region("y0"), 0, ramp, "ramp");
  plate.fixed.prescribe(plate.mesh.region("x0"), 0, in_time([](double, double, double t) { return t < 2 ? 0 : -t; }),
                        "other ramp");
  plate.fixed.finish();
  EXPECT_EQ(error_at(plate.fixed, 1), "none");
  EXPECT_THAT(error_at(plate.fixed, 3), AllOf(HasSubstr("3 and -3"), HasSubstr("other ramp")));
}

// The first of two that agree but for rounding holds, at all times.
TEST(Constraints, ThatAgreeInTimeMeet) {
  Plate plate;
  plate.fixed.prescribe(plate.mesh.region("x0"), 0, in_time([](double x, double y, double t) { return t * (x + y); }),
                        "left");
  plate.fixed.prescribe(plate.mesh.region("y0"), 0,
                        in_time([](double x, double y, double t) { return t * (y + x * (1 + 1e-15)) + 1e-15 * t; }),
                        "below");
  plate.fixed.finish();
  plate.fixed.set_time(4);
  const std::vector<double> values = plate.values();
  int on_the_left = 0;
  for (std::size_t node = 0; node < values.size(); ++node) {
    if (plate.x(node) != 0) continue;
    EXPECT_EQ(values[node], 4 * plate.y(node));
    ++on_the_left;
  }
  EXPECT_EQ(on_the_left, 5);
}

// T = t (x + 2 y) on the boundary is T everywhere.
TEST(Constraints, OfTheMomentAreThoseOfTheSolution) {
  DiscreteProblem model(rectangle(4, 4, {1, 1}, CellKind::quad4), heat_form(2));
  Constraints fixed(model.space);
  for (const char* side : {"x0", "x1", "y0", "y1"})
    fixed.prescribe(model.mesh.region(side), 0, in_time([](double x, double y, double t) { return t * (x + 2 * y); }),
                    side);
  fixed.finish();
  for (const double t : {1.0, 3.0}) {
    fixed.set_time(t);
    const std::vector<double> u = model.space.to_mesh(solve_static(model.equations, fixed, {}).u);
    for (std::size_t node = 0; node < u.size(); ++node) {
      const auto p = model.mesh.point(static_cast<Index>(node));
      EXPECT_NEAR(u[node], t * (p[0] + 2 * p[1]), 1e-9 * t);
    }
  }
}

// T = x + 2 y on the boundary is T everywhere, also once what all were given is gone.
TEST(FunctionSpace, IsKeptByWhatIsMadeOfItAndSoAreEquationsAndSupports) {
  std::optional<LagrangeResults> results;
  std::unique_ptr<TangentSystem> system;
  Vector u, b;
  {
    const Mesh mesh = rectangle(4, 4, {1, 1}, CellKind::quad4);
    const FunctionSpace space(mesh, 1, device_under_test(), {.order = 2}),
        copy = space, other(mesh, 1, device_under_test(), {.order = 2});
    EXPECT_TRUE(copy == space);
    EXPECT_FALSE(other == space);
    Constraints fixed(space);
    for (const char* side : {"x0", "x1", "y0", "y1"})
      fixed.prescribe(mesh.region(side), 0, in_time([](double x, double y, double) { return x + 2 * y; }), side);
    fixed.finish();
    const Operator equations(copy, {Integral::over_all_cells(heat_form(2))});
    EXPECT_TRUE(equations.space() == fixed.space());
    results.emplace(copy);
    system = tangent_system(equations, fixed, {.relative = 1e-12});
    u = equations.zeros(), b = equations.zeros();
    fixed.set_values(u);
    Vector r = equations.zeros();
    equations.residual(u, r);
    axpy(-1.0, r, b);
    fixed.set_zero(b);
  }
  system->linearise(Vector());
  Vector du(u.device(), u.size(), "vectors");
  du.fill_zero();
  EXPECT_TRUE(system->solve(b, du).converged());
  axpy(1.0, du, u);
  const std::vector<double> values = results->values(u);
  const std::vector<double>& points = results->cells().points;
  ASSERT_EQ(values.size(), 81U);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], points[3 * i] + 2 * points[3 * i + 1], 1e-9);
}

}  // namespace
}  // namespace ritz::test
