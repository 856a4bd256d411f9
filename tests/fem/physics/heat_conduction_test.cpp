// Heat conduction without a case file: what the builder makes of typed inputs, and what it refuses.
#include "fem/physics/heat_conduction.hpp"

#include "fem/analysis/nonlinear_solution.hpp"
#include "fem/analysis/static_solution.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/evaluate.hpp"
#include "mesh/generators.hpp"
#include "tests/fem/cells_under_test.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <numbers>

namespace ritz::test::heat_conduction_test {
namespace {

using ::testing::HasSubstr;

const Mesh& bar() {
  static const Mesh mesh = rectangle(10, 1, {0.1, 0.02}, CellKind::quad4);
  return mesh;
}
Device cpu() { return Device::named("cpu", 1); }

std::vector<double> temperatures(const Model& model) {
  const Operator equations(model.space, model.equations);
  const Constraints fixed = make_constraints(model);
  if (model.linear) return model.space.to_mesh(solve_static(equations, fixed, {}).u);
  Nonlinear options;
  options.begin = State{.u = std::vector<double>(static_cast<std::size_t>(model.space.unknown_count()), model.start)};
  return model.space.to_mesh(solve_nonlinear(equations, fixed, options).u);
}

double at_end(const std::vector<double>& values) {
  for (Index node = 0; node < bar().node_count(); ++node)
    if (bar().point(node)[0] > 0.0999) return values[static_cast<std::size_t>(node)];
  return NAN;
}

double sum_of_loads(const Model& model, const std::vector<Integral>& integrals) {
  Vector r = model.space.zeros();
  Operator(model.space, integrals).residual(model.space.zeros(), r);
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
  const Operator equations(model.space, model.equations);
  const Vector u = solve_nonlinear(equations, make_constraints(model), {}).u;
  EXPECT_THROW(check_ranges(model, u), Error);
  Model continued = make(true);
  continued.space = model.space;
  EXPECT_NO_THROW(check_ranges(continued, u));
}

// A plane of thickness 0.5, and a body of revolution around the y axis: 0.1 x 0.02 m that begin at r = 0.3.
struct Measured {
  const char* name;
  bool axisymmetric;
  Mesh mesh;
  double volume, end_area;
};
std::vector<Measured> measured() {
  MeshData ring = rectangle_data(10, 1, {0.1, 0.02}, CellKind::quad4);
  for (std::size_t n = 0; n < ring.points.size(); n += 3) ring.points[n] += 0.3;
  constexpr double pi = std::numbers::pi;
  std::vector<Measured> all;
  all.push_back({"plane", false, rectangle(10, 1, {0.1, 0.02}, CellKind::quad4), 0.1 * 0.02 * 0.5, 0.02 * 0.5});
  all.push_back({"ring", true, Mesh(std::move(ring)), 2 * pi * 0.35 * 0.1 * 0.02, 2 * pi * 0.4 * 0.02});
  return all;
}
Coefficient formula(double value) {
  return PointFunction(
      [value](std::span<const double>, std::span<double> values) { std::ranges::fill(values, value); });
}
// Sum of the residual of equal temperatures.
double heat_of(const Model& model, const std::vector<Integral>& integrals, double temperature) {
  const Vector u(
      model.space.device(),
      std::span<const double>(std::vector<double>(static_cast<std::size_t>(model.space.unknown_count()), temperature)),
      "test");
  Vector r = model.space.zeros();
  Operator(model.space, integrals).residual(u, r);
  double total = 0;
  for (const double each : r.host()) total += each;
  return total;
}

Model model_of(const Measured& body, bool formulas) {
  const auto given = [formulas](double value) { return formulas ? formula(value) : Coefficient(value); };
  HeatConduction heat(body.mesh, {.thickness = body.axisymmetric ? 1 : 0.5, .axisymmetric = body.axisymmetric});
  heat.material("all", {.conductivity = given(50), .density = given(7), .specific_heat = given(11)});
  heat.convection("x1", {.coefficient = given(60), .ambient = given(20)});
  heat.radiation("x1", {.emissivity = given(0.8), .ambient = given(300)});
  heat.loads.source("all", given(1.3));
  heat.loads.flux("x0", given(1.7));
  heat.loads.power("y1", given(1.9));
  return heat.model(cpu());
}

// Heat that leaves and heat that is stored at one temperature are those of the whole thickness or ring.
TEST(HeatConduction, ExchangesAndStoresTheHeatOfTheWholeBody) {
  constexpr double sigma = 5.670374419e-8;
  for (const Measured& body : measured()) {
    const Model model = model_of(body, false);
    ASSERT_EQ(model.exchanges.size(), 2u);
    const double convection = heat_of(model, {model.exchanges[0].integral}, 400);
    const double radiation = heat_of(model, {model.exchanges[1].integral}, 400);
    EXPECT_NEAR(convection, 60 * 380 * body.end_area, 1e-9) << body.name;
    EXPECT_NEAR(radiation, 0.8 * sigma * (std::pow(400, 4) - std::pow(300, 4)) * body.end_area, 1e-9) << body.name;
    EXPECT_NEAR(heat_of(model, model.capacity, 3), 7 * 11 * 3 * body.volume, 1e-10) << body.name;
  }
}

// All but conduction, of which constants have kernels of their own.
TEST(HeatConduction, ANumberAndTheSameValueAsAFormulaHaveEqualBits) {
  for (const Measured& body : measured()) {
    const Model numbers = model_of(body, false), formulas = model_of(body, true);
    const auto residual = [](const Model& model, const std::vector<Integral>& integrals) {
      const std::vector<double> values = random_values(static_cast<std::size_t>(model.space.unknown_count()), 1);
      Vector r = model.space.zeros();
      Operator(model.space, integrals).residual(Vector(model.space.device(), std::span(values), "test"), r);
      return r.host();
    };
    for (std::size_t i = 1; i < numbers.equations.size(); ++i)
      EXPECT_EQ(residual(numbers, {numbers.equations[i]}), residual(formulas, {formulas.equations[i]}))
          << body.name << " " << numbers.equations[i].form.name;
    EXPECT_NE(numbers.equations.front().form.name, formulas.equations.front().form.name);
    EXPECT_EQ(residual(numbers, numbers.capacity), residual(formulas, formulas.capacity)) << body.name;
  }
}

// Two fluids on one facet are counted; a fluid and surroundings are not, nor are neighbours.
TEST(HeatConduction, CountsFacetsThatExchangeTwice) {
  HeatConduction heat(bar());
  heat.material("all", {.conductivity = 50});
  heat.convection("x1", {.coefficient = 60, .ambient = 20});
  heat.convection("y1", {.coefficient = 60, .ambient = 20});
  heat.radiation("y1", {.emissivity = 0.8, .ambient = 300});
  EXPECT_TRUE(heat.model(cpu()).notices.empty());
  heat.convection("y1", {.coefficient = 10, .ambient = 30});
  EXPECT_THAT(heat.model(cpu()).notices,
              ::testing::ElementsAre("facets with more than one [[convection]]: 10; their heats add"));
}

TEST(HeatConduction, StoresHeatWhereAllMaterialsSay) {
  HeatConduction heat(bar());
  heat.material("all", {.conductivity = 50, .density = 7, .specific_heat = 11});
  const Model model = heat.model(cpu());
  const Vector u = model.space.from_mesh(std::vector<double>(static_cast<std::size_t>(bar().node_count()), 3.0));
  Vector m = model.space.zeros();
  Operator(model.space, model.capacity).residual(u, m);
  double stored = 0;
  for (const double each : m.host()) stored += each;
  EXPECT_NEAR(stored, 7 * 11 * 3 * 0.1 * 0.02, 1e-13);
}

// The error estimate averages across a border between equal materials, and nowhere else.
TEST(HeatConduction, EqualMaterialsAreOneForTheEstimate) {
  const Region left{.name = "left", .kind = RegionKind::cells, .cells = {0, 1, 2, 3, 4}},
      right{.name = "right", .kind = RegionKind::cells, .cells = {5, 6, 7, 8, 9}};
  const auto materials_of = [&](double one, double other) {
    HeatConduction heat(bar());
    heat.material(left, {.conductivity = one});
    heat.material(right, {.conductivity = other});
    return heat.error_model().material;
  };
  EXPECT_TRUE(materials_of(3, 3).empty());
  EXPECT_THAT(materials_of(3, 4), ::testing::ElementsAre(0, 0, 0, 0, 0, 1, 1, 1, 1, 1));
}

TEST(HeatConduction, RefusesWhatCannotBe) {
  const auto with_material = [](const HeatConduction::Options& options = {}) {
    HeatConduction heat(bar(), options);
    heat.material("all", {.conductivity = 3});
    return heat;
  };
  HeatConduction negative(bar());
  negative.material("all", {.conductivity = -3, .origin = "line 5"});
  EXPECT_THAT(refusal(negative), ::testing::AllOf(HasSubstr("'conductivity' is -3, line 5"), HasSubstr("above 0")));

  HeatConduction heated(bar());
  heated.material("all", {.conductivity = 3, .density = 1, .specific_heat = -2});
  EXPECT_THAT(refusal(heated), HasSubstr("'specific_heat' is -2"));

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

// A rectangle that conducts along turned axes: T = a . x is a solution, with the flux -K a.
TEST(HeatConductionAlongAxes, OfALinearTemperatureHasItsFlux) {
  const std::array<double, 3> k{7, 2, 3};
  for (const CellKind kind : {CellKind::tet4, CellKind::hex20, CellKind::quad4, CellKind::tri6})
    for (const bool varies : {false, true}) {
      const bool solid = traits(kind).dimension == 3;
      const Mesh mesh = solid ? box(2, 2, 2, {1, 2, 3}, kind) : rectangle(2, 2, {1, 2}, kind);
      const Orientation fixed =
          solid ? Orientation::along({1, 2, 3}, {0, 1, 0}) : Orientation::along({1, 2, 0}, {-2, 1, 0});
      HeatConduction heat(mesh, {.thickness = 0.5});
      const Axes axes = fixed.axes();
      heat.material("all",
                    {.conductivity_along = k,
                     .orientation = varies ? Orientation::varying([axes](const Point&) { return axes; }) : fixed});
      const Coefficient linear = PointFunction([](std::span<const double> x, std::span<double> values) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = x[3 * i] + 2 * x[3 * i + 1] - x[3 * i + 2];
      });
      for (const char* side : {"x0", "x1", "y0", "y1"}) heat.loads.temperature(side, linear);
      if (solid)
        for (const char* side : {"z0", "z1"}) heat.loads.temperature(side, linear);
      const Model model = heat.model(Device::named("cpu", 1));
      const Operator equations(model.space, model.equations);
      const Vector u = solve_static(equations, make_constraints(model), {.relative = 1e-12}).u;
      const Point gradient{1, 2, solid ? -1.0 : 0};
      const DerivedFields flux = evaluate(equations, u);
      const auto dimension = static_cast<std::size_t>(mesh.dimension());
      for (std::size_t i = 0; i < flux.at_cells.size(); ++i) {
        const std::size_t d = i % dimension;
        const double expected = -k[0] * dot(axes.first, gradient) * axes.first[d] -
                                k[1] * dot(axes.second, gradient) * axes.second[d] -
                                k[2] * dot(axes.third(), gradient) * axes.third()[d];
        EXPECT_NEAR(flux.at_cells[i], expected, 1e-8);
      }
    }
}

// Heat through a wound cylinder follows the radial conductivity alone: q = k1 dT / (r ln(b / a)).
TEST(HeatConductionAlongAxes, ThroughAWoundCylinderFollowsTheRadialOne) {
  MeshData data = rectangle_data(16, 8, {1, 1}, CellKind::quad9);
  for (std::size_t n = 0; n < data.points.size(); n += 3) {
    const double r = 1 + data.points[n], angle = data.points[n + 1] * std::numbers::pi / 2;
    data.points[n] = r * std::cos(angle);
    data.points[n + 1] = r * std::sin(angle);
  }
  const Mesh mesh(std::move(data));
  HeatConduction heat(mesh);
  heat.material("all", {.conductivity_along = std::array{2.0, 50.0, 50.0},
                        .orientation = Orientation::cylindrical({0, 0, 0}, {0, 0, 1})});
  heat.loads.temperature("x0", 100);
  heat.loads.temperature("x1", 0);
  const Model model = heat.model(Device::named("cpu", 1));
  const Operator equations(model.space, model.equations);
  const StaticSolution s = solve_static(equations, make_constraints(model), {.relative = 1e-12});
  double inside = 0;
  for (const Node node : nodes_in(mesh, mesh.region("x0"))) inside += s.reaction[static_cast<std::size_t>(node)];
  EXPECT_NEAR(inside / (2 * 100 * std::numbers::pi / 2 / std::log(2.0)), 1, 1e-5);
}

// Axes of equal conductivities do not matter: a source of 3e4 W/m^3 warms the body as an isotropic one.
TEST(HeatConductionAlongAxes, OfEqualConductivitiesIsThatWithoutAxes) {
  for (const Measured& body : measured()) {
    const auto warm = [&](bool along) {
      HeatConduction heat(body.mesh, {.thickness = body.axisymmetric ? 1 : 0.5, .axisymmetric = body.axisymmetric});
      HeatConduction::Material material{.conductivity = 50};
      if (along) material.conductivity_along = std::array{50.0, 50.0, 50.0};
      if (along) material.orientation = Orientation::along({0.6, 0.8, 0}, {-0.8, 0.6, 0});
      heat.material("all", material);
      heat.loads.source("all", constant(3e4));
      heat.loads.temperature("x0", 100);
      return temperatures(heat.model(cpu()));
    };
    const std::vector<double> plain = warm(false), along = warm(true);
    EXPECT_GT(*std::ranges::max_element(plain), 102);
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(along[i], plain[i], 1e-6) << body.name;
  }
}

TEST(HeatConductionAlongAxes, OutOfThePlaneIsRefused) {
  const Mesh mesh = rectangle(1, 1, {1, 1}, CellKind::quad4);
  HeatConduction heat(mesh);
  heat.material("all", {.conductivity_along = std::array{2.0, 5.0, 5.0},
                        .orientation = Orientation::along({1, 0, 1}, {0, 1, 1})});
  heat.loads.temperature("x0", 100);
  EXPECT_THROW(heat.model(Device::named("cpu", 1)), Error);
}

}  // namespace
}  // namespace ritz::test::heat_conduction_test
