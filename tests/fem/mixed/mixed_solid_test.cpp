// Solids by displacement and pressure: even states of all laws are those of the displacement alone, patches of any
// cells, closed forms of bodies that keep their volume, Cook's membrane, and what has no such formulation.
#include "fem/analysis/analysis.hpp"
#include "fem/materials/laws.hpp"
#include "fem/plugins/element_check_order.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/physics/mixed_solid.hpp"
#include "mesh/generators.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"
#include "tests/solvers/thread_ranks.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <numbers>

namespace ritz::test::mixed_solids {
namespace {

using ::testing::HasSubstr;

struct Solution {
  std::vector<double> u, pressure;  // [mesh node][dimension], [mesh node] of the field
};

// The mesh of the body must outlive it.
Solution solution_of(const ElasticBody& body, int order = 0, LinearMethod method = LinearMethod::direct) {
  const Model model = body.model(device_under_test(), {.order = order});
  const LinearSolverOptions linear{.method = method, .relative = 1e-10};
  const Vector u = model.linear ? solve(model, Static{.linear = linear}).u
                                : solve(model, Nonlinear{.relative = 1e-10, .linear = linear}).u;
  const Spaces spaces = model.spaces();
  const Layout layout = layout_of(spaces);
  Solution result{spaces[0].to_mesh(layout.part(u, 0)), {}};
  if (spaces.size() > 1) result.pressure = body.pressure(spaces[0].device(), spaces[1].to_mesh(layout.part(u, 1)), {});
  return result;
}

// Symmetry at the sides at 0.
void hold_on_symmetry_planes(ElasticBody& body, int dimension) {
  for (int c = 0; c < dimension; ++c) body.loads.displacement(fmt::format("{}0", "xyz"[c]), c, 0);
}

class MixedPatch : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, MixedPatch,
                         ::testing::Values(CellKind::tri3, CellKind::quad4, CellKind::tri6, CellKind::quad8,
                                           CellKind::tet4, CellKind::hex8, CellKind::prism6, CellKind::tet10,
                                           CellKind::hex20),
                         kind_name);

// One even stress: displacements are linear, the pressure is a number, and the volume is kept, on cells of any shape.
TEST_P(MixedPatch, UnderAnEvenStressKeepsItsVolume) {
  const Mesh mesh = check_mesh(kind(), 2, {.random = 0.05});  // from 1 to 2 along each axis
  const double E = 3, s = 0.2;
  ElasticBody body(mesh);
  body.material("all", {.young = Coefficient(E), .poisson = Coefficient(0.5), .mixed = true});
  hold_on_symmetry_planes(body, dimension());
  body.loads.traction("x1", dimension() == 3 ? std::vector<Coefficient>{s, 0, 0} : std::vector<Coefficient>{s, 0});
  const Solution found = solution_of(body);
  const bool plane = dimension() == 2;
  const double along = plane ? 0.75 * s / E : s / E, across = plane ? -along : -along / 2;
  const double pressure = plane ? -s / 2 : -s / 3;  // sigma_zz = nu sigma_xx
  for (Node node = 0; node < mesh.node_count(); ++node) {
    const auto x = mesh.point(node);
    for (int c = 0; c < dimension(); ++c)
      EXPECT_NEAR(found.u[static_cast<std::size_t>(node * dimension() + c)],
                  (c == 0 ? along : across) * (x[static_cast<std::size_t>(c)] - 1), 1e-10);
    EXPECT_NEAR(found.pressure[static_cast<std::size_t>(node)], pressure, 1e-9);
  }
}

struct LawInTest {
  MaterialLaw law;
  bool large;
};
// An even state is the same whatever the formulation: the softer law and its pressure are the law.
TEST(MixedSolid, EvenStatesOfAllLawsAreThoseOfTheDisplacementAlone) {
  const Hardening steel = hardening("j2", {{0, 8}, {0.5, 30}});
  const std::vector<LawInTest> laws = {
      {LinearElastic{1000, 0.3}, false},
      {J2{1000, 0.3, 20, steel}, false},
      {J2{1000, 0.3, 20, steel}, true},
      {Chaboche{.young = 1000, .poisson = 0.3, .c1 = 500, .g1 = 20, .yield = steel}, true},
      {NeoHooke{1000, 0.45}, true},
      {MooneyRivlin{120, 40, 3000}, true},
      {Yeoh{120, 10, 1, 3000}, true},
      {Ogden{.mu1 = 200, .alpha1 = 2, .mu2 = -20, .alpha2 = -2, .alpha3 = 2, .bulk = 3000}, true}};
  const Mesh solid = box(1, 1, 1, {1, 1, 1}, CellKind::hex8), plane = rectangle(1, 1, {1, 1}, CellKind::quad4);
  for (const LawInTest& each : laws)
    for (const PlaneKind kind : {PlaneKind::stress, PlaneKind::strain, PlaneKind::axisymmetric}) {
      const Mesh& mesh = kind == PlaneKind::stress ? solid : plane;  // in space it means nothing
      const auto u = [&](bool mixed) {
        ElasticBody body(mesh, kind);
        body.large_displacements = each.large;
        body.material("all", {.law = each.law, .expansion = {Coefficient(1e-3)}, .mixed = mixed});
        body.loads.temperature(30, 0);
        hold_on_symmetry_planes(body, mesh.dimension());
        body.loads.displacement("y1", 1, 0.08);
        return solution_of(body).u;
      };
      const std::vector<double> one = u(false), both = u(true);
      for (std::size_t i = 0; i < one.size(); ++i)
        EXPECT_NEAR(both[i], one[i], 1e-8) << each.law.record->name << each.large << static_cast<int>(kind);
    }
}

// Rings without change of volume: u_r = A / r, and the mean stress is the same everywhere.
TEST(MixedSolid, IncompressibleTubeUnderPressureIsTheClosedForm) {
  const double a = 1, b = 2, E = 3, p = 0.1, G = E / 3, A = p * a * a * b * b / (2 * G * (b * b - a * a));
  for (const auto& [kind, error, of_pressure] :
       {std::tuple{CellKind::quad4, 2e-3, 0.05}, {CellKind::tri3, 4e-3, 0.05}, {CellKind::quad8, 5e-6, 2e-3}}) {
    MeshData data = rectangle_data(16, 1, {b - a, 0.1}, kind);
    transform_points(data, [a](std::span<double, 3> x) { x[0] += a; });
    const Mesh mesh(std::move(data));
    ElasticBody body(mesh, PlaneKind::axisymmetric);
    body.material("all", {.young = Coefficient(E), .poisson = Coefficient(0.5), .mixed = true});
    for (const char* end : {"y0", "y1"}) body.loads.displacement(end, 1, 0);
    body.loads.pressure("x0", p);
    const Solution found = solution_of(body);
    for (Node node = 0; node < mesh.node_count(); ++node) {
      const double r = mesh.point(node)[0];
      EXPECT_NEAR(found.u[static_cast<std::size_t>(2 * node)], A / r, error * A);
      EXPECT_NEAR(found.pressure[static_cast<std::size_t>(node)], -2 * G * A / (b * b), of_pressure * p);
    }
  }
}

Mesh cook(Index n, CellKind kind) {
  MeshData data = rectangle_data(n, n, {1, 1}, kind);
  transform_points(data, [](std::span<double, 3> x) {
    const double r = x[0], s = x[1];
    x[0] = 48 * r;
    x[1] = 44 * r + s * (44 - 28 * r);
  });
  return Mesh(std::move(data));
}

// Cook's membrane of nearly incompressible rubber, plane strain, the upper right corner.
double lift_of_cook(Index n, CellKind kind, bool mixed, int order, Solution* whole = nullptr) {
  const Mesh mesh = cook(n, kind);
  ElasticBody body(mesh);
  body.large_displacements = true;
  body.material("all", {.law = NeoHooke{240.565, 0.4999}, .mixed = mixed});
  body.loads.fix("x0");
  body.loads.traction("x1", {0, 100.0 / 16});
  const Solution found = solution_of(body, order);
  if (whole != nullptr) *whole = found;
  for (Node node = 0; node < mesh.node_count(); ++node)
    if (const auto x = mesh.point(node); x[0] > 48 - 1e-9 && x[1] > 60 - 1e-9)
      return found.u[static_cast<std::size_t>(2 * node + 1)];
  return 0;
}

TEST(MixedSolid, CooksMembraneDoesNotLock) {
  const double lift =
      6.922;  // 32 x 32 full quadratic cells; 8, 16 and 32 serendipity cells give 6.814, 6.878 and 6.905
  EXPECT_NEAR(lift_of_cook(8, CellKind::quad8, true, 0), lift, 0.12);
  EXPECT_NEAR(lift_of_cook(8, CellKind::tri6, true, 0), lift, 0.16);
  EXPECT_NEAR(lift_of_cook(16, CellKind::quad4, true, 0), lift, 0.18);
  EXPECT_LT(lift_of_cook(16, CellKind::quad4, false, 0), 0.6 * lift);  // the displacement alone locks
}

// Neighbours of a pressure that oscillates differ by as much as it does.
TEST(MixedSolid, PressureOfLinearCellsDoesNotOscillate) {
  for (const CellKind kind : {CellKind::quad4, CellKind::tri3}) {
    const Index n = 16;
    Solution found;
    lift_of_cook(n, kind, true, 0, &found);
    const auto at = [&](Index i, Index j) { return found.pressure[static_cast<std::size_t>(j * (n + 1) + i)]; };
    double wave = 0, size = 0;
    for (Index j = 4; j < n - 3; ++j)
      for (Index i = 4; i < n - 3; ++i) {  // away from the corner at which the stress is singular
        wave = std::max(wave, std::abs(at(i - 1, j) - 2 * at(i, j) + at(i + 1, j)) / 4);
        size = std::max(size, std::abs(at(i, j)));
      }
    EXPECT_LT(wave, 0.03 * size);
  }
}

// The pressure is free in the cells of mixed materials alone.
TEST(MixedSolid, StandsBesideMaterialsOfTheDisplacementAlone) {
  MeshData data = box_data(4, 1, 1, {4, 1, 1}, CellKind::hex20);
  data.regions.push_back({"soft", RegionKind::cells, {0, 1}, {}, {}});
  data.regions.push_back({"stiff", RegionKind::cells, {2, 3}, {}, {}});
  const Mesh mesh(std::move(data));
  ElasticBody body(mesh);
  body.material("soft", {.young = Coefficient(1), .poisson = Coefficient(0.4), .mixed = true});
  body.material("stiff", {.young = Coefficient(1), .poisson = Coefficient(0.4)});
  hold_on_symmetry_planes(body, 3);
  body.loads.traction("x1", {1, 0, 0});
  for (const LinearMethod method : {LinearMethod::direct, LinearMethod::minres}) {
    const Solution found = solution_of(body, 0, method);
    for (Node node = 0; node < mesh.node_count(); ++node)
      EXPECT_NEAR(found.u[static_cast<std::size_t>(3 * node)], mesh.point(node)[0], 1e-8);
  }
}

// A tube without change of volume swings in its plane: u_r = A / r with omega^2 = 2 G (1/a^2 - 1/b^2) / (rho ln(b/a)),
// and its inner surface has p = -2 G A / a^2. The pressure has no inertia: it follows from the acceleration.
TEST(MixedSolid, IncompressibleTubeSwingsWithTheClosedForm) {
  const double a = 1, b = 2, E = 3, rho = 2, G = E / 3;
  MeshData data = rectangle_data(8, 1, {b - a, 0.1}, CellKind::quad8);
  transform_points(data, [a](std::span<double, 3> x) { x[0] += a; });
  const Mesh mesh(std::move(data));
  const auto tube = [&](double pressure) {
    ElasticBody body(mesh, PlaneKind::axisymmetric);
    body.material("all", {.young = Coefficient(E), .poisson = Coefficient(0.5), .density = rho, .mixed = true});
    for (const char* end : {"y0", "y1"}) body.loads.displacement(end, 1, 0);
    if (pressure != 0) body.loads.pressure("x0", pressure);
    return body;
  };
  const std::vector<double> blown = solve(tube(0.1).model(device_under_test()), Static{}).u.host();
  const ElasticBody body = tube(0);
  const Model model = body.model(device_under_test());
  const Layout layout = layout_of(model.spaces());
  const auto inner = [&](const SolutionView& s) {  // displacement and pressure
    return std::pair(model.space.to_mesh(layout.part(s.u, 0))[0],
                     body.pressure(device_under_test(), model.others[0].to_mesh(layout.part(s.u, 1)), {})[0]);
  };
  const double period = 2 * std::numbers::pi / std::sqrt(2 * G * (1 / (a * a) - 1 / (b * b)) / (rho * std::log(b / a)));
  std::vector<std::pair<double, double>> seen;
  solve(model, Transient{.end = period, .output = {period / 2}, .fixed_step = period / 80, .begin = {.u = blown}},
        {.show = [&](const SolutionView& s) { seen.push_back(inner(s)); }});
  ASSERT_EQ(seen.size(), 3u);
  const double A = seen[0].first * a;
  for (const auto& [at, sign] : {std::pair(0, 1), {1, -1}, {2, 1}}) {
    EXPECT_NEAR(seen[static_cast<std::size_t>(at)].first, sign * A / a, 5e-3 * A) << at;
    EXPECT_NEAR(seen[static_cast<std::size_t>(at)].second, -sign * 2 * G * A / (a * a), 1e-2 * 2 * G * A) << at;
  }
}

// A rod between walls without friction: u = cos(omega t) sin(pi x / 2) with omega^2 = (pi / 2)^2 (K + 4/3 G) / rho.
struct SwingingRod {
  static constexpr double E = 200, nu = 0.3, rho = 8;
  Mesh mesh = rectangle(8, 1, {1, 0.25}, CellKind::quad8);
  ElasticBody body{mesh};
  Model model;
  double period = 4 / std::sqrt(E * (1 - nu) / ((1 + nu) * (1 - 2 * nu)) / rho);
  explicit SwingingRod(bool mixed, RayleighDamping damping = {})
      : model([&] {
          body.material("all", {.young = Coefficient(E), .poisson = Coefficient(nu), .density = rho, .mixed = mixed});
          for (const auto& [side, component] : {std::pair{"x0", 0}, {"y0", 1}, {"y1", 1}})
            body.loads.displacement(side, component, 0);
          Model made = body.model(Device::named("cpu", 1));
          made.damping = damping;
          return made;
        }()) {}
  SwingingRod(const SwingingRod&) = delete;

  State begin() const {
    State state = uniform_state(model, 0);
    for (Node node = 0; node < model.space.node_count(); ++node)
      state.u[static_cast<std::size_t>(2 * node)] = std::sin(std::numbers::pi / 2 * model.space.point(node)[0]);
    return state;
  }
  Transient periods(double count, int steps, double spectral_radius = 1) const {
    return {
        .end = count * period,
        .spectral_radius = spectral_radius,
        .fixed_step = period / steps,
        .newton = {.relative = 1e-12},
        .linear = {.method = model.has_fields() ? LinearMethod::minres : LinearMethod::automatic, .relative = 1e-12},
        .begin = begin()};
  }
  double at_end(const State& state, int field = 0) const {
    const FunctionSpace space = model.spaces()[static_cast<std::size_t>(field)];
    for (Node node = 0; node < space.node_count(); ++node)
      if (const Point x = space.point(node); x[0] > (field == 0 ? 1 : 0.5) - 1e-9 && x[1] < 1e-9)
        return state
            .u[static_cast<std::size_t>(layout_of(model.spaces()).first(field) + Index{node} * space.components())];
    return NAN;
  }
};

TEST(MixedSolid, RodSwingsAsThatOfTheDisplacementAlone) {
  const SwingingRod alone(false), mixed(true);
  const auto after = [](const SwingingRod& rod) { return solve(rod.model, rod.periods(0.75, 40)).state; };
  const State one = after(alone), both = after(mixed);
  // The rate is largest where u = 0: times differ by less than 1e-4 of a period.
  EXPECT_NEAR(mixed.at_end(both), alone.at_end(one), 1e-4 * 2 * std::numbers::pi);
  EXPECT_NEAR(alone.at_end(one), 0, 0.02);
  EXPECT_NEAR(both.energy.begin, one.energy.begin, 1e-4 * one.energy.begin);
  EXPECT_LT(std::abs(both.energy.lost()), 1e-10 * both.energy.begin);  // average acceleration
}

TEST(MixedSolid, HalfTheStepOfMotionQuartersTheErrorOfBothFields) {
  for (const RayleighDamping damping : {RayleighDamping{}, {.mass = 0.5, .stiffness = 0.002}}) {
    const SwingingRod rod(true, damping);
    for (const int field : {0, 1}) {
      const auto after = [&](int steps) {
        return rod.at_end(solve(rod.model, rod.periods(0.75, steps, 0.8)).state, field);
      };
      const double coarse = after(16), fine = after(32), finest = after(64);
      EXPECT_NEAR((coarse - fine) / (fine - finest), 4, 0.5) << field << " " << damping.stiffness;
    }
  }
}

TEST(MixedSolid, RodSwingsOverRanksAsInOneProcess) {
  const SwingingRod alone(true);
  const State expected = solve(alone.model, alone.periods(0.3, 40)).state;
  for (const int count : {2, 3})
    testing::on_ranks(count, [&](Ranks& ranks) {
      const SwingingRod mine(true);
      Transient analysis = mine.periods(0.3, 40);
      analysis.linear.ranks = &ranks;
      const State found = solve(mine.model, analysis).state;
      EXPECT_NEAR(found.energy.strain, expected.energy.strain, 1e-9 * expected.energy.begin);
      for (const int field : {0, 1})
        EXPECT_NEAR(mine.at_end(found, field), alone.at_end(expected, field), 1e-8 * SwingingRod::E) << field;
    });
}

TEST(MixedSolid, RodThatIsResumedEndsWithTheSameBits) {
  const SwingingRod rod(true, {.stiffness = 0.002});
  std::vector<State> kept;
  const State end = solve(rod.model, rod.periods(0.25, 40), {.keep = [&](const State& s) { kept.push_back(s); }}).state;
  Transient rest = rod.periods(0.25, 40);
  rest.begin = kept.at(4);
  EXPECT_EQ(solve(rod.model, rest).state.u, end.u);
}

TEST(MixedSolid, IsRefusedWhereNothingWouldFollowFromIt) {
  const Mesh mesh = rectangle(1, 1, {1, 1}, CellKind::quad4);
  const auto refusal = [&](const ElasticMaterial& material, PlaneKind kind, bool large) {
    ElasticBody body(mesh, kind);
    body.large_displacements = large;
    body.material("all", material);
    try {
      body.model(device_under_test());
    } catch (const Error& error) { return error.message() + "; " + error.fix(); }
    return std::string();
  };
  const ElasticMaterial steel{.young = Coefficient(1), .poisson = Coefficient(0.3), .mixed = true};
  EXPECT_THAT(refusal(steel, PlaneKind::stress, false), HasSubstr("in plane stress"));
  EXPECT_THAT(refusal(steel, PlaneKind::strain, true), HasSubstr("law = \"neo_hooke\""));
  EXPECT_THAT(
      refusal({.law = Hyperfoam{.mu1 = 1, .alpha1 = 2, .poisson = 0.1}, .mixed = true}, PlaneKind::strain, true),
      HasSubstr("a mixed formulation of the law 'hyperfoam'"));
}

}  // namespace
}  // namespace ritz::test::mixed_solids
