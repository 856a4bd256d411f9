// Materials along axes and thermal strain: closed forms, invariances, and what is refused.
#include "fem/physics/elastic_material.hpp"

#include "fem/analysis/static_solution.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/evaluate.hpp"
#include "fem/physics/elastic_body.hpp"
#include "mesh/generators.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <numbers>

namespace ritz::test {
namespace {

using ::testing::HasSubstr;
constexpr double young = 200e9, poisson = 0.3, alpha = 12e-6, warming = 100;
const OrthotropicConstants ply{{140e9, 10e9, 8e9}, {0.3, 0.25, 0.4}, {5e9, 4e9, 3e9}};

Device cpu() { return Device::named("cpu", 1); }

struct Solved {
  std::vector<double> u;  // [mesh node][component]
  DerivedFields derived;
};
Solved solve(const Model& model) {
  const Operator equations(model.space, model.equations);
  const Vector u = solve_static(equations, make_constraints(model), {.relative = 1e-12}).u;
  return {model.space.to_mesh(u), evaluate(equations, u)};
}

TEST(TemperatureTable, HoldsFromItsFirstRowToItsLast) {
  const TemperatureTable table{PiecewiseLinear::through({{0, 40}, {100, 60}}), false};
  EXPECT_EQ(value_at(table, 0, "young", ""), 40);
  EXPECT_EQ(value_at(table, 100, "young", ""), 60);
  for (const double outside : {-1e-6, 100 + 1e-6}) EXPECT_THROW(value_at(table, outside, "young", ""), Error);
}

// Every node and cell has these strains and stresses: xx, yy, zz, xy, yz, xz.
void expect_everywhere(const DerivedFields& derived, const std::array<double, 12>& expected, double stress) {
  for (const std::vector<double>* fields : {&derived.at_nodes, &derived.at_cells})
    for (std::size_t i = 0; i < fields->size(); ++i)
      ASSERT_NEAR((*fields)[i], expected[i % 12], i % 12 < 6 ? 1e-9 : 1e-7 * stress) << "quantity " << i % 12;
}

void hold_symmetric(ElasticBody& body, int dimension) {
  const char* sides[] = {"x0", "y0", "z0"};
  for (int c = 0; c < dimension; ++c) body.loads.displacement(sides[c], c, 0);
}

void hold_all_sides(ElasticBody& body, int dimension) {
  for (const char* side : {"x0", "x1", "y0", "y1"}) body.loads.fix(side);
  if (dimension == 3)
    for (const char* side : {"z0", "z1"}) body.loads.fix(side);
}

std::string refusal(const ElasticBody& body) {
  try {
    body.model(cpu());
    return "";
  } catch (const Error& error) { return std::string(error.what()) + error.why() + error.fix(); }
}

ElasticMaterial steel() { return {.young = young, .poisson = poisson, .expansion = {Coefficient(alpha)}}; }

std::vector<CellKind> bodies() {
  std::vector<CellKind> kinds;
  for (const CellKind each : all_cell_kinds())
    if (traits(each).dimension >= 2) kinds.push_back(each);
  return kinds;
}

class ThermalStrain : public ::testing::TestWithParam<CellKind> {
 protected:
  const int dimension = traits(GetParam()).dimension;
  const Mesh mesh = dimension == 3 ? box(2, 2, 2, {1, 2, 3}, GetParam()) : rectangle(2, 2, {1, 2}, GetParam());
};

TEST_P(ThermalStrain, OfAFreeBodyCausesNoStress) {
  ElasticBody body(mesh, PlaneKind::stress, 0.1);
  body.material("all", steel());
  hold_symmetric(body, dimension);
  body.loads.temperature(20 + warming, 20);
  const double e = alpha * warming;
  expect_everywhere(solve(body.model(cpu())).derived, {e, e, e}, young * e);
}

TEST_P(ThermalStrain, ThatIsPreventedIsAPressure) {
  ElasticBody body(mesh, PlaneKind::strain, 0.1);
  body.material("all", steel());
  hold_all_sides(body, dimension);
  body.loads.temperature(20 + warming, 20);
  const double p = -young * alpha * warming / (1 - 2 * poisson);
  expect_everywhere(solve(body.model(cpu())).derived, {0, 0, 0, 0, 0, 0, p, p, p}, -p);
}

// In plane stress the strain across is free: eps_zz = (1 + nu) / (1 - nu) alpha dT.
TEST(ThermalStrainInPlaneStress, IsHalfPrevented) {
  const Mesh mesh = rectangle(2, 2, {1, 2}, CellKind::quad8);
  for (const bool varies : {false, true}) {
    ElasticBody body(mesh, PlaneKind::stress, 0.1);
    ElasticMaterial material = steel();
    if (varies) material.young = Coefficient(constant(young));
    body.material("all", material);
    hold_all_sides(body, 2);
    body.loads.temperature(warming, 0);
    const double s = -young * alpha * warming / (1 - poisson), zz = (1 + poisson) / (1 - poisson) * alpha * warming;
    expect_everywhere(solve(body.model(cpu())).derived, {0, 0, zz, 0, 0, 0, s, s}, -s);
  }
}

// A bar between walls whose modulus falls by half over the temperature.
TEST_P(ThermalStrain, TakesModuliOverTheTemperature) {
  ElasticBody body(mesh, PlaneKind::strain);
  ElasticMaterial material = steel();
  material.young = TemperatureTable{PiecewiseLinear::through({{0, young}, {200, 0}})};
  body.material("all", material);
  hold_all_sides(body, dimension);
  body.loads.temperature(100, 0);
  const double p = -0.5 * young * alpha * 100 / (1 - 2 * poisson);
  expect_everywhere(solve(body.model(cpu())).derived, {0, 0, 0, 0, 0, 0, p, p, p}, -p);
}

// A linear temperature in a free body strains it without stress, where the field can follow: quadratic displacements.
TEST_P(ThermalStrain, LinearOverAFreeBodyOfOrderTwoCausesNoStress) {
  if (traits(GetParam()).order < 2 || traits(GetParam()).linear == CellKind::pyramid5)
    GTEST_SKIP() << "not quadratic in full";
  ElasticBody body(mesh, PlaneKind::stress);
  body.material("all", steel());
  // Displacements of the strain alpha T I with T = 100 x: u_x = a (x^2 - y^2 - z^2) / 2, u_y = a x y, u_z = a x z.
  const double a = 100 * alpha;
  const auto field = [](auto f) {
    return PointFunction([f](std::span<const double> x, std::span<double> values) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = f(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
    });
  };
  const double third = dimension == 3 ? 1 : 0;
  body.loads.displacement("x0", 0,
                          field([=](double x, double y, double z) { return a * (x * x - y * y - third * z * z) / 2; }));
  body.loads.displacement("x0", 1, 0);
  if (dimension == 3) body.loads.displacement("x0", 2, 0);
  body.loads.temperature(field([](double x, double, double) { return 100 * x; }), 0);
  const Solved solved = solve(body.model(cpu()));
  for (std::size_t i = 0; i < solved.derived.at_nodes.size(); ++i)
    if (i % 12 >= 6) { ASSERT_NEAR(solved.derived.at_nodes[i], 0, 1e-7 * young * a) << i % 12; }
}

INSTANTIATE_TEST_SUITE_P(AllCells, ThermalStrain, ::testing::ValuesIn(bodies()),
                         [](const auto& info) { return std::string(traits(info.param).name); });

// A disc under T = 100 r^2 (Timoshenko and Goodier, art. 135): plane stress, free rim at b = 1.
TEST(ThermalStrain2, OfADiscFollowsTimoshenko) {
  MeshData data = rectangle_data(40, 1, {1, 0.025}, CellKind::quad9);
  const Mesh mesh(std::move(data));
  ElasticBody body(mesh, PlaneKind::axisymmetric);
  body.material("all", steel());
  body.loads.displacement("y0", 1, 0);
  body.loads.displacement("y1", 1, 0);  // plane strain: E / (1 - nu^2), alpha (1 + nu), nu / (1 - nu)
  body.loads.temperature(PointFunction([](std::span<const double> x, std::span<double> values) {
                           for (std::size_t i = 0; i < values.size(); ++i) values[i] = 100 * x[3 * i] * x[3 * i];
                         }),
                         0);
  const Solved solved = solve(body.model(cpu()));
  const double factor = alpha * 100 * young / (1 - poisson) / 4;
  for (Index cell = 0; cell < mesh.cell_count(); ++cell) {
    const auto nodes = mesh.nodes_of(cell);
    const double r = (mesh.point(nodes[0])[0] + mesh.point(nodes[1])[0]) / 2;
    const double* s = &solved.derived.at_cells[static_cast<std::size_t>(12 * cell + 6)];
    EXPECT_NEAR(s[0], factor * (1 - r * r), 2e-3 * factor);
    EXPECT_NEAR(s[2], factor * (1 - 3 * r * r), 2e-3 * factor);
  }
}

// eps = alpha(T) (T - zero) - alpha(reference) (reference - zero), of secant coefficients.
TEST(ThermalExpansion, CountsSecantCoefficientsFromTheirZero) {
  ElasticMaterial material = steel();
  material.expansion = {TemperatureTable{PiecewiseLinear::through({{0, 10e-6}, {500, 15e-6}})}};
  material.expansion_zero = 20;
  EXPECT_NEAR(thermal_strain(material, 0, {300, 100}).number(), 13e-6 * 280 - 11e-6 * 80, 1e-18);
  EXPECT_EQ(thermal_strain(material, 0, {100, 100}).number(), 0);
  EXPECT_THROW(thermal_strain(material, 0, {501, 100}), Error);
}

TEST(ThermalExpansion, RefusesTemperaturesOutsideOfTheTable) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  ElasticBody body(mesh);
  ElasticMaterial material = steel();
  material.expansion = {TemperatureTable{PiecewiseLinear::through({{0, 10e-6}, {50, 15e-6}})}};
  body.material("all", material);
  body.loads.fix("x0");
  body.loads.temperature(constant(120), 20);
  EXPECT_THAT(refusal(body), HasSubstr("the temperature 120 lies outside of the table of 'expansion'"));
}

TEST(ThermalExpansion, OfOneLoadCaseAndOfAllOfThemIsRefused) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", steel());
  body.loads.fix("x0");
  body.loads.temperature(120, 20);
  body.load_case("hot").temperature(200, 20);
  EXPECT_THAT(refusal(body), HasSubstr("the load case 'hot' has a temperature of its own"));
}

TEST(ThermalExpansion, WithoutEffectIsTold) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.young = young, .poisson = poisson});
  body.loads.fix("x0");
  body.loads.temperature(120, 20);
  EXPECT_THAT(body.model(cpu()).notices, ::testing::ElementsAre(HasSubstr("the temperature has no effect")));
}

// ---- stiffness along axes

TEST(StiffnessTensor, OfOneMaterialDoesNotDependOnTheAxes) {
  const StiffnessTensor isotropic = StiffnessTensor::isotropic(young, poisson);
  const Orientation turned = Orientation::along({1, 2, 3}, {0, 1, -1});
  const StiffnessTensor same = isotropic.from_axes(turned.axes());
  const StiffnessTensor by_constants = StiffnessTensor::orthotropic(
      {{young, young, young},
       {poisson, poisson, poisson},
       {young / (2 * (1 + poisson)), young / (2 * (1 + poisson)), young / (2 * (1 + poisson))}});
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      EXPECT_NEAR(same.c[i][j], isotropic.c[i][j], 1e-3);
      EXPECT_NEAR(by_constants.c[i][j], isotropic.c[i][j], 1e-3);
    }
}

// Under tension along axis 1: eps_11 = s / E1, eps_22 = -nu12 s / E1, eps_33 = -nu13 s / E1, and so on.
TEST(StiffnessTensor, OfEngineeringConstantsHasThem) {
  const StiffnessTensor c = StiffnessTensor::orthotropic(ply);
  const double nu21 = 0.3 * 10 / 140, nu31 = 0.25 * 8 / 140, nu32 = 0.4 * 8 / 10;
  const auto expect = [&](const StiffnessTensor::Six& strain, const StiffnessTensor::Six& stress) {
    const StiffnessTensor::Six s = c.stress(strain);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(s[k], stress[k], 1e-5);
  };
  expect({1 / 140e9, -0.3 / 140e9, -0.25 / 140e9, 0, 0, 0}, {1, 0, 0, 0, 0, 0});
  expect({-nu21 / 10e9, 1 / 10e9, -0.4 / 10e9, 0, 0, 0}, {0, 1, 0, 0, 0, 0});
  expect({-nu31 / 8e9, -nu32 / 8e9, 1 / 8e9, 0, 0, 0}, {0, 0, 1, 0, 0, 0});
  expect({0, 0, 0, 1 / 5e9, 1 / 3e9, 1 / 4e9}, {0, 0, 0, 1, 1, 1});
}

TEST(StiffnessTensor, ReadsTheOrderOfDecks) {
  std::array<double, 21> numbers{};
  for (std::size_t i = 0; i < 21; ++i) numbers[i] = static_cast<double>(i + 1);
  const StiffnessTensor c = StiffnessTensor::anisotropic(numbers);
  EXPECT_EQ(c.c[0][0], 1);   // D1111
  EXPECT_EQ(c.c[1][2], 5);   // D2233
  EXPECT_EQ(c.c[3][3], 10);  // D1212
  EXPECT_EQ(c.c[5][5], 15);  // D1313
  EXPECT_EQ(c.c[4][4], 21);  // D2323
  EXPECT_EQ(c.c[4][5], 20);  // D1323
  EXPECT_EQ(c.c[0][4], 16);  // D1123
}

TEST(StiffnessTensor, WithoutPositiveEnergyIsRefused) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.stiffness = StiffnessTensor::orthotropic({{1e9, 1e9, 1e9}, {1.2, 0, 0}, {1e9, 1e9, 1e9}})});
  body.loads.fix("x0");
  EXPECT_THAT(refusal(body), HasSubstr("some strain would have no positive energy"));
}

// A bar along x of a ply turned by an angle about z is as stiff as Jones, eq. 2.102, says:
// 1/Ex = c^4/E1 + (1/G12 - 2 nu12/E1) s^2 c^2 + s^4/E2. Held without constraint of its shear, and of order 2.
double modulus_off_axis(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return 1 / (c * c * c * c / 140e9 + (1 / 5e9 - 2 * 0.3 / 140e9) * s * s * c * c + s * s * s * s / 10e9);
}
void hold_at_corner(ElasticBody& body, const Mesh& mesh, std::vector<Region>& regions) {
  regions.reserve(3);
  const auto node_at = [&](double x, double y, double z) {
    for (Index n = 0; n < mesh.node_count(); ++n)
      if (std::abs(mesh.point(n)[0] - x) + std::abs(mesh.point(n)[1] - y) + std::abs(mesh.point(n)[2] - z) < 1e-9)
        return static_cast<Node>(n);
    throw Error(ErrorKind::internal, "no node there");
  };
  const bool solid = mesh.dimension() == 3;
  regions.push_back({"origin", RegionKind::nodes, {}, {}, {node_at(0, 0, 0)}});
  regions.push_back({"along x", RegionKind::nodes, {}, {}, {node_at(2, 0, 0)}});
  body.loads.fix(regions[0]);
  body.loads.displacement(regions[1], 1, 0);
  if (!solid) return;
  body.loads.displacement(regions[1], 2, 0);
  regions.push_back({"along y", RegionKind::nodes, {}, {}, {node_at(0, 1, 0)}});
  body.loads.displacement(regions[2], 2, 0);
}

// The ply, or a table over the temperature that is the ply at 50.
ElasticMaterial ply_along(const Point& along, const Point& across, bool varies, bool tabled) {
  ElasticMaterial material{.orientation = varies ? Orientation::varying([=](const Point&) {
                             return Axes{along, across};
                           })
                                                 : Orientation::along(along, across)};
  const StiffnessTensor stiffness = StiffnessTensor::orthotropic(ply);
  if (!tabled) {
    material.stiffness = stiffness;
    return material;
  }
  material.stiffness_table.emplace();
  for (const auto& [temperature, factor] : {std::pair{0.0, 0.5}, {100.0, 1.5}, {200.0, 9.0}}) {
    StiffnessTensor row = stiffness;
    for (StiffnessTensor::Six& each : row.c)
      for (double& entry : each) entry *= factor;
    material.stiffness_table->rows.push_back({temperature, row});
  }
  return material;
}

class OffAxis : public ::testing::TestWithParam<bool> {};  // material axes as functions of the position, or constant

TEST_P(OffAxis, TensionFollowsTheTransformedCompliance) {
  for (const auto& [kind, tabled] : {std::pair{CellKind::hex8, false},
                                     {CellKind::tet4, false},
                                     {CellKind::tet10, false},
                                     {CellKind::quad4, false},
                                     {CellKind::tri6, false},
                                     {CellKind::hex8, true},
                                     {CellKind::tri6, true}}) {
    const bool solid = traits(kind).dimension == 3;
    const Mesh mesh = solid ? box(2, 1, 1, {2, 1, 1}, kind) : rectangle(2, 1, {2, 1}, kind);
    const double angle = 0.5;
    ElasticBody body(mesh, PlaneKind::stress, 0.2);
    body.material("all", ply_along({std::cos(angle), std::sin(angle), 0}, {-std::sin(angle), std::cos(angle), 0},
                                   GetParam(), tabled));
    if (tabled) body.loads.temperature(50, 0);
    std::vector<Region> regions;
    hold_at_corner(body, mesh, regions);
    const std::vector<Coefficient> pull =
                                       solid ? std::vector<Coefficient>{1e6, 0, 0} : std::vector<Coefficient>{1e6, 0},
                                   back =
                                       solid ? std::vector<Coefficient>{-1e6, 0, 0} : std::vector<Coefficient>{-1e6, 0};
    body.loads.traction("x1", pull);
    body.loads.traction("x0", back);
    const DerivedFields derived = solve(body.model(cpu())).derived;
    for (std::size_t i = 0; i < derived.at_cells.size(); i += 12) {
      EXPECT_NEAR(derived.at_cells[i], 1e6 / modulus_off_axis(angle), 1e-12);
      EXPECT_NEAR(derived.at_cells[i + 6], 1e6, 1e-2);
      EXPECT_NEAR(derived.at_cells[i + 8], 0, 1e-2);
      EXPECT_NEAR(derived.at_cells[i + 9], 0, 1e-2);
    }
  }
}

// It expands by its own number along each axis, without stress.
TEST_P(OffAxis, FreeExpansionCausesNoStress) {
  for (const auto& [kind, tabled] :
       {std::pair{CellKind::hex8, false}, {CellKind::tet4, false}, {CellKind::quad4, false}, {CellKind::quad4, true}}) {
    const bool solid = traits(kind).dimension == 3;
    const Mesh mesh = solid ? box(2, 1, 1, {2, 1, 1}, kind) : rectangle(2, 1, {2, 1}, kind);
    const double c = std::cos(0.5), s = std::sin(0.5);
    ElasticBody body(mesh, PlaneKind::stress, 0.2);
    ElasticMaterial material = ply_along({c, s, 0}, {-s, c, 0}, GetParam(), tabled);
    material.expansion = {Coefficient(1e-6), Coefficient(30e-6), Coefficient(40e-6)};
    body.material("all", material);
    std::vector<Region> regions;
    hold_at_corner(body, mesh, regions);
    body.loads.temperature(120, 20);
    expect_everywhere(solve(body.model(cpu())).derived,
                      {1e-4 * c * c + 3e-3 * s * s, 1e-4 * s * s + 3e-3 * c * c, 4e-3, (1e-4 - 3e-3) * s * c}, 1e9);
  }
}

INSTANTIATE_TEST_SUITE_P(Axes, OffAxis, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Varying" : "Constant"; });

// A ring wound around its axis under pressure inside: u = A r^k + B r^-k, k^2 = stiffness of the hoop over that of the
// radius (Lekhnitskii, Anisotropic Plates, 1968, section 27), in plane strain. As a body of revolution and as a sector.
struct WoundRing {
  static constexpr double a = 1, b = 2, p = 1e6;
  const StiffnessTensor c = StiffnessTensor::orthotropic({{10e9, 40e9, 10e9}, {0.1, 0.3, 0.2}, {4e9, 4e9, 4e9}});
  const double k = std::sqrt(c.c[1][1] / c.c[0][0]);

  // radial displacement: sigma_r = c11 u' + c12 u / r is -p at a and 0 at b.
  double displacement(double r) const {
    const auto stress = [&](double power, double at) {
      return (c.c[0][0] * power + c.c[0][1]) * std::pow(at, power - 1);
    };
    const double m11 = stress(k, a), m12 = stress(-k, a), m21 = stress(k, b), m22 = stress(-k, b);
    const double determinant = m11 * m22 - m12 * m21;
    return -p * m22 / determinant * std::pow(r, k) + p * m21 / determinant * std::pow(r, -k);
  }
};

TEST(OrthotropicRing, OfRevolutionFollowsLekhnitskii) {
  const WoundRing ring;
  MeshData data = rectangle_data(30, 1, {1, 0.05}, CellKind::quad9);
  for (std::size_t n = 0; n < data.points.size(); n += 3) data.points[n] += 1;
  const Mesh mesh(std::move(data));
  ElasticBody body(mesh, PlaneKind::axisymmetric);
  // axes of the section: x = r is material axis 1, y = axial 3, z = hoop 2
  body.material("all", {.stiffness = ring.c.from_axes({{1, 0, 0}, {0, 0, 1}})});
  for (const char* side : {"y0", "y1"}) body.loads.displacement(side, 1, 0);
  body.loads.pressure("x0", WoundRing::p);
  const Solved solved = solve(body.model(cpu()));
  for (Index node = 0; node < mesh.node_count(); ++node)
    EXPECT_NEAR(solved.u[static_cast<std::size_t>(2 * node)], ring.displacement(mesh.point(node)[0]), 1e-9);
}

TEST(OrthotropicRing, WithCylindricalAxesFollowsLekhnitskii) {
  const WoundRing ring;
  for (const CellKind kind : {CellKind::hex27, CellKind::quad9}) {
    const bool solid = traits(kind).dimension == 3;
    MeshData data = solid ? box_data(16, 8, 1, {1, 1, 0.1}, kind) : rectangle_data(16, 8, {1, 1}, kind);
    for (std::size_t n = 0; n < data.points.size(); n += 3) {
      const double r = 1 + data.points[n], angle = data.points[n + 1] * std::numbers::pi / 2;
      data.points[n] = r * std::cos(angle);
      data.points[n + 1] = r * std::sin(angle);
    }
    const Mesh mesh(std::move(data));
    ElasticBody body(mesh, PlaneKind::strain);
    body.material("all", {.stiffness = ring.c, .orientation = Orientation::cylindrical({0, 0, 0}, {0, 0, 1})});
    body.loads.displacement("y0", 1, 0);
    body.loads.displacement("y1", 0, 0);
    if (solid)
      for (const char* side : {"z0", "z1"}) body.loads.displacement(side, 2, 0);
    body.loads.pressure("x0", WoundRing::p);
    const Solved solved = solve(body.model(cpu()));
    const auto components = static_cast<std::size_t>(solid ? 3 : 2);
    for (Index node = 0; node < mesh.node_count(); ++node) {
      const auto x = mesh.point(node);
      const double* u = &solved.u[components * static_cast<std::size_t>(node)];
      EXPECT_NEAR(std::hypot(u[0], u[1]), ring.displacement(std::hypot(x[0], x[1])), 2e-8);
    }
  }
}

TEST(Orientation, HasRightHandedAxes) {
  const Point x{1, 2, 2};
  for (const Orientation& each :
       {Orientation::along({1, 2, 3}, {0, 1, -1}), Orientation::cylindrical({0, 0, 1}, {0, 0, 2}),
        Orientation::spherical({0, 0, 0}, {0, 0, 1})}) {
    const Axes axes = each.at(x);
    EXPECT_NEAR(length(axes.first), 1, 1e-15);
    EXPECT_NEAR(length(axes.second), 1, 1e-15);
    EXPECT_NEAR(dot(axes.first, axes.second), 0, 1e-15);
  }
  EXPECT_NEAR(distance(Orientation::cylindrical({0, 0, 1}, {0, 0, 2}).at({0, 3, 7}).second, {-1, 0, 0}), 0, 1e-15);
  EXPECT_NEAR(distance(Orientation::spherical({0, 0, 0}, {0, 0, 1}).at({2, 0, 0}).second, {0, 0, -1}), 0, 1e-15);
  EXPECT_THROW(Orientation::along({1, 0, 0}, {2, 0, 0}), Error);
  EXPECT_THROW(Orientation::cylindrical({0, 0, 0}, {0, 0, 1}).at({0, 0, 5}), Error);
}

TEST(Orientation, OutOfThePlaneIsRefused) {
  const Mesh mesh = rectangle(1, 1, {1, 1}, CellKind::quad4);
  ElasticBody body(mesh, PlaneKind::stress);
  body.material(
      "all", {.stiffness = StiffnessTensor::orthotropic(ply), .orientation = Orientation::along({1, 0, 1}, {0, 1, 0})});
  body.loads.fix("x0");
  EXPECT_THAT(refusal(body), HasSubstr("shear out of the plane would follow tension"));
}

TEST(Orientation, ThatVariesWithItsThirdAxisInThePlaneIsRefused) {
  const Mesh mesh = rectangle(1, 1, {1, 1}, CellKind::quad4);
  ElasticBody body(mesh, PlaneKind::stress);
  body.material("all", {.stiffness = StiffnessTensor::orthotropic(ply),
                        .orientation = Orientation::cylindrical({-1, 0, 0}, {0, 1, 0})});
  body.loads.fix("x0");
  EXPECT_THAT(refusal(body), HasSubstr("the third one lies in the plane"));
}

TEST(ThermalExpansion, AlongAxesOutOfThePlaneIsRefusedOfIsotropicMaterialsToo) {
  const Mesh mesh = rectangle(1, 1, {1, 1}, CellKind::quad4);
  ElasticBody body(mesh, PlaneKind::stress);
  ElasticMaterial material = steel();
  material.expansion = {Coefficient(1e-6), Coefficient(2e-6), Coefficient(3e-6)};
  material.orientation = Orientation::along({1, 0, 1}, {0, 1, 0});
  body.material("all", material);
  body.loads.fix("x0");
  body.loads.temperature(120, 20);
  EXPECT_THAT(refusal(body), HasSubstr("shear out of the plane would follow tension or warming"));
}

}  // namespace
}  // namespace ritz::test
