// Linear buckling of columns, shafts, plates, shells and solids against closed forms (Timoshenko and Gere, Theory of
// Elastic Stability, 1961).
#include "fem/analysis/buckling.hpp"

#include "fem/analysis/geometric_stiffness.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/plugins/von_mises.hpp"
#include "fem/physics/any_form.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/physics/frames.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/elements/structure.hpp"

#include <gmock/gmock.h>
#include <numbers>

namespace ritz::test::buckling_test {
namespace {

using ::testing::HasSubstr;
constexpr double pi = std::numbers::pi, E = 210e3, nu = 0.3, G = E / (2 * (1 + nu));  // [MPa], with mm and N
constexpr EigenMethod methods[] = {EigenMethod::lanczos, EigenMethod::lobpcg};

Device cpu() { return Device::named("cpu", 1); }
template <class F>
Region nodes(const Mesh& mesh, const F& holds) {
  return {.name = "nodes", .kind = RegionKind::nodes, .nodes = nodes_where(mesh, holds)};
}
template <class Analysis>
std::string refusal(const Model& model, const Analysis& analysis) {
  try {
    solve(model, analysis);
    return "";
  } catch (const Error& error) { return std::string(error.what()) + error.why(); }
}

// ---- beams ----

constexpr double length = 1000, side = 20, square = side * side * side * side / 12;
const Beam column{E, nu, side* side, square, square, 0.1406 * 12 * square, 0, 0, {0, 1, 0}, 0, 0};

struct Line {
  Line(const Beam& beam, int count)
      : mesh(line_mesh({0, 0, 0}, {length, 0, 0}, count)),
        first{.name = "first", .kind = RegionKind::nodes, .nodes = {0}},
        last{.name = "last", .kind = RegionKind::nodes, .nodes = {static_cast<Node>(count)}},
        frames(mesh) {
    frames.section("all", {.element = beam, .density = 7.85e-9, .size = beam.area});
  }
  void pin() {  // and no twist at the first end
    for (const int c : {0, 1, 2, 3}) frames.loads.support(first, c, 0);
    for (const int c : {1, 2}) frames.loads.support(last, c, 0);
  }
  std::vector<double> factors(const Buckling& analysis = {}) const {
    return solve(frames.model(cpu()), analysis).factors;
  }

  Mesh mesh;
  Region first, last;
  Frames frames;
};

// pi^2 E I / L^2 = 27.635 kN in both planes; cubic deflections converge with the fourth power of the length.
TEST(Buckling, APinnedColumnHasEulersLoadTwice) {
  const double exact = pi * pi * E * square / (length * length);
  EXPECT_NEAR(exact, 27635, 0.5);
  double errors[2];
  for (const int k : {0, 1}) {
    Line line(column, 4 << k);
    line.pin();
    line.frames.loads.force(line.last, {-1, 0, 0});
    const std::vector<double> factors = line.factors({.count = 2});
    ASSERT_EQ(factors.size(), 2u);
    EXPECT_NEAR(factors[0], factors[1], 1e-9 * exact);
    errors[k] = factors[0] / exact - 1;
  }
  EXPECT_LT(errors[1], 4e-5);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4, 0.1);
}

// 1 / P = 1 / P_E + 1 / (k G A): Engesser.
TEST(Buckling, ShearMakesAColumnWeaker) {
  Beam soft = column;
  soft.shear_area_y = soft.shear_area_z = 0.5;
  const double euler = pi * pi * E * square / (length * length), exact = 1 / (1 / euler + 1 / (0.5 * G));
  Line line(soft, 16);
  line.pin();
  line.frames.loads.force(line.last, {-1, 0, 0});
  EXPECT_NEAR(line.factors()[0], exact, 1e-3 * exact);
}

// pi / L sqrt(E I_weak G J), of a strip bent in its stiff plane between forks.
TEST(Buckling, AStripBentInItsPlaneTipsOver) {
  const Beam strip{E, nu, 250, 50 * 125.0 / 12, 5 * 125000.0 / 12, 50 * 125.0 / 3, 0, 0, {0, 0, 1}, 0, 0};
  Line line(strip, 32);
  line.pin();
  line.frames.loads.support(line.last, 3, 0);
  line.frames.loads.force(line.first, {}, {0, 1, 0});
  line.frames.loads.force(line.last, {}, {0, -1, 0});
  const double exact = pi / length * std::sqrt(E * strip.inertia_y * G * strip.torsion);
  EXPECT_NEAR(line.factors()[0], exact, 1e-3 * exact);
}

// 8.9868 E I / L of a shaft whose ends do not turn about their diameters.
TEST(Buckling, AShaftUnderTorqueBucklesAsAHelix) {
  Line line(column, 16);
  line.frames.loads.fix(line.first);
  for (const int c : {1, 2, 4, 5}) line.frames.loads.support(line.last, c, 0);
  line.frames.loads.force(line.last, {}, {1, 0, 0});
  const double exact = 8.9868 * E * square / length;
  EXPECT_NEAR(line.factors()[0], exact, 2e-3 * exact);
}

// The Wagner effect: P (I_y + I_z) / A = G J.
TEST(Buckling, AWeaklyTwistedSectionBucklesByTorsion) {
  Beam thin = column;
  thin.torsion = 1;
  Line line(thin, 4);
  line.pin();
  line.frames.loads.force(line.last, {-1, 0, 0});
  const double exact = G * thin.torsion * thin.area / (2 * square);
  EXPECT_NEAR(line.factors()[0], exact, 1e-6 * exact);
}

TEST(Buckling, ATrussOfTwoBarsInLineIsHeldByItsSpring) {  // k L / 2 of the middle node
  const Mesh mesh = line_mesh({0, 0, 0}, {2, 0, 0}, 2);
  const Region ends = nodes(mesh, [](double x, double, double) { return !same(x, 1); }),
               middle = nodes(mesh, [](double x, double, double) { return same(x, 1); }),
               start = nodes(mesh, [](double x, double, double) { return same(x, 0); }),
               end = nodes(mesh, [](double x, double, double) { return same(x, 2); });
  Frames frames(mesh);
  frames.section("all", {.element = Bar{E, 1}});
  frames.spring(middle, {.stiffness = {0, 3, 3}});
  for (const int c : {1, 2}) frames.loads.support(ends, c, 0);
  frames.loads.support(start, 0, 0);
  frames.loads.force(end, {-1, 0, 0});
  EXPECT_NEAR(solve(frames.model(cpu()), Buckling{}).factors[0], 1.5, 1e-9);
}

// ---- shells ----

// N = 4 pi^2 D / b^2 of a plate that all edges support: 75.92 N/mm; shear takes N / (2 k G t) of it.
double plate(Index n, CellKind kind, EigenMethod method) {
  constexpr double b = 100;
  const Mesh mesh = surface_mesh(n, n, {b, b}, flat, {}, kind);
  const Region rim =
      nodes(mesh, [](double x, double y, double) { return same(x, 0) || same(y, 0) || same(x, b) || same(y, b); });
  const Region left = nodes(mesh, [](double x, double, double) { return same(x, 0); }),
               right = nodes(mesh, [](double x, double, double) { return same(x, b); }),
               sides = nodes(mesh, [](double, double y, double) { return same(y, 0) || same(y, b); }),
               corner = nodes(mesh, [](double x, double y, double) { return same(x, 0) && same(y, 0); }),
               inner = nodes(mesh, [](double x, double y, double) { return same(x, b) && !same(y, 0) && !same(y, b); }),
               corners =
                   nodes(mesh, [](double x, double y, double) { return same(x, b) && (same(y, 0) || same(y, b)); });
  const ShellSection section{.young = E, .poisson = nu, .thickness = 1, .orientation = {}};
  Frames frames(mesh);
  frames.section("all", {.element = kind == CellKind::quad4 ? FormValue(Shell{section}) : FormValue(Shell3{section})});
  frames.loads.support(rim, 2, 0);
  for (const Region* edge : {&left, &right}) frames.loads.support(*edge, 3, 0);
  frames.loads.support(sides, 4, 0);
  frames.loads.support(left, 0, 0);
  frames.loads.support(corner, 1, 0);
  const double h = b / static_cast<double>(n);
  frames.loads.force(inner, {-h * static_cast<double>(inner.nodes.size()), 0, 0});
  frames.loads.force(corners, {-h, 0, 0});
  return solve(frames.model(cpu()), Buckling{.method = method}).factors[0];
}

TEST(Buckling, ASupportedPlateConvergesToItsCoefficientOfFour) {
  const double thin = 4 * pi * pi * E / (12 * (1 - nu * nu)) / 1e4, exact = thin / (1 + thin / (5.0 / 3 * G));
  EXPECT_NEAR(thin, 75.92, 0.005);
  const double coarse = plate(8, CellKind::quad4, EigenMethod::lanczos) / exact - 1,
               fine = plate(16, CellKind::quad4, EigenMethod::lanczos) / exact - 1;
  EXPECT_NEAR(fine, 0, 0.01);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
  EXPECT_NEAR(plate(12, CellKind::tri3, EigenMethod::lanczos), exact, 0.02 * exact);
  EXPECT_NEAR(plate(8, CellKind::quad4, EigenMethod::lobpcg), exact * (1 + coarse), 1e-5 * exact);
}

// E t / (R sqrt(3 (1 - nu^2))) of a cylinder whose ends stay plane and slide outwards: a quarter, as long as the wave.
TEST(Buckling, ACompressedCylinderHasItsClassicalStress) {
  constexpr double R = 100, t = 2;
  const double wave = pi * std::sqrt(R * t) / std::pow(12 * (1 - nu * nu), 0.25);  // half of it
  const Mesh mesh = surface_mesh(16, 14, {pi / 2, 2 * wave}, [](double a, double z) {
    return Point{R * std::cos(a), R * std::sin(a), z};
  });
  const Region bottom = nodes(mesh, [](double, double, double z) { return same(z, 0); }),
               x0 = nodes(mesh, [](double x, double, double) { return same(x, 0); }),
               y0 = nodes(mesh, [](double, double y, double) { return same(y, 0); }),
               top = nodes(mesh, [&](double, double, double z) { return same(z, 2 * wave); }),
               rims = nodes(mesh, [&](double, double, double z) { return same(z, 0) || same(z, 2 * wave); });
  Frames frames(mesh);
  frames.section("all", {.element = Shell{{.young = E, .poisson = nu, .thickness = t, .orientation = {}}}});
  frames.loads.support(bottom, 2, 0);
  frames.loads.support(top, 2, -1e-3 * 2 * wave);
  for (const int c : {3, 4}) frames.loads.support(rims, c, 0);
  for (const int c : {0, 4, 5}) frames.loads.support(x0, c, 0);
  for (const int c : {1, 3, 5}) frames.loads.support(y0, c, 0);
  const double exact = 0.6052 * E * t / R;
  EXPECT_NEAR(1e-3 * E * solve(frames.model(cpu()), Buckling{}).factors[0], exact, 0.03 * exact);
}

// ---- solids ----

Model clamped_column(const Mesh& mesh, const MaterialProperty& young = Coefficient(E)) {
  ElasticBody body(mesh);
  body.material("all", {.young = young, .poisson = Coefficient(0)});
  body.loads.fix("x0");
  body.loads.traction("x1", {-1 / (side * side), 0, 0});
  return body.model(cpu(), {.order = 2});
}

// pi^2 E I / (4 L^2), by cells of order 2; a stiffness that is a formula takes other kernels.
TEST(Buckling, AClampedSolidColumnHasEulersLoad) {
  const double exact = pi * pi * E * square / (4 * length * length);
  const Mesh coarse = box(4, 1, 1, {length, side, side}, CellKind::hex8),
             fine = box(8, 1, 1, {length, side, side}, CellKind::hex8);
  const double first = solve(clamped_column(coarse), Buckling{}).factors[0] / exact - 1,
               second = solve(clamped_column(fine), Buckling{.count = 2}).factors[1] / exact - 1;
  EXPECT_NEAR(second, 0, 0.005);
  EXPECT_LT(std::abs(second), std::abs(first));
  const Model varying = clamped_column(fine, Coefficient(constant(E)));
  for (const EigenMethod method : methods) {
    const BucklingModes modes = solve(varying, Buckling{.method = method});
    EXPECT_NEAR(modes.factors[0] / exact - 1, second, 1e-6);
    if (method == EigenMethod::lobpcg) {
      EXPECT_LT(modes.eigen.iterations, 20);  // slender: single precision takes hundreds, or fails
    }
  }
}

// The same in plane stress, where it buckles in the plane; a ring of revolution under pressure from outside does not
// ovalise in its section, and a tube under axial compression has its classical stress.
TEST(Buckling, PlaneAndAxisymmetricSectionsBuckleInTheirPlane) {
  const Mesh strip = rectangle(8, 1, {length, side}, CellKind::quad4);
  const double exact = pi * pi * E * square / (4 * length * length);
  const StiffnessTensor stiffness = StiffnessTensor::isotropic(E, nu);
  for (const ElasticMaterial& material :
       {ElasticMaterial{.young = Coefficient(E), .poisson = Coefficient(nu)}, ElasticMaterial{.stiffness = stiffness},
        ElasticMaterial{.stiffness = stiffness, .orientation = Orientation::cylindrical({0, -1, 0}, {0, 0, 1})}}) {
    ElasticBody body(strip, PlaneKind::stress, side);
    body.material("all", material);
    body.loads.fix("x0");
    body.loads.traction("x1", {-1 / (side * side), 0});
    EXPECT_NEAR(solve(body.model(cpu(), {.order = 2}), Buckling{}).factors[0], exact, 0.01 * exact);
  }

  constexpr double R = 100, t = 1;
  const double wave = pi * std::sqrt(R * t) / std::pow(12 * (1 - nu * nu), 0.25);
  MeshData data = rectangle_data(1, 12, {t, 2 * wave}, CellKind::quad4);
  for (std::size_t i = 0; i < data.points.size(); i += 3) data.points[i] += R - t / 2;
  const Mesh tube{std::move(data)};
  ElasticBody shell(tube, PlaneKind::axisymmetric);
  shell.material("all", {.young = Coefficient(E), .poisson = Coefficient(nu)});
  shell.loads.displacement("y0", 1, 0);
  shell.loads.displacement("y1", 1, -1e-3 * 2 * wave);  // uniform compression by 1e-3
  EXPECT_NEAR(1e-3 * solve(shell.model(cpu(), {.order = 2}), Buckling{}).factors[0] * E, 0.6052 * E * t / R,
              0.01 * 0.6052 * E * t / R);
}

// E alpha dT A = 4 pi^2 E I / L^2 between two clamps.
TEST(Buckling, AWarmedClampedColumnBuckles) {
  const Mesh mesh = box(16, 1, 1, {length, side, side}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.young = Coefficient(E), .poisson = Coefficient(0), .expansion = {Coefficient(1e-5)}});
  body.loads.fix("x0");
  body.loads.fix("x1");
  body.loads.temperature(1, 0);
  const double exact = 4 * pi * pi * square / (length * length) / (1e-5 * side * side);
  EXPECT_NEAR(solve(body.model(cpu(), {.order = 2}), Buckling{}).factors[0], exact, 0.02 * exact);
}

// K_sigma of a stress in balance with its loads, times a rotation, is these loads turned by it.
TEST(GeometricStiffness, TurnsTheLoadsWithTheBody) {
  const Mesh mesh = box(3, 2, 2, {3, 2, 2}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.young = Coefficient(E), .poisson = Coefficient(nu)});
  body.loads.fix("x0");
  body.loads.traction("x1", {5, 3, -7});
  const Model model = body.model(cpu());
  const StaticSolution s = solve(model, Static{.linear = {.relative = 1e-12}});
  const SparseMatrix K_sigma = tangent_matrix(Operator(model.space, geometric_integrals(model, "a test")), s.u);
  const Operator equations(model.space, model.equations);
  Vector zero = model.space.zeros(), internal = model.space.zeros(), load = model.space.zeros(),
         result = model.space.zeros();
  equations.residual(zero, load);
  equations.residual(s.u, internal);
  axpy(-1.0, load, internal);  // K u: the loads, and the reactions
  const std::vector<double> f = model.space.to_mesh(internal);
  std::vector<double> turn, turned;
  for (Index n = 0; n < mesh.node_count(); ++n) {
    const auto p = mesh.point(n);
    const auto at = static_cast<std::size_t>(3 * n);
    turn.insert(turn.end(), {-p[1], p[0], 0});
    turned.insert(turned.end(), {-f[at + 1], f[at], 0});
  }
  K_sigma.apply(model.space.from_mesh(turn), result);
  axpy(-1.0, model.space.from_mesh(turned), result);
  EXPECT_LE(max_abs(result), 1e-9 * largest(f));
}

// ---- modes under preload ----

// f^2 = f_0^2 (1 + P / P_cr): a string in the end under tension, and nothing beyond the critical load.
TEST(ModesUnderPreload, OfAPinnedColumnFollowItsLoad) {
  Line line(column, 8);
  line.pin();
  const double unloaded = solve(line.frames.model(cpu()), Modal{{.count = 1}}).eigen.values[0];
  line.frames.loads.force(line.last, {-1, 0, 0});
  const Model model = line.frames.model(cpu());
  const BucklingModes buckling = solve(model, Buckling{});
  std::vector<double> unit = buckling.state.u.host();
  const auto squared = [&](double load) {
    Modal analysis{{.count = 2}};
    for (const double u : unit) analysis.begin.u.push_back(load * buckling.factors[0] * u);
    return solve(model, analysis).eigen.values[0];
  };
  for (const double part : {-2.0, 0.5, 0.99}) EXPECT_NEAR(squared(part) / unloaded, 1 - part, 1e-6) << part;
  try {
    squared(1.1);
    ADD_FAILURE();
  } catch (const Error& error) { EXPECT_THAT(error.what(), HasSubstr("the loaded state is unstable")); }
}

// A clamped solid as well, by either method.
TEST(ModesUnderPreload, OfASolidColumnVanishAtItsCriticalLoad) {
  const Mesh mesh = box(6, 1, 1, {length, side, side}, CellKind::hex8);
  ElasticBody body(mesh);
  body.material("all", {.young = Coefficient(E), .poisson = Coefficient(0), .density = Coefficient(7.85e-9)});
  body.loads.fix("x0");
  body.loads.traction("x1", {-1 / (side * side), 0, 0});
  const Model model = body.model(cpu(), {.order = 2});
  const BucklingModes buckling = solve(model, Buckling{});
  const double unloaded = solve(model, Modal{{.count = 1}}).eigen.values[0];
  for (const EigenMethod method : methods) {
    Modal analysis{{.count = 1, .method = method}};
    for (const double u : buckling.state.u.host()) analysis.begin.u.push_back(0.5 * buckling.factors[0] * u);
    EXPECT_NEAR(solve(model, analysis).eigen.values[0] / unloaded, 0.5, 0.02) << name_of(method);
  }
}

// ---- what is refused ----

TEST(Buckling, RefusesWhatDoesNotBuckle) {
  Line pulled(column, 4);
  pulled.pin();
  const Model idle = pulled.frames.model(cpu());
  EXPECT_THAT(refusal(idle, Buckling{}), HasSubstr("geometric stiffness is zero"));
  pulled.frames.loads.force(pulled.last, {1, 0, 0});
  const std::string reason = refusal(pulled.frames.model(cpu()), Buckling{});
  EXPECT_THAT(reason, HasSubstr("no factor is positive"));
  EXPECT_THAT(reason, HasSubstr("turned around, they are critical times 276"));
}

TEST(Buckling, NegativeFactorsThatAreNearerAreKnown) {
  Line line(column, 4);
  line.pin();
  const Region middle{.name = "middle", .kind = RegionKind::nodes, .nodes = {1}};
  line.frames.loads.force(line.last, {1, 0, 0});
  line.frames.loads.force(middle, {-1.2, 0, 0});
  const BucklingModes s = solve(line.frames.model(cpu()), Buckling{});
  EXPECT_LT(s.negative, 0);
  EXPECT_LT(-s.negative, s.factors[0]);
}

TEST(Buckling, RefusesModelsWithoutAGeometricStiffness) {
  const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  AnyForm heat(mesh);
  heat.material("all", Diffusion<3>{2});
  heat.loads.prescribe("x0", 0, 1);
  EXPECT_THAT(refusal(heat.model(cpu()), Buckling{}),
              HasSubstr("geometric stiffness of 'diffusion3', for linear buckling"));
  AnyForm plastic(mesh);
  plastic.material("all", VonMisesPlasticity{1, 0.3, 1}.form());
  EXPECT_THAT(refusal(plastic.model(cpu()), Buckling{}), HasSubstr("nonlinear equations"));
  Line cases(column, 1);
  cases.pin();
  cases.frames.load_case("one").force(cases.last, {-1, 0, 0});
  EXPECT_THAT(refusal(cases.frames.model(cpu()), Buckling{}), HasSubstr("load cases"));
}

}  // namespace
}  // namespace ritz::test::buckling_test
