#include "apps/results/probe_history.hpp"
#include "apps/results/probes.hpp"

#include "apps/results/region_integral.hpp"
#include "mesh/generators.hpp"
#include "mesh/order.hpp"
#include "mesh/quality/quality.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ritz {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

template <class F>
Field field_of(const Mesh& mesh, const std::string& name, int components, F f) {
  Field field{name, components, {}};
  for (Node node = 0; node < mesh.node_count(); ++node) {
    const auto x = mesh.point(node);
    for (const double value : std::vector<double>(f(x[0], x[1], x[2]))) field.values.push_back(value);
  }
  return field;
}

// A box of 2 x 1 x 0.5 with a linear temperature and a linear displacement.
struct Probed {
  Mesh mesh = box(4, 2, 2, {2, 1, 0.5}, CellKind::hex8, {.smooth = 0.05});
  std::vector<Field> fields = {
      field_of(mesh, "temperature", 1,
               [](double x, double y, double z) { return std::vector{20 + 10 * x - y + 4 * z}; }),
      field_of(mesh, "displacement", 3,
               [](double x, double y, double z) {
                 return std::vector{3 * x, 4 * x, 0 * (y + z)};
               }),
      field_of(mesh, "reaction", 3, [](double, double, double) {
        return std::vector{1.0, 0.0, -2.0};
      })};
  std::vector<Field> cells = {of_cells("force", {"N", "Vy"},
                                       [](double i) {
                                         return std::vector{i, -i};
                                       }),
                              of_cells("temperature", {}, [](double i) { return std::vector{100 + i}; })};

  // f(number of the cell)
  template <class F>
  Field of_cells(const std::string& name, const std::vector<std::string>& components, F f) const {
    Field field{name, static_cast<int>(std::max<std::size_t>(components.size(), 1)), {}, components};
    for (Index cell = 0; cell < mesh.cell_count(); ++cell)
      for (const double value : std::vector<double>(f(static_cast<double>(cell)))) field.values.push_back(value);
    return field;
  }

  std::vector<double> value(const std::string& probe) const {
    Case input = Case::from_text("[[probe]]\nname = \"p\"\n" + probe);
    check_probes(input, mesh, {fields, cells});
    input.finish();
    const auto results = evaluate_probes(input, mesh, {fields, cells});
    EXPECT_EQ(results.size(), 1u);
    EXPECT_EQ(results.front().first, "p");
    return results.front().second;
  }
  std::string error(const std::string& text) const {
    Case input = Case::from_text(text);
    try {
      check_probes(input, mesh, {fields, cells});
      input.finish();
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::input);
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }
};

constexpr double tiny = 1e-12;

// T = x on [1, 2] x [0, 1], as a plate of thickness 0.1 and as a ring.
TEST(Probes, MeansAndIntegralsAreThoseOfTheBody) {
  MeshData data = rectangle_data(2, 1, {1, 1}, CellKind::quad4);
  for (std::size_t i = 0; i < data.points.size(); i += 3) data.points[i] += 1;
  const Mesh mesh(std::move(data));
  const std::vector<Field> nodal = {field_of(mesh, "T", 1, [](double x, double, double) { return std::vector{x}; })},
                           cells = {{"c", 1, {1, 3}}};
  const auto value = [&](const std::string& probe, const BodyMeasure& measure) {
    Case input = Case::from_text("[[probe]]\nname = 'p'\nregion = 'all'\n" + probe);
    return evaluate_probes(input, mesh, {nodal, cells, measure}).front().second.front();
  };
  const double two_pi = 2 * std::numbers::pi;
  const BodyMeasure plate{0.1, false}, ring{two_pi, true};
  EXPECT_NEAR(value("field = 'T'\nmeasure = 'integral'", plate), 0.15, tiny);
  EXPECT_NEAR(value("field = 'T'\nmeasure = 'mean'", plate), 1.5, tiny);
  EXPECT_NEAR(value("field = 'T'\nmeasure = 'integral'", ring), two_pi * 7 / 3, 10 * tiny);
  EXPECT_NEAR(value("field = 'T'\nmeasure = 'mean'", ring), 14.0 / 9, tiny);
  EXPECT_NEAR(value("field = 'c'\nmeasure = 'mean'", ring), (0.625 + 3 * 0.875) / 1.5, tiny);
}

TEST(Probes, PointTakesShapeFunctions) {
  const Probed p;
  EXPECT_THAT(p.value("field = 'temperature'\npoint = [1.3, 0.4, 0.2]"), ElementsAre(DoubleNear(33.4, tiny)));
  EXPECT_THAT(p.value("field = 'displacement'\npoint = [1, 0.4, 0.2]"),
              ElementsAre(DoubleNear(3, tiny), DoubleNear(4, tiny), DoubleNear(0, tiny)));
}

TEST(Probes, ComponentByNameNumberAndMagnitude) {
  const Probed p;
  const std::string at = "field = 'displacement'\npoint = [1, 0.4, 0.2]\n";
  EXPECT_THAT(p.value(at + "component = 'y'"), ElementsAre(DoubleNear(4, tiny)));
  EXPECT_THAT(p.value(at + "component = 'Y'"), ElementsAre(DoubleNear(4, tiny)));
  EXPECT_THAT(p.value(at + "component = 0"), ElementsAre(DoubleNear(3, tiny)));
  EXPECT_THAT(p.value(at + "component = 'magnitude'"), ElementsAre(DoubleNear(5, tiny)));
}

TEST(Probes, AFieldWithoutValuesGivesNaN) {
  Probed p;
  p.fields[1].values.clear();
  for (const char* place :
       {"point = [1, 0.4, 0.2]", "region = 'x1'\nmeasure = 'max'", "region = 'all'\nmeasure = 'integral'"}) {
    EXPECT_THAT(p.value(std::string("field = 'displacement'\n") + place),
                ElementsAre(::testing::IsNan(), ::testing::IsNan(), ::testing::IsNan()))
        << place;
    EXPECT_THAT(p.value(std::string("field = 'displacement'\ncomponent = 'magnitude'\n") + place),
                ElementsAre(::testing::IsNan()))
        << place;
  }
}

TEST(Probes, RegionsGiveMinimumMaximumMeanAndIntegral) {
  const Probed p;
  const std::string side = "field = 'temperature'\nregion = 'x1'\n";  // 1 x 0.5 at x = 2
  EXPECT_THAT(p.value(side + "measure = 'min'"), ElementsAre(DoubleNear(39, tiny)));
  EXPECT_THAT(p.value(side + "measure = 'max'"), ElementsAre(DoubleNear(42, tiny)));
  EXPECT_THAT(p.value(side + "measure = 'mean'"), ElementsAre(DoubleNear(40.5, tiny)));
  EXPECT_THAT(p.value(side + "measure = 'integral'"), ElementsAre(DoubleNear(20.25, tiny)));
  EXPECT_THAT(p.value("field = 'temperature'\nregion = 'all'\nmeasure = 'integral'"),
              ElementsAre(DoubleNear(30.5, tiny)));
  EXPECT_THAT(p.value("field = 'displacement'\nregion = 'x1'\ncomponent = 'magnitude'\nmeasure = 'mean'"),
              ElementsAre(DoubleNear(10, tiny)));
}

TEST(Probes, ReactionSumsOverTheNodesOfARegion) {
  const Probed p;
  EXPECT_THAT(p.value("region = 'x0'\nmeasure = 'reaction'"), ElementsAre(9, 0, -18));
  EXPECT_THAT(p.value("region = 'x0'\nmeasure = 'reaction'\ncomponent = 'z'"), ElementsAre(-18));
}

TEST(Probes, FieldsInCellsAreTakenWhereNodesHaveNoneOrWhenAskedFor) {
  const Probed p;
  const std::string force = "field = 'force'\nregion = 'all'\n",
                    warm = "field = 'temperature'\nvalues = 'cells'\nregion = 'all'\n";
  EXPECT_THAT(p.value(force + "measure = 'max'"), ElementsAre(15, 0));
  EXPECT_THAT(p.value(force + "measure = 'min'\ncomponent = 'vy'"), ElementsAre(-15));
  EXPECT_THAT(p.value(warm + "measure = 'max'"), ElementsAre(115));
  EXPECT_THAT(p.value("field = 'temperature'\nregion = 'all'\nmeasure = 'max'"), ElementsAre(DoubleNear(42, tiny)));
  EXPECT_EQ(p.value("field = 'force'\ncomponent = 'N'\npoint = [0.1, 0.1, 0.1]"), std::vector{0.0});
  EXPECT_EQ(p.value("field = 'force'\ncomponent = 'N'\npoint = [1.9, 0.9, 0.45]"), std::vector{15.0});
  // Sizes of distorted cells weigh: the mean is the integral over the volume.
  const double integral = p.value(warm + "measure = 'integral'")[0];
  EXPECT_NEAR(p.value(warm + "measure = 'mean'")[0], integral / 1.0, tiny * 100);
  EXPECT_NEAR(integral, 107.5, 5);
}

TEST(Probes, FieldsInCellsNeedRegionsOfCells) {
  const Probed p;
  const std::string probe = "[[probe]]\nname = 'a'\nfield = 'force'\n";
  EXPECT_THAT(p.error(probe + "region = 'x1'\nmeasure = 'max'"),
              AllOf(HasSubstr("'force' lies in cells"), HasSubstr("'x1' is a region of facets")));
  EXPECT_THAT(p.error(probe + "region = 'all'\nmeasure = 'reaction'"), HasSubstr("sums over nodes"));
  EXPECT_THAT(p.error(probe + "values = 'nodes'\nregion = 'all'\nmeasure = 'max'"), HasSubstr("'temperature'"));
  EXPECT_THAT(
      p.error("[[probe]]\nname = 'a'\nfield = 'displacement'\nvalues = 'cells'\nregion = 'all'\nmeasure = 'max'"),
      HasSubstr("'force'"));
}

TEST(Probes, MistakesAreFoundTogetherWithTheirPlaces) {
  const Probed p;
  const std::string text = p.error(
      "[[probe]]\nname = 'a'\nfield = 'temprature'\npoint = [0, 0, 0]\n"
      "[[probe]]\nname = 'b'\nfield = 'displacement'\ncomponent = 'magnitud'\npoint = [0, 0, 0]\n"
      "[[probe]]\nname = 'c'\nfield = 'temperature'\npoint = [9, 0, 0]\n"
      "[[probe]]\nname = 'c'\nfield = 'temperature'\nregion = 'x7'\nmeasure = 'max'\n"
      "[[probe]]\nname = 'd'\nfield = 'temperature'\nregion = 'x1'\npoint = [0, 0, 0]\n"
      "[[probe]]\nname = 'c.0'\nfield = 'temperature'\npoint = [0, 0, 0]\n");
  EXPECT_THAT(text, AllOf(HasSubstr("did you mean 'temperature'?"), HasSubstr("case.toml:3"),
                          HasSubstr("did you mean 'magnitude'?"), HasSubstr("(9, 0, 0) lies outside"),
                          HasSubstr("nearest node"), HasSubstr("'x7'"), HasSubstr("a second probe is called 'c'"),
                          HasSubstr("a point and a region"), HasSubstr("a probe is called 'c.0' beside 'c'")));
}

TEST(Probes, ForcesAtNodesAreSummedAndFieldsAreNot) {
  const Probed p;
  const std::string probe = "[[probe]]\nname = 'a'\n";
  EXPECT_THAT(p.error(probe + "field = 'displacement'\nregion = 'x1'\nmeasure = 'reaction'"),
              HasSubstr("the field 'displacement' holds no forces at nodes"));
  for (const std::string measure : {"integral", "mean"})
    EXPECT_THAT(p.error(probe + "field = 'reaction'\nregion = 'x1'\nmeasure = '" + measure + "'"),
                AllOf(HasSubstr("the field 'reaction' holds forces at nodes"), HasSubstr("it has no " + measure)));
  EXPECT_THAT(p.value("field = 'reaction'\nregion = 'x1'\nmeasure = 'min'"), ElementsAre(1, 0, -2));
}

TEST(Probes, ColumnsOfTablesKeepTheirNames) {
  const Probed p;
  for (const std::string name : {"time", "step", "load_case", "member", "exit", "kinetic_energy", "frequency_12"})
    EXPECT_THAT(p.error("[[probe]]\nname = '" + name + "'\nfield = 'temperature'\npoint = [0, 0, 0]"),
                HasSubstr("a probe cannot be called '" + name + "'"));
  for (const std::string name : {"time_2", "frequency_", "frequency_of_12", "Exit"}) {
    Case input = Case::from_text("[[probe]]\nname = '" + name + "'\nfield = 'temperature'\npoint = [0, 0, 0]");
    EXPECT_TRUE(check_probes(input, p.mesh, {p.fields, p.cells}));
    EXPECT_NO_THROW(input.finish());
  }
}

TEST(Probes, UnitsAreThoseOfTheComponentThatIsMeant) {
  Probed p;
  const Field beam = p.of_cells("beam_force", {"N", "Vy", "Mz_1"}, [](double i) { return std::vector{i, i, i}; });
  p.cells.push_back(beam);
  const auto unit = [&](const std::string& probe) -> std::string {
    Case input = Case::from_text("[[probe]]\nname = 'a'\nregion = 'all'\n" + probe);
    const auto units = probe_units(input, p.mesh, {p.fields, p.cells}, Units("ritz-structure"));
    return units.contains("a") ? units.at("a") : "";
  };
  for (const char* name : {"Mz_1", "mz_1", "2"})
    EXPECT_EQ(unit(std::string("field = 'beam_force'\nmeasure = 'max'\ncomponent = '") + name + "'"), " N m");
  EXPECT_EQ(unit("field = 'beam_force'\nmeasure = 'max'\ncomponent = 'vy'"), " N");
  EXPECT_EQ(unit("field = 'beam_force'\nmeasure = 'max'"), "");                              // forces and a moment
  EXPECT_EQ(unit("field = 'beam_force'\nmeasure = 'integral'\ncomponent = 'n'"), " N m^3");  // over volumes, here
  EXPECT_EQ(unit("field = 'displacement'\nmeasure = 'mean'\ncomponent = 'magnitude'"), " m");
  EXPECT_EQ(unit("field = 'reaction'\nmeasure = 'reaction'"), " N");
}

TEST(Probes, UnknownMeasureAndMissingKeysAreErrors) {
  const Probed p;
  EXPECT_THAT(p.error("[[probe]]\nname = 'a'\nfield = 'temperature'\nregion = 'x0'\nmeasure = 'maximum'"),
              HasSubstr("'max'"));
  EXPECT_THAT(p.error("[[probe]]\nfield = 'temperature'\npoint = [0, 0, 0]"), HasSubstr("name"));
  EXPECT_THAT(p.error("[[probe]]\nname = 'a'\npoint = [0, 0, 0]"), HasSubstr("field"));
  EXPECT_THAT(p.error("[[probe]]\nname = 'a'\nfield = 'temperature'\ncomponent = 'x'\npoint = [0, 0, 0]"),
              HasSubstr("omit the component"));
  EXPECT_THAT(p.error("[[probe]]\nname = 'a'\nfield = 'temperature'\npoint = [0, 0]"), HasSubstr("3 numbers"));
}

TEST(Probes, NaNIsNotLostInMinimumAndMaximum) {
  Probed p;
  p.fields[0].values[3] = std::nan("");
  EXPECT_TRUE(std::isnan(p.value("field = 'temperature'\nregion = 'all'\nmeasure = 'max'")[0]));
  EXPECT_TRUE(std::isnan(p.value("field = 'temperature'\nregion = 'all'\nmeasure = 'min'")[0]));
}

TEST(Probes, PlaneMeshesTakePointsOfTwoCoordinates) {
  const Mesh mesh = rectangle(3, 3, {1, 1}, CellKind::quad9);
  const std::vector<Field> fields = {
      field_of(mesh, "T", 1, [](double x, double y, double) { return std::vector{x * x + y}; })};
  Case input = Case::from_text("[[probe]]\nname = 'p'\nfield = 'T'\npoint = [0.4, 0.1]");
  check_probes(input, mesh);
  input.finish();
  EXPECT_NEAR(evaluate_probes(input, mesh, {fields})[0].second[0], 0.26, tiny);
}

class Integrals : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(Solids, Integrals,
                         ::testing::Values(CellKind::tet4, CellKind::tet10, CellKind::hex8, CellKind::hex20,
                                           CellKind::hex27, CellKind::prism6, CellKind::prism15, CellKind::prism18,
                                           CellKind::pyramid5, CellKind::pyramid13, CellKind::pyramid14),
                         [](const auto& info) { return std::string(traits(info.param).name); });

TEST_P(Integrals, OfALinearFieldAreExactOnDistortedCells) {
  const Mesh mesh = box(3, 2, 2, {2, 1, 0.5}, GetParam(), {.smooth = 0.05, .curved = true});
  const Field f =
      field_of(mesh, "f", 1, [](double x, double y, double z) { return std::vector{1 + x + 2 * y + 4 * z}; });
  const RegionIntegral whole = integrate(mesh, mesh.region("all"), f, {});
  EXPECT_NEAR(whole.size, 1, 1e-12);
  EXPECT_NEAR(whole.integrals[0], 1 + 1 + 1 + 1, 1e-12);
  const RegionIntegral top = integrate(mesh, mesh.region("z1"), f, {});
  EXPECT_NEAR(top.size, 2, 1e-12);
  EXPECT_NEAR(top.integrals[0], 2 * (1 + 1 + 1 + 2), 1e-12);
}

TEST(ProbeHistory, ExtremesBetweenBeginAndEndAreNamedWithTheirTime) {
  ProbeHistory history;
  for (const double t : {0.0, 1.0, 2.0, 3.0})
    history.add(t, {{"hot", {t * (3 - t)}}, {"grows", {t}}, {"tip", {0, t * t - 2 * t}}});
  const auto& series = history.series();
  ASSERT_EQ(series.size(), 4u);
  EXPECT_EQ(inner_extremes(series[0]), "greatest 2 at 1");
  EXPECT_EQ(inner_extremes(series[1]), "");
  EXPECT_EQ(series[3].name, "tip y");
  EXPECT_EQ(inner_extremes(series[3]), "least -1 at 1");
}

}  // namespace
}  // namespace ritz
