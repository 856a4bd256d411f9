// Heat conduction without a case file: what the builder makes of typed inputs, and what it refuses.
#include "fem/physics/heat_conduction.hpp"

#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/analysis/static_solution.hpp"
#include "fem/operator/operator.hpp"
#include "mesh/generators.hpp"

#include <cmath>
#include <gmock/gmock.h>

namespace ritz::test {
namespace {

using testing::HasSubstr;

const Mesh& bar() {
  static const Mesh mesh = rectangle(10, 1, {0.1, 0.02}, CellKind::quad4);
  return mesh;
}
Device cpu() { return Device::named("cpu", 1); }

std::vector<double> temperatures(const Model& model) {
  const Operator equations(*model.space, model.equations);
  const Constraints fixed = make_constraints(model);
  if (model.linear) return model.space->to_mesh(solve_static(equations, fixed, {}).u);
  Nonlinear options;
  options.begin = State{.u = std::vector<double>(static_cast<std::size_t>(model.space->unknown_count()), model.start)};
  return model.space->to_mesh(solve_nonlinear(equations, fixed, options).u);
}

double at_end(const std::vector<double>& values) {
  for (Index node = 0; node < bar().node_count(); ++node)
    if (bar().point(node)[0] > 0.0999) return values[static_cast<std::size_t>(node)];
  return NAN;
}

double sum_of_loads(const Model& model, const std::vector<Integral>& integrals) {
  Vector r = model.space->zeros();
  Operator(*model.space, integrals).residual(model.space->zeros(), r);
  double total = 0;
  for (const double each : r.host()) total -= each;
  return total;
}

std::string refusal(const HeatConduction& heat) {
  try {
    heat.model(cpu());
    return "";
  } catch (const Error& error) { return std::string(error.what()) + error.why() + error.fix(); }
}

// T(L) = 100 + q L / k, whatever the thickness.
TEST(HeatConduction, OfAFluxIsLinear) {
  HeatConduction heat(bar(), {.thickness = 0.3});
  heat.material("all", {.conductivity = 50});
  heat.loads.flux("x1", 2e4);
  heat.loads.temperature("x0", 100);
  const Model model = heat.model(cpu());
  EXPECT_TRUE(model.linear);
  EXPECT_TRUE(model.capacity.empty());
  EXPECT_NEAR(at_end(temperatures(model)), 140, 1e-6);
}

// 2 W, and a source of 3e4 W/m^3 in 0.1 x 0.02 x 0.3 m; a load case of 7 W.
TEST(HeatConduction, LoadsSumToWhatTheyAre) {
  HeatConduction heat(bar(), {.thickness = 0.3});
  heat.material("all", {.conductivity = 50});
  heat.loads.power("x1", 2);
  heat.loads.source("all", constant(3e4));
  heat.loads.temperature("x0", 100);
  HeatLoads& sun = heat.load_case("sun");
  sun.power("all", 7);
  sun.temperature("x0", 120);
  const Model model = heat.model(cpu());
  std::vector<Integral> loads;
  for (const Integral& each : model.equations)
    if (!each.form.has_matrix) loads.push_back(each);
  EXPECT_NEAR(sum_of_loads(model, loads), 2 + 3e4 * 0.1 * 0.02 * 0.3, 1e-10);
  ASSERT_EQ(model.load_cases.size(), 1u);
  EXPECT_NEAR(sum_of_loads(model, model.load_cases[0].loads), 7, 1e-12);
  EXPECT_EQ(make_constraints(model, &model.load_cases[0]).count(), make_constraints(model).count());
}

// h (T - 20) = q at the end: T = 20 + q / h, and no temperature is prescribed.
TEST(HeatConduction, ConvectionHoldsTheTemperature) {
  HeatConduction heat(bar());
  heat.material("all", {.conductivity = 50});
  heat.loads.flux("x0", 600);
  heat.convection("x1", {.coefficient = 60, .ambient = 20});
  EXPECT_NEAR(at_end(temperatures(heat.model(cpu()))), 30, 1e-6);
}

// emissivity sigma (T^4 - 300^4) = q; in degrees Celsius the numbers are less by 273.15. Nothing else holds the body.
TEST(HeatConduction, RadiationHoldsTheTemperatureInAnyUnit) {
  const auto solve = [](double zero) {
    HeatConduction heat(bar(), {.absolute_zero = zero});
    heat.material("all", {.conductivity = 50});
    heat.loads.flux("x0", 4000);
    heat.radiation("x1", {.emissivity = 0.8, .ambient = 300 + zero});
    return at_end(temperatures(heat.model(cpu())));
  };
  const double expected = std::pow(4000 / (0.8 * 5.670374419e-8) + std::pow(300, 4), 0.25);
  EXPECT_NEAR(solve(0), expected, 1e-5);
  EXPECT_NEAR(solve(-273.15), expected - 273.15, 1e-5);
}

TEST(HeatConduction, OfATableIsNonlinearAndKeepsItsRange) {
  const auto make = [](bool continued) {
    HeatConduction heat(bar());
    heat.material("all", {.conductivity = TemperatureTable{PiecewiseLinear::through({{0, 40}, {100, 60}}), continued}});
    heat.loads.temperature("x0", 0);
    heat.loads.temperature("x1", 150);
    return heat.model(cpu());
  };
  const Model model = make(false);
  EXPECT_FALSE(model.linear);
  const Operator equations(*model.space, model.equations);
  const Vector u = solve_nonlinear(equations, make_constraints(model), {}).u;
  EXPECT_THROW(check_ranges(model, u), Error);
  Model continued = make(true);
  continued.space = model.space;
  EXPECT_NO_THROW(check_ranges(continued, u));
}

TEST(HeatConduction, StoresHeatWhereAllMaterialsSay) {
  HeatConduction heat(bar());
  heat.material("all", {.conductivity = 50, .density = 7, .specific_heat = 11});
  const Model model = heat.model(cpu());
  const Vector u = model.space->from_mesh(std::vector<double>(static_cast<std::size_t>(bar().node_count()), 3.0));
  Vector m = model.space->zeros();
  Operator(*model.space, model.capacity).residual(u, m);
  double stored = 0;
  for (const double each : m.host()) stored += each;
  EXPECT_NEAR(stored, 7 * 11 * 3 * 0.1 * 0.02, 1e-13);
}

TEST(HeatConduction, RefusesWhatCannotBe) {
  const auto with_material = [](const HeatConduction::Options& options = {}) {
    HeatConduction heat(bar(), options);
    heat.material("all", {.conductivity = 3});
    return heat;
  };
  HeatConduction negative(bar());
  negative.material("all", {.conductivity = -3, .origin = "line 5"});
  EXPECT_THAT(refusal(negative), testing::AllOf(HasSubstr("'conductivity' is -3, line 5"), HasSubstr("above 0")));

  EXPECT_THAT(refusal(HeatConduction(bar())), HasSubstr("cells have no material"));

  HeatConduction twice = with_material();
  twice.material("all", {.conductivity = 4});
  EXPECT_THAT(refusal(twice), HasSubstr("have two materials"));

  HeatConduction place = with_material();
  place.loads.flux("all", 3);
  EXPECT_THAT(refusal(place), HasSubstr("'all' is a region of cells"));

  HeatConduction unknown = with_material();
  unknown.loads.flux("x9", 3);
  EXPECT_THAT(refusal(unknown), HasSubstr("x9"));

  HeatConduction bright = with_material();
  bright.radiation("x1", {.emissivity = 1.2, .ambient = 300});
  EXPECT_THAT(refusal(bright), HasSubstr("'emissivity' is 1.2"));

  HeatConduction cold = with_material();
  cold.radiation("x1", {.emissivity = 1, .ambient = -20});
  EXPECT_THAT(refusal(cold), HasSubstr("'ambient' is -20"));

  HeatConduction around = with_material({.axisymmetric = true});
  around.loads.flux("x0", 3);
  EXPECT_THAT(refusal(around), HasSubstr("lies on the axis of revolution"));

  EXPECT_THROW(make_constraints(with_material().model(cpu())), Error);  // nothing holds the temperature
}

}  // namespace
}  // namespace ritz::test
