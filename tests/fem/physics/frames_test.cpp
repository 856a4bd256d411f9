// Frames without a case file: beams against formulas of the handbook, and what the builder refuses.
#include "fem/physics/frames.hpp"

#include "fem/analysis/vibration.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/elements/structure.hpp"

#include <gmock/gmock.h>
#include <numbers>

namespace ritz::test::frames_test {
namespace {

using ::testing::HasSubstr;
constexpr double length = 2, young = 210e9, area = 1e-3, second_moment = 1e-6, density = 7850;
const Beam steel{young, 0.3, area, second_moment, second_moment, 2e-6, 0, 0, {0, 0, 0}, 0, 0};

Device cpu() { return Device::named("cpu", 1); }
const Mesh& cantilever() {
  static const Mesh mesh = line_mesh({0, 0, 0}, {length, 0, 0}, 8);
  return mesh;
}
const Region foot{.name = "foot", .kind = RegionKind::nodes, .nodes = {0}};
const Region tip{.name = "tip", .kind = RegionKind::nodes, .nodes = {8}};

Frames clamped() {
  Frames frames(cantilever());
  frames.section("all", {.element = steel, .density = density, .size = area});
  frames.loads.fix(foot);
  return frames;
}

// Displacements and rotations of the tip.
std::vector<double> tip_of(const Model& model, const ModelLoadCase* load_case = nullptr) {
  std::vector<Integral> integrals = model.equations;
  if (load_case != nullptr) integrals.insert(integrals.end(), load_case->loads.begin(), load_case->loads.end());
  const Operator equations(model.space, integrals);
  const StaticSolution solution =
      solve_static(equations, make_constraints(model, load_case), {.method = LinearMethod::direct, .relative = 1e-9});
  const std::vector<double> u = model.space.to_mesh(solution.u);
  return {u.begin() + 6 * tip.nodes.front(), u.begin() + 6 * tip.nodes.front() + 6};
}

std::string refusal(const Frames& frames) {
  try {
    make_constraints(frames.model(cpu()));
    return "";
  } catch (const Error& error) { return std::string(error.what()) + error.why() + error.fix(); }
}

// w = F L^3 / 3 E I and a slope of F L^2 / 2 E I; a moment alone turns the tip by M L / E I.
TEST(Frames, ACantileverBendsAsItsFormulaSays) {
  Frames frames = clamped();
  frames.load_case("force").force(tip, {0, 0, 1000});
  frames.load_case("moment").force(tip, {}, {0, 500, 0});
  const Model model = frames.model(cpu());
  const double stiffness = young * second_moment;
  const std::vector<double> bent = tip_of(model, &model.load_cases[0]), turned = tip_of(model, &model.load_cases[1]);
  EXPECT_NEAR(bent[2], 1000 * std::pow(length, 3) / (3 * stiffness), 1e-9);
  EXPECT_NEAR(bent[4], -1000 * length * length / (2 * stiffness), 1e-9);
  EXPECT_NEAR(turned[4], 500 * length / stiffness, 1e-9);
}

// q L^4 / 8 E I by a line load; the weight is the line load of density times area.
TEST(Frames, WeightIsALineLoad) {
  const double q = -9.81 * density * area;
  Frames by_gravity = clamped(), by_line = clamped();
  by_gravity.loads.gravity({0, 0, -9.81});
  by_line.loads.line_load("all", {0, 0, q});
  const double expected = q * std::pow(length, 4) / (8 * young * second_moment);
  EXPECT_NEAR(tip_of(by_gravity.model(cpu()))[2], expected, 1e-9);
  EXPECT_NEAR(tip_of(by_line.model(cpu()))[2], expected, 1e-9);
  EXPECT_DOUBLE_EQ(by_gravity.along_beams()[3][2], q);
  EXPECT_DOUBLE_EQ(by_gravity.along_beams(2)[3][2], 2 * q);
}

// A spring at the tip and the beam share the force as springs side by side.
TEST(Frames, ASpringAtTheTipIsASpringBesideTheBeam) {
  constexpr double k = 1e5;
  Frames frames = clamped();
  frames.spring(tip, {.stiffness = {0, 0, k}});
  frames.loads.force(tip, {0, 0, 1000});
  const Model model = frames.model(cpu());
  EXPECT_NEAR(tip_of(model)[2], 1000 / (3 * young * second_moment / std::pow(length, 3) + k), 1e-9);
  ASSERT_EQ(model.exchanges.size(), 1u);
}

// (1.8751 / L)^2 sqrt(E I / rho A)
TEST(Frames, VibratesAtTheFrequencyOfTheHandbook) {
  const Model model = clamped().model(cpu());
  const Operator stiffness(model.space, model.equations), masses(model.space, model.inertia);
  const VibrationModes modes =
      solve_vibration(stiffness, masses, make_constraints(model), {}, {.count = 2, .method = EigenMethod::lanczos});
  const double expected =
      std::pow(1.8751041 / length, 2) * std::sqrt(young * second_moment / (density * area)) / (2 * std::numbers::pi);
  EXPECT_NEAR(modes.frequencies[0], expected, 2e-3 * expected);  // rotary inertia and shear
  EXPECT_NEAR(modes.total_mass[2], density * area * length, 1e-9);
}

// A plate that turns about an axis in its plane: u M u = rho t^3 / 12 times its area, and rho t times it where it
// moves.
TEST(Frames, APlateHasTheInertiaOfItsThickness) {
  constexpr double thickness = 0.05, plate_area = 6;
  for (const CellKind kind : {CellKind::quad4, CellKind::tri3}) {
    const Mesh mesh = surface_mesh(2, 3, {2, 3}, flat, {}, kind);
    Frames frames(mesh);
    const ShellSection section{.young = young, .poisson = 0.3, .thickness = thickness, .orientation = {}};
    frames.section("all", {.element = kind == CellKind::quad4 ? FormValue(Shell{section}) : FormValue(Shell3{section}),
                           .density = density,
                           .size = thickness});
    const Model model = frames.model(cpu());
    for (const auto& [component, per_area] :
         {std::pair{2, density * thickness}, {3, density * std::pow(thickness, 3) / 12}}) {
      std::vector<double> motion(static_cast<std::size_t>(6 * mesh.node_count()), 0.0);
      for (std::size_t i = static_cast<std::size_t>(component); i < motion.size(); i += 6) motion[i] = 1;
      const Vector u = model.space.from_mesh(motion);
      Vector inertia = model.space.zeros();
      Operator(model.space, model.inertia).residual(u, inertia);
      EXPECT_NEAR(dot(u, inertia), per_area * plate_area, 1e-12 * per_area * plate_area);
    }
  }
}

TEST(Frames, SaysWhatIsWrong) {
  Frames loose(cantilever());
  loose.section("all", {.element = steel});
  loose.loads.support(foot, 0, 0);
  EXPECT_THAT(refusal(loose), HasSubstr("can still move freely"));
  Frames twice = clamped();
  twice.section("all", {.element = steel});
  EXPECT_THAT(refusal(twice), HasSubstr("8 cells have two sections"));
  Frames along(cantilever());
  Beam wrong = steel;
  wrong.orientation[0] = 1;
  along.section("all", {.element = wrong});
  EXPECT_THAT(refusal(along), HasSubstr("runs along its orientation"));
  Frames truss(cantilever());
  truss.section("all", {.element = Bar{.young = young, .area = area}});
  truss.loads.force(tip, {}, {1, 0, 0});
  EXPECT_THAT(refusal(truss), HasSubstr("has no rotations"));
}

}  // namespace
}  // namespace ritz::test::frames_test
