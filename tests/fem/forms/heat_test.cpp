// Conduction with a conductivity that depends on the temperature, stored heat, and radiation: against closed forms.
#include "fem/forms/heat.hpp"

#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/plugins/element_check.hpp"
#include "fem/space/constraints.hpp"
#include "tests/fem/models.hpp"

#include <cmath>
#include <numbers>

namespace ritz::test::heat_test {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;
const PiecewiseLinear table = PiecewiseLinear::through({{-1, 1}, {0.5, 2}, {2, 1.2}});

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double each : values) total += each;
  return total;
}

// Sum of a form over all nodes of a body at one temperature.
double total(const FormValue& form, const char* region, double temperature, double inner_radius = 0) {
  MeshData data = rectangle_data(2, 2, {1, 2}, CellKind::quad4);
  for (std::size_t n = 0; n < data.points.size(); n += 3) data.points[n] += inner_radius;
  const DiscreteProblem model(Mesh(std::move(data)), 1,
                              [&](const Mesh& mesh) { return std::vector{Integral::over(form, mesh.region(region))}; });
  return sum(model.residual(std::vector<double>(static_cast<std::size_t>(model.mesh.node_count()), temperature)));
}

// By the checks of `ritz element check`: tangents against differences, order of convergence, back ends.
template <Form F>
void expect_sound(const F& form) {
  for (const CheckResult& r : check_form({{device_under_test(), form}}, record_of<F>()))
    EXPECT_TRUE(r.passed) << F::name << ": " << r.check << " on " << r.on << ": " << r.number << " against " << r.limit;
}

TEST(HeatForms, PassTheChecks) {
  // A field of the checks lies within one segment of this table: kinks of k lower the order of convergence.
  const PiecewiseLinear smooth = PiecewiseLinear::through({{-10, 1}, {10, 5}});
  expect_sound(Conduction<2>{smooth, 0.7});
  expect_sound(Conduction<3>{smooth});
  expect_sound(HeatCapacity<2>{2, 3, 0.7});
  expect_sound(HeatCapacity<3>{2, 3});
  expect_sound(Enthalpy<2>{2, smooth, 0.7});
  expect_sound(Enthalpy<3>{2, smooth});
  expect_sound(Radiation<2>{.emissivity = 0.9, .ambient = 300, .absolute_zero = -300, .weight = 0.7});
  expect_sound(Radiation<3>{.emissivity = 0.9, .ambient = 300, .absolute_zero = -300});
}

// Stefan's and Boltzmann's law by hand: 5.670374419e-8 * 0.8 * (1000^4 - 300^4) = 44995.
TEST(Radiation, OfABodyAtOneTemperatureIsThatOfTheLaw) {
  const double per_area = 5.670374419e-8 * 0.8 * (1e12 - 8.1e9);
  EXPECT_NEAR(total(Radiation<2>{.emissivity = 0.8, .ambient = 300, .weight = 0.1}, "x1", 1000), per_area * 0.2,
              1e-9 * per_area);
  EXPECT_NEAR(total(Radiation<2>{.emissivity = 0.8, .ambient = 300 - 273.15, .absolute_zero = -273.15, .weight = 0.1},
                    "x1", 726.85),
              per_area * 0.2, 1e-9 * per_area);
  EXPECT_NEAR(
      total(Radiation<2>{.emissivity = 0.8, .ambient = 300, .weight = two_pi, .axisymmetric = true}, "x1", 1000, 0.5),
      per_area * two_pi * 1.5 * 2, 1e-8 * per_area);
}

TEST(Radiation, IsMonotoneBelowAbsoluteZero) {
  const Radiation<2> form{.emissivity = 1, .ambient = 0, .sigma = 1};
  const auto flux = [&](double T) {
    Fields<Dual<double>, 1, 2> u{}, f{};
    u.value[0] = {T, 1.0};
    form(Location<Dual<double>, 2, 2>{.given = {1.0, 0.0}}, u, f);
    return f.value[0];
  };
  EXPECT_EQ(flux(-2).value, -16);
  EXPECT_EQ(flux(-2).derivative, 32);
  EXPECT_EQ(flux(2).value, 16);
  EXPECT_EQ(flux(2).derivative, 32);
}

// rho c T of volume 2, thickness 0.1; a ring of radii 0.5 and 1.5 and height 2 has the volume 4 pi.
TEST(HeatCapacity, StoresDensityTimesSpecificHeat) {
  EXPECT_NEAR(total(HeatCapacity<2>{7, 11, 0.1}, "all", 3), 7 * 11 * 3 * 0.2, 1e-12 * 50);
  EXPECT_NEAR(total(HeatCapacity<2>{7, 11, two_pi, true}, "all", 3, 0.5), 7 * 11 * 3 * 4 * std::numbers::pi, 1e-9);
}

TEST(Enthalpy, IsTheIntegralOfTheSpecificHeat) {
  EXPECT_NEAR(total(Enthalpy<2>{7, table, 0.1}, "all", 0.5), 7 * 0.2 * 1.5 * 1.5, 1e-13);
  EXPECT_NEAR(total(Enthalpy<2>{7, table, 0.1}, "all", 3), 7 * 0.2 * (1.5 * 1.5 + 1.5 * 1.6 + 1.2), 1e-12);
  EXPECT_NEAR(total(Enthalpy<2>{7, table, two_pi, true}, "all", 0.5, 0.5), 7 * 4 * std::numbers::pi * 2.25, 1e-10);
}

// Kirchhoff's transformation: the integral of k over the temperature is linear through a wall, so that heat is known.
// Radial: it is linear in log r.
TEST(Conduction, CarriesTheHeatOfKirchhoffsTransformation) {
  const auto heat = [](double weight, bool axisymmetric, double inner_radius, double length) {
    MeshData data = rectangle_data(24, 1, {length, 2}, CellKind::quad9);
    for (std::size_t n = 0; n < data.points.size(); n += 3) data.points[n] += inner_radius;
    const DiscreteProblem model(Mesh(std::move(data)), Conduction<2>{table, weight, axisymmetric});
    Constraints fixed(model.space);
    fixed.prescribe(model.mesh.region("x0"), 0, -1, "x0");
    fixed.prescribe(model.mesh.region("x1"), 0, 1.5, "x1");
    fixed.finish();
    const NonlinearSolution s = solve_nonlinear(model.equations, fixed, {.relative = 1e-11});
    double in = 0;
    for (Index node = 0; node < model.mesh.node_count(); ++node)
      if (model.mesh.point(node)[0] > inner_radius + 0.999 * length) in += s.reaction[static_cast<std::size_t>(node)];
    return in;
  };
  const double conducted = table.integral(1.5);
  EXPECT_NEAR(heat(0.3, false, 0, 4), 0.3 * 2 * conducted / 4, 1e-4 * conducted);
  EXPECT_NEAR(heat(two_pi, true, 1, 1), two_pi * 2 * conducted / std::log(2.0), 3e-4 * two_pi * 2 * conducted);
}

// NAFEMS T2: a bar of 0.1 m with 1000 K at one end, the other one radiating to 300 K: 927.0 K there. The balance
// k (1000 - T) / L = emissivity sigma (T^4 - 300^4) has the root 927.008 with NAFEMS's sigma of 5.67e-8.
TEST(Radiation, NafemsT2) {
  const DiscreteProblem model(rectangle(5, 1, {0.1, 0.01}, CellKind::quad4), 1, [](const Mesh& mesh) {
    return std::vector{
        Integral::over_all_cells(Diffusion<2>{55.6}),
        Integral::over(Radiation<2>{.emissivity = 0.98, .ambient = 300, .sigma = 5.67e-8}, mesh.region("x1"))};
  });
  Constraints fixed(model.space);
  fixed.prescribe(model.mesh.region("x0"), 0, 1000, "x0");
  fixed.finish();
  const NonlinearSolution s = solve_nonlinear(model.equations, fixed, {.relative = 1e-10});
  const std::vector<double> T = model.space.to_mesh(s.u);
  for (Index node = 0; node < model.mesh.node_count(); ++node)
    if (model.mesh.point(node)[0] > 0.0999) {
      const double end = T[static_cast<std::size_t>(node)];
      EXPECT_NEAR(end, 927.0, 0.05);
      EXPECT_NEAR(55.6 * (1000 - end) / 0.1, 0.98 * 5.67e-8 * (std::pow(end, 4) - std::pow(300, 4)), 1e-3);
    }
}

}  // namespace
}  // namespace ritz::test::heat_test
