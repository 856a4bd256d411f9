// Models of several fields under every analysis: numbers of mechanics, or the text of the error where an analysis makes
// no sense for them.
#include "device/error.hpp"
#include "fem/analysis/analysis.hpp"
#include "fem/analysis/modal_space.hpp"
#include "fem/forms/mass.hpp"
#include "fem/forms/navier_stokes.hpp"
#include "fem/plugins/von_mises.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/mixed/mixed_forms.hpp"
#include "tests/fem/mixed/mixed_problems.hpp"
#include "tests/solvers/thread_ranks.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <numbers>

namespace ritz::test::analyses_of_fields_test {
namespace {

using std::numbers::pi;

Model model_of(const Mesh& mesh, const MixedFormValue& form) {
  Spaces spaces = spaces_of(form, mesh, device_under_test(2));
  Model model{.space = spaces.front(), .others = {spaces.begin() + 1, spaces.end()}};
  model.of_fields.equations = {MixedIntegral::over_all_cells(form)};
  model.linear = form.linear;
  model.definite = false;
  model.rigid.reset();
  return model;
}

PrescribedValue held(const Mesh& mesh, const char* region, int field, int component, Coefficient value = 0.0) {
  return {.region = &mesh.region(region),
          .component = component,
          .value = std::move(value),
          .origin = region,
          .field = field};
}

Layout layout_of_model(const Model& model) { return layout_of(model.spaces()); }

// The value of a field at one of its nodes.
double value_at(const Model& model, std::span<const double> u, int field, const Point& at, int component = 0) {
  const FunctionSpace space = model.spaces().at(static_cast<std::size_t>(field));
  for (Node node = 0; node < space.node_count(); ++node) {
    const Point x = space.point(node);
    if (std::hypot(x[0] - at[0], x[1] - at[1]) < 1e-9)
      return u[static_cast<std::size_t>(layout_of_model(model).first(field) + Index{node} * space.components() +
                                        component)];
  }
  throw std::runtime_error("no node there");
}

// The unknowns of all fields, of those of the first one from functions of the position.
std::vector<double> first_field(const Model& model, const std::function<double(const Point&, int)>& value) {
  std::vector<double> u(static_cast<std::size_t>(layout_of_model(model).total()), 0.0);
  for (Node node = 0; node < model.space.node_count(); ++node)
    for (int c = 0; c < model.space.components(); ++c)
      u[static_cast<std::size_t>(Index{node} * model.space.components() + c)] = value(model.space.point(node), c);
  return u;
}

// Cells of the flow (sin pi x cos pi y, -cos pi x sin pi y) between walls without friction, and a node where the
// pressure is zero (Taylor and Green, Proc. R. Soc. A 158, 1937): it decays like exp(-2 nu pi^2 t).
struct Vortex {
  static constexpr double viscosity = 0.5, density = 2, rate = 2 * viscosity / density * pi * pi;
  Mesh mesh;
  Model model;
  explicit Vortex(Index n)
      : mesh(rectangle(n, n, {1, 1}, CellKind::quad9)), model(model_of(mesh, Stokes<2>{viscosity})) {
    for (const auto& [side, component] : {std::pair{"x0", 0}, {"x1", 0}, {"y0", 1}, {"y1", 1}})
      model.supports.push_back(held(mesh, side, 0, component));
    model.capacity = {Integral::over_all_cells(Mass<2, 2>{density})};
  }
  Vortex(const Vortex&) = delete;
  void hold_pressure() {
    corner = {.name = "corner", .kind = RegionKind::nodes, .nodes = {0}};
    model.supports.push_back({.region = &corner, .component = 0, .value = 0.0, .origin = "corner", .field = 1});
  }
  State start() const {
    return {.u = first_field(model, [](const Point& x, int c) {
              return c == 0 ? std::sin(pi * x[0]) * std::cos(pi * x[1]) : -std::cos(pi * x[0]) * std::sin(pi * x[1]);
            })};
  }
  double speed(const State& state) const { return value_at(model, state.u, 0, {0.5, 0, 0}); }
  Region corner;
};

TEST(FieldsInTime, AVortexDecaysAsItsViscositySays) {
  Vortex vortex(6);
  vortex.hold_pressure();
  const double end = 1 / Vortex::rate;
  const TransientResult result = solve(vortex.model, Transient{.end = end, .tolerance = 1e-4, .begin = vortex.start()});
  EXPECT_NEAR(vortex.speed(result.state), std::exp(-1.0), 2e-3);
  EXPECT_GT(result.state.steps, 5);
  EXPECT_LT(result.state.balance.defect(), 1e-6);
}

TEST(FieldsInTime, HalfTheStepQuartersTheError) {
  Vortex vortex(8);
  vortex.hold_pressure();
  const auto after = [&](double step) {
    return vortex.speed(
        solve(vortex.model,
              Transient{.end = 1 / Vortex::rate, .fixed_step = step / Vortex::rate, .begin = vortex.start()})
            .state);
  };
  const double coarse = after(0.25), fine = after(0.125), finest = after(0.0625);
  EXPECT_NEAR((coarse - fine) / (fine - finest), 4, 1);
}

TEST(FieldsInTime, AResumedRunEndsWithTheSameBits) {
  Vortex vortex(4);
  vortex.hold_pressure();
  std::vector<State> kept;
  const Transient whole{.end = 1, .fixed_step = 0.25, .begin = vortex.start()};
  const State end = solve(vortex.model, whole, {.keep = [&](const State& s) { kept.push_back(s); }}).state;
  ASSERT_EQ(kept.size(), 5u);
  const State again = solve(vortex.model, Transient{.end = 1, .fixed_step = 0.25, .begin = kept[2]}).state;
  EXPECT_EQ(again.u, end.u);
}

// A step from rest has the equations of one implicit step, which a form may have written by hand.
TEST(FieldsInTime, AStepOfConsolidationIsTheImplicitStep) {
  constexpr double lambda = 1.2, mu = 0.8, stress = 0.7, capacity = 0.3, conductivity = 2, dt = 0.05;
  const Mesh mesh = rectangle(4, 4, {1, 1}, CellKind::quad9);
  Model model = model_of(mesh, ThermoElasticity<2>{lambda, mu, stress, 0, 0, conductivity});
  model.of_fields.capacity = {MixedIntegral::over_all_cells(ThermoElasticity<2>{0, 0, 0, stress, capacity, 0})};
  model.equations = {Integral::over(FormValue(Pressure<2>{1}), mesh.region("x1"))};
  for (const auto& [side, component] : {std::pair{"x0", 0}, {"y0", 1}, {"y1", 1}})
    model.supports.push_back(held(mesh, side, 0, component));
  model.supports.push_back(held(mesh, "x0", 1, 0));
  const State state = solve(model, Transient{.end = dt, .method = &backward_euler, .fixed_step = dt}).state;

  Model step = model_of(mesh, ThermoElasticity<2>{lambda, mu, stress, stress, capacity, dt * conductivity});
  step.equations = model.equations;
  step.supports = model.supports;
  const StaticSolution known = solve(step, Static{});
  Vector difference(known.u.device(), std::span<const double>(state.u), "vectors");
  axpy(-1.0, known.u, difference);
  EXPECT_LT(max_abs(difference), 1e-7 * max_abs(known.u));
  EXPECT_GT(std::abs(value_at(model, state.u, 1, {1, 0.5, 0})), 1e-3);
}

// The layer drains at one side (Terzaghi): in the end the pressure is gone, and the load rests on the skeleton.
TEST(FieldsInTime, ConsolidationEndsWithTheLoadOnTheSkeleton) {
  const Mesh mesh = rectangle(6, 1, {1, 0.2}, CellKind::quad9);
  Model model = model_of(mesh, ThermoElasticity<2>{1.2, 0.8, 1, 0, 0, 1});
  model.of_fields.capacity = {MixedIntegral::over_all_cells(ThermoElasticity<2>{0, 0, 0, 1, 0.1, 0})};
  model.equations = {Integral::over(FormValue(Pressure<2>{1}), mesh.region("x1"))};
  for (const auto& [side, component] : {std::pair{"x0", 0}, {"y0", 1}, {"y1", 1}})
    model.supports.push_back(held(mesh, side, 0, component));
  model.supports.push_back(held(mesh, "x1", 1, 0));
  std::vector<double> pressures;
  const auto look = [&](const SolutionView& s) { pressures.push_back(value_at(model, s.u.host(), 1, {0, 0, 0})); };
  const State state = solve(model, Transient{.end = 10, .output = {0.01}, .tolerance = 1e-4}, {.show = look}).state;
  ASSERT_EQ(pressures.size(), 3u);
  const double undrained = -1 / (1.2 + 2 * 0.8) / (0.1 + 1 / (1.2 + 2 * 0.8));  // of a layer that keeps all water
  EXPECT_NEAR(pressures[1], -undrained, 0.02);
  EXPECT_NEAR(pressures[2], 0, 1e-3);
  EXPECT_NEAR(value_at(model, state.u, 0, {1, 0, 0}), -1 / (1.2 + 2 * 0.8), 1e-3);
}

// Forces and flows have no common unit, so no norm of both may judge them: with pressures in other units a step counts
// as done where the larger of the two is.
TEST(FieldsInTime, ConsolidationHasTheSameNumbersInAnyUnits) {
  const Mesh mesh = rectangle(4, 1, {1, 0.25}, CellKind::quad9);
  const auto after = [&](double pascal, double second) {
    Model model = model_of(mesh, ThermoElasticity<2>{1.2 * pascal, 0.8 * pascal, 1, 0, 0, 1 / (pascal * second)});
    model.of_fields.capacity = {MixedIntegral::over_all_cells(ThermoElasticity<2>{0, 0, 0, 1, 0.1 / pascal, 0})};
    model.equations = {Integral::over(FormValue(Pressure<2>{pascal}), mesh.region("x1"))};
    for (const auto& [side, component] : {std::pair{"x0", 0}, {"y0", 1}, {"y1", 1}})
      model.supports.push_back(held(mesh, side, 0, component));
    model.supports.push_back(held(mesh, "x1", 1, 0));
    const State state = solve(model, Transient{.end = 0.2 * second, .fixed_step = 0.02 * second}).state;
    return std::pair(value_at(model, state.u, 0, {1, 0, 0}), value_at(model, state.u, 1, {0, 0, 0}) / pascal);
  };
  const auto [displacement, pressure] = after(1, 1);
  EXPECT_GT(std::abs(pressure), 0.1);
  for (const double pascal : {1e-6, 1e6, 1e9})
    for (const double second : {1e-3, 1e6}) {
      const auto [u, p] = after(pascal, second);
      EXPECT_NEAR(u / displacement, 1, 1e-9) << pascal << ", " << second;
      EXPECT_NEAR(p / pressure, 1, 1e-9) << pascal << ", " << second;
    }
}

TEST(FieldsByNewton, AFlowBetweenPlatesKeepsItsParabola) {
  const Mesh mesh = rectangle(4, 4, {2, 1}, CellKind::quad9);
  Model model = model_of(mesh, NavierStokes<2>{0.05, 1.0});
  const auto parabola = [](std::span<const double> at, std::span<double> v) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = 4 * at[3 * i + 1] * (1 - at[3 * i + 1]);
  };
  for (const char* side : {"x0", "y0", "y1"}) {
    model.supports.push_back(held(mesh, side, 0, 0, Coefficient(PointFunction(parabola))));
    model.supports.push_back(held(mesh, side, 0, 1));
  }
  model.supports.push_back(held(mesh, "x1", 0, 1));
  const NonlinearSolution s = solve(model, Nonlinear{.relative = 1e-11});
  const std::vector<double> u = s.u.host();
  EXPECT_NEAR(value_at(model, u, 0, {2, 0.5, 0}), 1, 1e-8);
  // Without friction across the outlet of div(2 mu sym grad v) it has the pressure 0 there: it falls by 8 mu a length.
  EXPECT_NEAR(value_at(model, u, 1, {0, 0.5, 0}) - value_at(model, u, 1, {2, 0.5, 0}), 2 * 8 * 0.05, 1e-7);
}

// Prescribed values of one field must not look like rounding of another one.
TEST(FieldsByNewton, ASmallDisplacementIsPrescribedBesideALargeTemperature) {
  const Mesh mesh = rectangle(2, 1, {1, 1}, CellKind::quad9);
  Model model = model_of(mesh, ThermoElasticity<2>{1.2, 0.8, 0, 0, 0, 2});
  model.supports = {held(mesh, "x0", 0, 0), held(mesh, "x0", 0, 1), held(mesh, "x1", 0, 0, 1e-9),
                    held(mesh, "x0", 1, 0, 1e6)};
  const std::vector<double> u = solve(model, Nonlinear{}).u.host();
  EXPECT_NEAR(value_at(model, u, 0, {1, 0, 0}), 1e-9, 1e-16);
  EXPECT_NEAR(value_at(model, u, 1, {1, 0, 0}), 1e6, 1e-2);
}

// The flow behind a grid at a Reynolds number of 40 (Kovasznay, Proc. Camb. Phil. Soc. 44, 1948, 58).
TEST(FieldsByNewton, AFlowBehindAGridIsThatOfKovasznay) {
  const double reynolds = 40, lambda = reynolds / 2 - std::sqrt(reynolds * reynolds / 4 + 4 * pi * pi);
  const Mesh mesh = rectangle(8, 8, {1, 1}, CellKind::quad9);
  Model model = model_of(mesh, NavierStokes<2>{1 / reynolds, 1.0});
  const auto along = [lambda](const Point& x) { return 1 - std::exp(lambda * x[0]) * std::cos(2 * pi * x[1]); };
  const auto across = [lambda](const Point& x) {
    return lambda / (2 * pi) * std::exp(lambda * x[0]) * std::sin(2 * pi * x[1]);
  };
  const auto given = [](auto value) {
    return Coefficient(PointFunction([value](std::span<const double> at, std::span<double> v) {
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = value(Point{at[3 * i], at[3 * i + 1], 0});
    }));
  };
  for (const char* side : {"x0", "x1", "y0", "y1"}) {
    model.supports.push_back(held(mesh, side, 0, 0, given(along)));
    model.supports.push_back(held(mesh, side, 0, 1, given(across)));
  }
  const Region corner{.name = "corner", .kind = RegionKind::nodes, .nodes = {0}};
  model.supports.push_back({.region = &corner, .component = 0, .value = 0.0, .origin = "corner", .field = 1});
  const NonlinearSolution s = solve(model, Nonlinear{.relative = 1e-10});
  EXPECT_GE(s.steps.size(), 3u);
  EXPECT_LE(s.steps.size(), 8u);
  const std::vector<double> u = s.u.host();
  for (const Point& x : {Point{0.25, 0.5, 0}, Point{0.5, 0.25, 0}, Point{0.75, 0.75, 0}}) {
    EXPECT_NEAR(value_at(model, u, 0, x, 0), along(x), 2e-3);
    EXPECT_NEAR(value_at(model, u, 0, x, 1), across(x), 2e-3);
  }
}

// A block that is stretched in its plane and does not change its volume: the force is mu (s - s^-3).
TEST(FieldsByNewton, RubberKeepsItsVolume) {
  constexpr double stretch = 1.5, mu = 0.7;
  const Mesh mesh = rectangle(2, 2, {1, 1}, CellKind::quad9);
  Model model = model_of(mesh, own_form(Rubber{mu, 1e6}));
  model.supports = {held(mesh, "x0", 0, 0), held(mesh, "y0", 0, 1), held(mesh, "x1", 0, 0, stretch - 1)};
  int shown = 0;
  const NonlinearSolution s = solve(model, Nonlinear{.relative = 1e-10, .increments = 3, .shows_increments = true},
                                    {.show = [&](const SolutionView&) { ++shown; }});
  EXPECT_EQ(shown, 3);
  EXPECT_NEAR(value_at(model, s.u.host(), 0, {1, 1, 0}, 1), 1 / stretch - 1, 1e-5);
  double force = 0;
  for (Node node = 0; node < model.space.node_count(); ++node)
    if (model.space.point(node)[0] > 1 - 1e-9) force += s.reaction[static_cast<std::size_t>(2 * node)];
  EXPECT_NEAR(force, mu * (stretch - std::pow(stretch, -3)), 1e-5);
}

// A plate on supports that let its edges turn, h / a = 0.1: frequencies by Mindlin's equations.
Model plate_on(const Mesh& mesh) {
  const Plate<false> plate{.young = 1, .poisson = 0.3, .thickness = 0.1};
  Model model = model_of(mesh, own_form(plate));
  model.of_fields.inertia = {MixedIntegral::over_all_cells(own_form(Plate<true>{1, 0.3, 0.1, 1}))};
  for (const auto& [side, across] : {std::pair{"x0", 1}, {"x1", 1}, {"y0", 0}, {"y1", 0}}) {
    model.supports.push_back(held(mesh, side, 0, 0));
    model.supports.push_back(held(mesh, side, 1, across));  // no turning about the normal of the edge
  }
  return model;
}
// The lowest omega of waves with the wave number squared k2 (Mindlin, 1951): shear, bending and rotary inertia.
double plate_frequency(double k2) {
  const double h = 0.1, D = h * h * h / (12 * (1 - 0.09)), S = 5.0 / 6 * h / 2.6, m = h, I = h * h * h / 12;
  // (S k2 - m w2) (D k2 + S - I w2) = S^2 k2
  const double a = m * I, b = -(S * k2 * I + m * (D * k2 + S)), c = S * k2 * (D * k2 + S) - S * S * k2;
  return std::sqrt((-b - std::sqrt(b * b - 4 * a * c)) / (2 * a));
}

TEST(FieldsInVibration, DeflectionsAndRotationsOfAPlate) {
  const Mesh mesh = rectangle(10, 10, {1, 1}, CellKind::quad9);
  const VibrationModes modes = solve(plate_on(mesh), Modal{{.count = 4}});
  const double expected[] = {2, 5, 5, 8};  // m^2 + n^2
  ASSERT_EQ(modes.frequencies.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(2 * pi * modes.frequencies[k] / plate_frequency(expected[k] * pi * pi), 1, 2e-3) << k;
  EXPECT_TRUE(modes.directions.empty());
  EXPECT_TRUE(modes.eigen.verified);
}

TEST(FieldsInVibration, APlateSwingsBackAfterItsPeriod) {
  const Mesh mesh = rectangle(4, 4, {1, 1}, CellKind::quad9);
  const Model model = plate_on(mesh);
  VibrationModes modes = solve(model, Modal{{.count = 1}});
  Vector shape(device_under_test(2), layout_of_model(model).total(), "vectors");
  modes.eigen.vectors->get_column(0, shape);
  const double period = 1 / modes.frequencies[0], before = value_at(model, shape.host(), 0, {0.5, 0.5, 0});
  const State state =
      solve(model, Transient{.end = period,
                             .spectral_radius = 1,
                             .fixed_step = period / 40,
                             .begin = {.u = shape.host(), .v = std::vector<double>(shape.host().size())}})
          .state;
  EXPECT_NEAR(value_at(model, state.u, 0, {0.5, 0.5, 0}) / before, 1, 1e-2);
  EXPECT_NEAR(state.energy.lost(), 0, 1e-6 * state.energy.begin);
}

// Modes with the residual vector of a load hold its static answer.
TEST(FieldsInVibration, ModesAndResidualVectorsOfAPlateBendAsUnderTheLoad) {
  const Mesh mesh = rectangle(4, 4, {1, 1}, CellKind::quad9);
  Model model = plate_on(mesh);
  model.equations = {Integral::over_all_cells(volume_load(2, std::array{1.0}))};
  const Vector expected = solve(model, Static{.linear = {.relative = 1e-12}}).u;
  const ModalSpace space = solve(model, ModalBasis{.modal = {{.count = 3}}});
  EXPECT_EQ(space.columns(), 4);
  ASSERT_EQ(space.load_names, std::vector<std::string>{"loads"});
  std::vector<double> q = space.loads[0];
  for (std::size_t k = 0; k < q.size(); ++k) q[k] /= space.stiffness[k];
  Vector difference = space.motion(q);
  axpy(-1.0, expected, difference);
  EXPECT_LT(max_abs(difference), 1e-9 * max_abs(expected));
}

TEST(FieldsOfLoadCases, SumsAreSolutionsOfSums) {
  const Mesh mesh = rectangle(4, 4, {1, 1}, CellKind::quad9);
  Model model = model_of(mesh, Stokes<2>{1.0});
  for (const char* side : {"x0", "y0", "y1"})
    for (int c : {0, 1}) model.supports.push_back(held(mesh, side, 0, c));
  const auto load = [&](std::array<double, 2> f) { return Integral::over_all_cells(volume_load(2, f)); };
  const auto lid = [](double speed) {
    return Coefficient(PointFunction([speed](std::span<const double> at, std::span<double> v) {
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = speed * at[3 * i];
    }));
  };
  model.load_cases = {{.name = "along", .loads = {load({1, 0})}},
                      {.name = "across", .loads = {load({0, 1})}},
                      {.name = "lid", .prescribed = {held(mesh, "y1", 0, 0, lid(0.3))}}};
  std::vector<std::vector<double>> shown;
  const LinearSolverOptions accurate{.relative = 1e-12};
  solve(model, LoadCases{.linear = accurate, .combinations = {{"sum", {2, -1, 0.5}}, {"nothing", {0, 0, 0}}}},
        {.show = [&](const SolutionView& s) { shown.push_back(s.u.host()); }});
  ASSERT_EQ(shown.size(), 5u);
  Model sum = model;
  sum.load_cases.clear();
  sum.equations = {load({2, -1})};
  std::erase_if(sum.supports, [](const PrescribedValue& p) { return p.origin == "y1" && p.component == 0; });
  sum.supports.push_back(held(mesh, "y1", 0, 0, lid(0.15)));
  const std::vector<double> known = solve(sum, Static{.linear = accurate}).u.host();
  const double size = max_abs(Vector(device_under_test(2), std::span<const double>(known), "vectors"));
  for (std::size_t i = 0; i < known.size(); ++i) {
    EXPECT_NEAR(shown[3][i], known[i], 1e-8 * size) << i;
    EXPECT_EQ(shown[4][i], 0) << i;
  }
}

// Every rank runs the same program; threads pose as ranks. The solution of one process, with as many steps.
template <class Make, class Solve>
void check_on_ranks(const std::vector<double>& expected, const Make& make, const Solve& solve_part) {
  const double size = max_abs(Vector(device_under_test(1), std::span<const double>(expected), "vectors"));
  for (const int count : {2, 3})
    ritz::testing::on_ranks(count, [&](Ranks& ranks) {
      const auto mine = make();
      const bool in_time = !mine->model.capacity.empty();
      const FieldsOfModel fields =
          fields_of(mine->model, in_time ? FieldsOfModel::Rates::among : FieldsOfModel::Rates::none);
      OwnFields part(*fields.equations, *fields.supports, &ranks, fields.rates.get());
      const std::vector<double> found = part.gathered(solve_part(*mine, part)).host();
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-6 * size) << i;
    });
}

TEST(FieldsOnRanks, AVortexDecaysAsInOneProcess) {
  const auto make = [] {
    auto vortex = std::make_unique<Vortex>(4);
    vortex->hold_pressure();
    return vortex;
  };
  const Transient analysis{
      .end = 0.2, .tolerance = 1e-3, .linear = {.method = LinearMethod::minres, .relative = 1e-10}};
  Transient alone = analysis;
  const auto whole = make();
  alone.begin = whole->start();
  const State end = solve(whole->model, alone).state;
  check_on_ranks(end.u, make, [&](const Vortex& vortex, OwnFields& part) {
    const Vector start(part.equations_of_all().device(), std::span<const double>(vortex.start().u), "vectors");
    Transient mine = analysis;
    mine.begin.u = part.own(start).host();
    const State state = solve(part, mine).state;
    EXPECT_EQ(state.steps, end.steps);
    EXPECT_NEAR(state.balance.moved[0], end.balance.moved[0], 1e-6 * end.balance.moved[0]);
    return Vector(part.equations().device(), std::span<const double>(state.u), "vectors");
  });
}

struct StretchedRubber {
  Mesh mesh = rectangle(3, 2, {1, 1}, CellKind::quad9);
  Model model = model_of(mesh, own_form(Rubber{0.7, 1e3}));
  StretchedRubber() { model.supports = {held(mesh, "x0", 0, 0), held(mesh, "y0", 0, 1), held(mesh, "x1", 0, 0, 0.4)}; }
  StretchedRubber(const StretchedRubber&) = delete;
};

TEST(FieldsOnRanks, RubberIsStretchedAsInOneProcess) {
  const auto make = [] { return std::make_unique<StretchedRubber>(); };
  const Nonlinear analysis{.relative = 1e-9, .increments = 2, .linear = {.method = LinearMethod::minres}};
  const auto whole = make();
  const NonlinearSolution alone = solve(whole->model, analysis);
  check_on_ranks(alone.u.host(), make, [&](const StretchedRubber&, OwnFields& part) {
    NonlinearSolution s = solve(part, analysis);
    EXPECT_NEAR(double(s.steps.size()), double(alone.steps.size()), 1);
    return std::move(s.u);
  });
}

// A flow between two plates of which one starts to move, past a node that moves half as fast, and 0.1 faster.
struct StartedPlate {
  Mesh mesh = rectangle(4, 3, {1, 1}, CellKind::quad9);
  Model model = model_of(mesh, Stokes<2>{0.7});
  Node follower;
  StartedPlate() {
    const PointFunction speed = [](std::span<const double>, double t, std::span<double> values) {
      std::ranges::fill(values, t);
    };
    for (const int c : {0, 1}) model.supports.push_back(held(mesh, "y0", 0, c));
    model.supports.push_back(held(mesh, "y1", 0, 0, speed));
    for (const char* side : {"x0", "x1", "y1"}) model.supports.push_back(held(mesh, side, 0, 1));
    model.capacity = {Integral::over_all_cells(Mass<2, 2>{0.3})};
    follower = node_at(0.5, 0.5);
    model.relations = {{.origin = "follower"}};
    model.relations.front().add({{follower, 0, 1.0}, {node_at(0.25, 1), 0, -0.5}}, 0.1);
  }
  StartedPlate(const StartedPlate&) = delete;
  Node node_at(double x, double y) const {
    Node found = -1;
    for (Node node = 0; node < model.space.node_count(); ++node)
      if (std::hypot(model.space.point(node)[0] - x, model.space.point(node)[1] - y) < 1e-9) found = node;
    return found;
  }
};

TEST(FieldsOnRanks, APlateThatStartsDragsTheFlowAsInOneProcess) {
  const auto end = [](const StartedPlate& plate, Ranks* ranks) {
    return solve(plate.model, Transient{.end = 1,
                                        .fixed_step = 0.25,
                                        .linear = {.method = LinearMethod::minres, .relative = 1e-11, .ranks = ranks}})
        .state;
  };
  const StartedPlate alone;
  const std::vector<double> expected = end(alone, nullptr).u;
  EXPECT_NEAR(expected[static_cast<std::size_t>(2 * alone.follower)], 0.5 * 1 + 0.1, 1e-9);
  EXPECT_NEAR(value_at(alone.model, expected, 0, {0.5, 1, 0}), 1, 1e-12);
  for (const int count : {2, 3})
    ritz::testing::on_ranks(count, [&](Ranks& ranks) {
      const StartedPlate mine;
      const std::vector<double> found = end(mine, &ranks).u;
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-7) << i;
    });
}

// A bar of steel that is stretched until it yields, warmer at one end.
struct YieldingBar {
  Mesh mesh = box(4, 2, 1, {2, 1, 1}, CellKind::hex8);
  Model model = model_of(mesh, ThermoElasticity<3>{1e-3, 1e-3, 1, 0, 0, 2});
  YieldingBar() {
    const VonMisesPlasticity steel{
        .young = 200, .poisson = 0.3, .yield_stress = 0.25, .isotropic_hardening = 5, .kinematic_hardening = 15};
    model.equations = {Integral::over_all_cells(steel.form())};
    model.linear = false;
    for (int c = 0; c < 3; ++c) model.supports.push_back(held(mesh, c == 0 ? "x0" : c == 1 ? "y0" : "z0", 0, c));
    model.supports.push_back(held(mesh, "x1", 0, 0, 0.02));
    model.supports.push_back(held(mesh, "x0", 1, 0));
    model.supports.push_back(held(mesh, "x1", 1, 0, 0.03));
  }
  YieldingBar(const YieldingBar&) = delete;
};

TEST(FieldsOnRanks, ABarYieldsAsInOneProcessAlsoWhereItIsResumed) {
  const auto solved = [&](const YieldingBar& bar, Ranks* ranks, const State& begin) {
    std::vector<State> states;
    const NonlinearSolution s =
        solve(bar.model,
              Nonlinear{.relative = 1e-9,
                        .increments = 2,
                        .linear = {.method = LinearMethod::gmres, .relative = 1e-11, .ranks = ranks},
                        .begin = begin},
              {.keep = [&](const State& state) { states.push_back(state); }});
    return std::pair(s.u.host(), std::move(states));
  };
  const YieldingBar alone;
  const auto [expected, states] = solved(alone, nullptr, {});
  ASSERT_EQ(states.size(), 1u);  // after the first increment
  const PointStates::Values& points = states.front().points;
  double slip = 0;
  for (const std::vector<double>& list : points) slip = std::max(slip, *std::ranges::max_element(list));
  ASSERT_GT(slip, 2e-3);
  for (const State& begin : {State(), states.front()})
    ritz::testing::on_ranks(3, [&](Ranks& ranks) {
      const YieldingBar mine;
      const auto [found, kept] = solved(mine, &ranks, begin);
      for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-8) << i;
      for (const State& state : kept) {
        ASSERT_EQ(state.points.size(), points.size());
        for (std::size_t list = 0; list < points.size(); ++list)
          for (std::size_t i = 0; i < points[list].size(); ++i)
            ASSERT_NEAR(state.points[list][i], points[list][i], 1e-8) << i;
      }
    });
}

// Analyses that a model of fields has no meaning for say so.
template <class Analysis>
std::string refusal(const Model& model, const Analysis& analysis) {
  try {
    if constexpr (std::is_same_v<Analysis, LoadCases>) solve(model, analysis, Observer());
    else solve(model, analysis);
  } catch (const Error& error) { return error.message(); }
  return "none";
}

TEST(FieldsOfAnyAnalysis, MeaninglessOnesAreRefused) {
  using ::testing::HasSubstr;
  const Mesh mesh = rectangle(2, 2, {1, 1}, CellKind::quad9);
  Model warm = model_of(mesh, ThermoElasticity<2>{1.2, 0.8, 0.7, 0, 0, 2});
  for (int c : {0, 1}) warm.supports.push_back(held(mesh, "x0", 0, c));
  warm.supports.push_back(held(mesh, "x0", 1, 0));
  EXPECT_THAT(refusal(warm, Modal{}), HasSubstr("modes of a model without inertia"));
  EXPECT_THAT(refusal(warm, Transient{.end = 1}), HasSubstr("without capacity or inertia"));
  warm.inertia = {Integral::over_all_cells(Mass<2, 2>{1})};
  EXPECT_THAT(refusal(warm, Modal{}), HasSubstr("'thermo_elasticity2', whose matrix is not symmetric"));
  Vortex vortex(2);
  vortex.model.capacity.clear();
  vortex.model.inertia = {Integral::over_all_cells(Mass<2, 2>{1})};
  EXPECT_THAT(refusal(vortex.model, Modal{}), HasSubstr("whose field 'pressure' has no inertia"));
  EXPECT_THAT(refusal(vortex.model, Static{}), HasSubstr("a constant may be added to the field 'pressure'"));
  Model flow = model_of(mesh, NavierStokes<2>{1, 1});
  EXPECT_THAT(refusal(flow, Static{}), HasSubstr("nonlinear"));
  Model with_a_mean = warm;
  with_a_mean.means.push_back({.load = Integral::over_all_cells(volume_load(2, std::array{1.0, 0.0}))});
  EXPECT_THAT(refusal(with_a_mean, Static{}), HasSubstr("prescribed means"));
  flow.attached.push_back({.mass = 1});
  EXPECT_THAT(refusal(flow, Nonlinear{}), HasSubstr("motions of reference points"));
  vortex.model.load_cases = {{.name = "one", .prescribed = {held(vortex.mesh, "x0", 0, 1)}}};
  EXPECT_THAT(refusal(vortex.model, LoadCases{}), HasSubstr("prescribed alone in the load case 'one'"));
}

}  // namespace
}  // namespace ritz::test::analyses_of_fields_test
