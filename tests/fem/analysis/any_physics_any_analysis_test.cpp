// Every physics under every analysis: where that makes sense, a number of mechanics or heat; else the text of its
// error.
#include "fem/analysis/analysis.hpp"
#include "fem/analysis/buckling.hpp"
#include "fem/analysis/forecast.hpp"
#include "fem/elements/bar.hpp"
#include "fem/elements/loads.hpp"
#include "fem/elements/mass.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/mass.hpp"
#include "fem/plugins/von_mises.hpp"
#include "fem/physics/any_form.hpp"
#include "fem/physics/elastic_body.hpp"
#include "fem/physics/heat_conduction.hpp"
#include "mesh/generators.hpp"
#include "tests/fem/test_forms.hpp"
#include "tests/solvers/thread_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <map>
#include <numbers>
#include <string>
#include <variant>

namespace ritz::test {
namespace {

Device one_thread() { return Device::named("cpu", 1); }

// The result of an analysis: a value at the probe or a frequency, or a part of the error.
using Outcome = std::variant<double, std::string>;

struct AnyPhysics {
  std::string name;
  Model (*make)(bool load_cases);  // the load, or it and its double as load cases
  Point probe;                     // a node, whose component 0 is looked at
  Outcome of_static, of_load_cases, of_newton, of_modes, of_time;
};
void PrintTo(const AnyPhysics& physics, std::ostream* out) { *out << physics.name; }

const Mesh& strip() {
  static const Mesh mesh = rectangle(8, 1, {1, 0.25}, CellKind::quad9);
  return mesh;
}

// The cells beyond x = 0.5 get nodes of their own there.
Mesh cut(MeshData data) {
  std::vector<Node> twin(data.points.size() / 3, -1);
  CellBlock& block = data.blocks.front();
  const auto width = static_cast<std::size_t>(traits(block.kind).node_count);
  const auto x = [&](Node node) { return data.points[3 * static_cast<std::size_t>(node)]; };
  for (std::size_t first = 0; first < block.nodes.size(); first += width) {
    const std::span<Node> cell = std::span(block.nodes).subspan(first, width);
    if (std::ranges::none_of(cell, [&](Node node) { return x(node) > 0.5 + 1e-9; })) continue;
    for (Node& node : cell) {
      if (std::abs(x(node) - 0.5) > 1e-9) continue;
      Node& other = twin[static_cast<std::size_t>(node)];
      if (other < 0) {
        other = static_cast<Node>(data.points.size() / 3);
        for (std::size_t d = 0; d < 3; ++d) data.points.push_back(data.points[3 * static_cast<std::size_t>(node) + d]);
      }
      node = other;
    }
  }
  return Mesh(std::move(data));
}

// Nodes at one place have one value by an equation.
Model joined(Model model) {
  LinearEquations equations{.origin = "joined"};
  std::map<Point, Node> met;
  for (Node node = 0; node < model.space.node_count(); ++node)
    if (const auto [first, is_new] = met.try_emplace(model.space.point(node), node); !is_new)
      for (int c = 0; c < model.space.components(); ++c) equations.add({{node, c, 1.0}, {first->second, c, -1.0}});
  model.relations.push_back(std::move(equations));
  return model;
}

// k = 2, rho c = 3, cold at x = 0, heated by 5 at x = 1: T(1) = q L / k.
Model heat_on(const Mesh& mesh, bool load_cases) {
  HeatConduction body(mesh);
  body.material("all", {.conductivity = 2, .density = 1.5, .specific_heat = 2});
  body.loads.temperature("x0", 0);
  if (load_cases) {
    body.load_case("once").flux("x1", 5);
    body.load_case("twice").flux("x1", 10);
  } else {
    body.loads.flux("x1", 5);
  }
  return body.model(one_thread());
}

Model heat(bool load_cases) { return heat_on(strip(), load_cases); }

// k = 1 + 2 T between 0 and 1: T + T^2 is linear (Kirchhoff), T = (sqrt(5) - 1) / 2 in the middle.
Model heat_with_a_table_on(const Mesh& mesh, bool load_cases) {
  HeatConduction body(mesh);
  body.material("all", {.conductivity = TemperatureTable{PiecewiseLinear::through({{0, 1}, {2, 5}}), false},
                        .density = 1,
                        .specific_heat = 1});
  body.loads.temperature("x0", 0);
  body.loads.temperature("x1", 1);
  if (load_cases) body.load_case("source").source("all", 1);
  return body.model(one_thread());
}
Model heat_with_a_table(bool load_cases) { return heat_with_a_table_on(strip(), load_cases); }

// A rod that can only stretch: E = 200, A = 0.01, L = 1, rho = 8, F = 1.
Model elastic_on(const Mesh& mesh, bool load_cases, bool mixed = false) {
  ElasticBody body(mesh);
  body.material("all", {.young = 200, .poisson = 0, .density = 8, .mixed = mixed});
  for (const auto& [region, component] : {std::pair{"x0", 0}, {"y0", 1}, {"y1", 1}, {"z0", 2}, {"z1", 2}})
    body.loads.displacement(region, component, 0);
  if (load_cases) {
    body.load_case("once").force("x1", {1, 0, 0});
    body.load_case("twice").force("x1", {2, 0, 0});
  } else {
    body.loads.force("x1", {1, 0, 0});
  }
  Model model = body.model(one_thread());
  model.damping = {.mass = 8};  // half of what lets nothing swing
  return model;
}

Model elastic(bool load_cases) {
  static const Mesh mesh = box(8, 1, 1, {1, 0.1, 0.1}, CellKind::hex20);
  return elastic_on(mesh, load_cases);
}

// By displacement and pressure.
Model mixed(bool load_cases) {
  static const Mesh mesh = box(8, 1, 1, {1, 0.1, 0.1}, CellKind::hex20);
  return elastic_on(mesh, load_cases, true);
}

// In two parts, which equations join.
const Mesh& cut_strip() {
  static const Mesh mesh = cut(rectangle_data(8, 1, {1, 0.25}, CellKind::quad9));
  return mesh;
}
Model joined_heat(bool load_cases) { return joined(heat_on(cut_strip(), load_cases)); }
Model joined_heat_with_a_table(bool load_cases) { return joined(heat_with_a_table_on(cut_strip(), load_cases)); }
Model joined_elastic(bool load_cases) {
  static const Mesh mesh = cut(box_data(8, 1, 1, {1, 0.1, 0.1}, CellKind::hex20));
  return joined(elastic_on(mesh, load_cases));
}

// One bar from a wall: E A = 200, L = 1, 3 kg, of which its end has a third; F = 1 at the end.
Model frame(bool load_cases) {
  static const Mesh mesh = [] {
    MeshData data{.structural = true, .points = {0, 0, 0, 1, 0, 0}};
    data.blocks.push_back({CellKind::line2, {0, 1}});
    data.regions.push_back({.name = "wall", .kind = RegionKind::nodes, .nodes = {0}});
    data.regions.push_back({.name = "both", .kind = RegionKind::nodes, .nodes = {0, 1}});
    return Mesh(std::move(data));
  }();
  const auto pull = [](double force) { return Integral::over_all_cells(LineLoad<3>{{2 * force, 0, 0}}); };
  Model model{.space = FunctionSpace(mesh, 3, one_thread()),
              .equations = {Integral::over_all_cells(Bar{200, 1})},
              .inertia = {Integral::over_all_cells(LineMass{3})},
              .supports = {{&mesh.region("wall"), 0, 0}, {&mesh.region("both"), 1, 0}, {&mesh.region("both"), 2, 0}},
              .rigid = RigidModes::solid};
  if (load_cases) model.load_cases = {{"once", {pull(1)}}, {"twice", {pull(2)}}};
  else model.equations.push_back(pull(1));
  model.damping = {.mass = 14};
  return model;
}

// The equation of heat() as a form by itself; 8 as its inertia: a string that is held at x = 0.
Model linear_form(bool load_cases) {
  AnyForm body(strip());
  body.material("all", Diffusion<2>{2});
  body.capacity("all", 3.0);
  body.inertia("all", 8.0);
  body.loads.prescribe("x0", 0, 0);
  if (load_cases) {
    body.load_case("once").load("x1", {5});
    body.load_case("twice").load("x1", {10});
  } else {
    body.loads.load("x1", {5});
  }
  return body.model(one_thread());
}

// A form that nobody knows: the same equation as heat_with_a_table().
Model any_form(bool load_cases) {
  AnyForm body(strip());
  body.material("all", test_form(NonlinearDiffusion<2>{1, 2, 0}));
  body.capacity("all", FormValue(Mass<1, 2>{1}));
  body.loads.prescribe("x0", 0, 0);
  body.loads.prescribe("x1", 0, 1);
  if (load_cases) body.load_case("none");
  return body.model(one_thread());
}

const double golden = (std::sqrt(5.0) - 1) / 2;
constexpr const char *needs_newton = "linear statics of a model with nonlinear equations",
                     *no_load_cases = "load cases of a model with nonlinear equations",
                     *no_inertia = "modes of a model without inertia",
                     *a_field_without = "modes of equations whose field 'pressure' has no inertia";

const AnyPhysics table[] = {
    // physics, model, probe: static, load cases, nonlinear, modal, in time
    {"Heat", heat, {1, 0, 0}, 2.5, 5.0, 2.5, no_inertia, 2.5},
    {"HeatWithATable", heat_with_a_table, {0.5, 0, 0}, needs_newton, no_load_cases, golden, no_inertia, golden},
    {"ElasticBody", elastic, {1, 0, 0}, 0.5, 1.0, 0.5, 1.25, 0.5},
    {"MixedElasticBody", mixed, {1, 0, 0}, 0.5, 1.0, 0.5, a_field_without, 0.5},
    {"JoinedHeat", joined_heat, {1, 0, 0}, 2.5, 5.0, 2.5, no_inertia, 2.5},
    {"JoinedTable", joined_heat_with_a_table, {0.5, 0, 0}, needs_newton, no_load_cases, golden, no_inertia, golden},
    {"JoinedElasticBody", joined_elastic, {1, 0, 0}, 0.5, 1.0, 0.5, 1.25, 0.5},
    {"Frame", frame, {1, 0, 0}, 0.005, 0.01, 0.005, std::sqrt(200.0) / (2 * std::numbers::pi), 0.005},
    {"LinearForm", linear_form, {1, 0, 0}, 2.5, 5.0, 2.5, 0.125, 2.5},
    {"AnyForm", any_form, {0.5, 0, 0}, needs_newton, no_load_cases, golden, no_inertia, golden},
};

double value_at(const Model& model, const Point& probe, const Vector& u) {
  const std::vector<double> values = model.space.to_mesh(layout_of(model.spaces()).part(u, 0));
  for (Index node = 0; node < model.space.mesh().node_count(); ++node) {
    const auto x = model.space.mesh().point(node);
    if (std::hypot(x[0] - probe[0], x[1] - probe[1], x[2] - probe[2]) < 1e-9)
      return values[static_cast<std::size_t>(node * model.space.components())];
  }
  return NAN;
}

void expect(const Outcome& outcome, const std::function<double()>& result, double tolerance) {
  if (const auto* number = std::get_if<double>(&outcome)) {
    EXPECT_NEAR(result(), *number, tolerance * *number);
    return;
  }
  try {
    const double value = result();
    ADD_FAILURE() << "no error, but " << value;
  } catch (const Error& error) { EXPECT_THAT(error.what(), ::testing::HasSubstr(std::get<std::string>(outcome))); }
}

class EveryAnalysis : public ::testing::TestWithParam<AnyPhysics> {
 protected:
  double at_probe(const Model& model, const Vector& u) const { return value_at(model, GetParam().probe, u); }
  // The last solution that the observer is shown, and how many there are.
  Observer watch(const Model& model) {
    return {.show = [this, &model](const SolutionView& s) {
      last = at_probe(model, s.u);
      ++shown;
    }};
  }
  double last = NAN;
  int shown = 0;
};
INSTANTIATE_TEST_SUITE_P(Of, EveryAnalysis, ::testing::ValuesIn(table),
                         [](const auto& physics) { return physics.param.name; });

TEST_P(EveryAnalysis, Static) {
  const Model model = GetParam().make(false);
  expect(
      GetParam().of_static, [&] { return at_probe(model, solve(model, Static{}, watch(model)).u); }, 1e-6);
  EXPECT_EQ(shown, std::holds_alternative<double>(GetParam().of_static) ? 1 : 0);
}

// The second load case; the combination is the difference of both.
TEST_P(EveryAnalysis, LoadCases) {
  const Model model = GetParam().make(true);
  std::vector<double> values;
  expect(
      GetParam().of_load_cases,
      [&] {
        solve(model, LoadCases{.combinations = {{"difference", {-1, 1}}}},
              {.show = [&](const SolutionView& s) { values.push_back(at_probe(model, s.u)); }});
        EXPECT_EQ(values.size(), 3u);
        EXPECT_NEAR(values.back(), values.front(), 1e-6 * values.front());
        return values.at(1);
      },
      1e-6);
}

TEST_P(EveryAnalysis, Nonlinear) {
  const Model model = GetParam().make(false);
  expect(
      GetParam().of_newton, [&] { return at_probe(model, solve(model, Nonlinear{}, watch(model)).u); }, 1e-3);
  EXPECT_EQ(shown, 1);
}

TEST_P(EveryAnalysis, Modal) {
  const Model model = GetParam().make(false);
  expect(
      GetParam().of_modes, [&] { return solve(model, Modal{{.count = 1}}).frequencies.at(0); }, 1e-3);
}

// At rest in the end: that is the state in balance.
TEST_P(EveryAnalysis, Transient) {
  const Model model = GetParam().make(false);
  expect(
      GetParam().of_time,
      [&] {
        const TransientResult end = solve(model, Transient{.end = 20, .output = {0.1}}, watch(model));
        EXPECT_EQ(end.state.time, 20);
        return last;
      },
      1e-3);
  EXPECT_EQ(shown, std::holds_alternative<double>(GetParam().of_time) ? 3 : 0);  // the begin, and 0.1, and the end
}

// Every rank runs the same program and has the result, with the iterations of one process. Threads pose as ranks.
TEST_P(EveryAnalysis, OnRanks) {
  const AnyPhysics& physics = GetParam();
  const LinearMethod method = physics.make(false).has_fields() ? LinearMethod::minres
                              : physics.make(false).linear     ? LinearMethod::conjugate_gradient
                                                               : LinearMethod::gmres;
  const auto options = [&](Ranks* ranks) {
    return LinearSolverOptions{.method = method, .relative = 1e-9, .ranks = ranks};
  };
  // solved(ranks): a value, and a count of iterations or steps
  const auto expect_as_alone = [&](const Outcome& outcome, const auto& solved) {
    if (!std::holds_alternative<double>(outcome)) return;
    const std::pair<double, Index> alone = solved(nullptr);
    testing::on_ranks(2, [&](Ranks& ranks) {
      const std::pair<double, Index> mine = solved(&ranks);
      EXPECT_NEAR(mine.first, alone.first, 1e-6 * std::abs(alone.first));
      EXPECT_LE(std::abs(mine.second - alone.second), 1);
    });
  };
  expect_as_alone(physics.of_static, [&](Ranks* ranks) {
    const Model model = physics.make(false);
    const StaticSolution s = solve(model, Static{.linear = options(ranks)});
    return std::pair(at_probe(model, s.u), Index{s.report.iterations});
  });
  expect_as_alone(physics.of_load_cases, [&](Ranks* ranks) {
    const Model model = physics.make(true);
    double end = NAN;
    const LoadCases both{.linear = options(ranks), .combinations = {{"both", {1, 1}}}};
    solve(model, both, {.show = [&](const SolutionView& s) { end = at_probe(model, s.u); }});
    return std::pair(end, Index{0});
  });
  expect_as_alone(physics.of_newton, [&](Ranks* ranks) {
    const Model model = physics.make(false);
    const NonlinearSolution s = solve(model, Nonlinear{.linear = options(ranks)});
    return std::pair(at_probe(model, s.u), std::ssize(s.steps));
  });
  expect_as_alone(physics.of_time, [&](Ranks* ranks) {
    const Model model = physics.make(false);
    double end = NAN;
    const TransientResult result = solve(model, Transient{.end = 1, .linear = options(ranks)},
                                         {.show = [&](const SolutionView& s) { end = at_probe(model, s.u); }});
    return std::pair(end, result.state.steps);
  });
}

// A column that is pressed: its critical factor, and the frequency under the load, f^2 = f0^2 (1 - 1 / factor). That is
// exact where it vibrates in the shape in which it buckles: of one that is clamped at one end both are nearly alike.
TEST(AnyAnalysis, BucklingAndModesUnderLoadGoOverRanks) {
  const Mesh mesh = box(6, 1, 1, {1, 0.1, 0.12}, CellKind::hex20);
  ElasticBody body(mesh);
  body.material("all", {.young = 200, .poisson = 0, .density = 8});
  for (const int c : {0, 1, 2}) body.loads.displacement("x0", c, 0);
  body.loads.force("x1", {-1e-3, 0, 0});
  struct Found {
    double factor, free, loaded;
  };
  const auto solved = [&](Ranks* ranks) {
    const Model model = body.model(one_thread());  // a device for each rank
    const BucklingModes modes =
        solve(model,
              Buckling{.relative = 1e-8, .method = EigenMethod::lobpcg, .linear = {.relative = 1e-10, .ranks = ranks}});
    Modal modal{{.count = 1, .relative = 1e-8, .method = EigenMethod::lobpcg, .ranks = ranks}};
    const double free = solve(model, modal).frequencies.front();
    modal.begin.u = modes.state.u.host();
    return Found{modes.factors.front(), free, solve(model, modal).frequencies.front()};
  };
  const Found alone = solved(nullptr);
  testing::on_ranks(2, [&](Ranks& ranks) {
    const Found mine = solved(&ranks);
    EXPECT_NEAR(mine.factor, alone.factor, 1e-6 * alone.factor);
    EXPECT_NEAR(mine.loaded, alone.loaded, 1e-6 * alone.loaded);
    EXPECT_NEAR(std::pow(mine.loaded / mine.free, 2), 1 - 1 / mine.factor, 0.02);
  });
}

// A bar that has yielded and is released a little vibrates as an elastic one, as its plastic strain stays: a bar
// without that strain would yield there, with 0.61 times the frequency.
TEST(AnyAnalysis, ModesOfAYieldedBarGoOverRanks) {
  const Mesh mesh = box(8, 1, 1, {4, 1, 1}, CellKind::hex8);
  const auto frequency = [&](Ranks* ranks, double stretch) {
    const FunctionSpace space(mesh, 3, one_thread());
    Model model{.space = space};
    model.equations = {Integral::over_all_cells(
        VonMisesPlasticity{.young = 200, .poisson = 0, .yield_stress = 0.2, .isotropic_hardening = 20}.form())};
    model.inertia = {Integral::over_all_cells(Mass<3, 3>{8})};
    model.linear = false;
    const Region *const x0 = &mesh.region("x0"), *const x1 = &mesh.region("x1");
    const auto hold = [&](const Region* at, int component, double value) {
      model.supports.push_back({.region = at, .component = component, .value = value, .origin = "held"});
    };
    for (const char* side : {"y0", "y1"}) hold(&mesh.region(side), 1, 0);
    for (const char* side : {"z0", "z1"}) hold(&mesh.region(side), 2, 0);
    hold(x0, 0, 0);
    hold(x1, 0, stretch);
    State state;
    const NonlinearSolution s =
        solve(model, Nonlinear{.relative = 1e-10, .path = {1, 0.9}, .linear = {.relative = 1e-10, .ranks = ranks}},
              {.keep = [&](const State& kept) { state = kept; }});
    Modal modal{{.count = 1, .relative = 1e-8, .method = EigenMethod::lobpcg, .ranks = ranks}};
    modal.begin.u = s.u.host();
    modal.begin.points = state.points;
    return solve(model, modal).frequencies.front();
  };
  const double elastic = frequency(nullptr, 1e-4);
  EXPECT_NEAR(frequency(nullptr, 0.05), elastic, 1e-6 * elastic);
  testing::on_ranks(2, [&](Ranks& ranks) { EXPECT_NEAR(frequency(&ranks, 0.05), elastic, 1e-6 * elastic); });
}

// Before anything is solved each analysis says what it takes.
TEST_P(EveryAnalysis, ForecastsItsMemory) {
  const Model plain = GetParam().make(false), cases = GetParam().make(true);
  if (plain.has_fields()) GTEST_SKIP() << "fields_needs() forecasts several fields";
  const auto peak = [](const Forecast& f) { return f.paths.empty() ? 0 : f.paths.front().peak.total(); };
  const auto is_solved = [](const Outcome& outcome) { return std::holds_alternative<double>(outcome); };
  ASSERT_EQ(plain.linear, is_solved(GetParam().of_static));
  ASSERT_EQ(!plain.inertia.empty(), is_solved(GetParam().of_modes));
  ASSERT_EQ(!plain.capacity.empty() || !plain.inertia.empty(), is_solved(GetParam().of_time));
  if (plain.linear) {
    EXPECT_GT(peak(forecast(plain, Static{})), 0);
    EXPECT_GT(peak(forecast(cases, LoadCases{})), 0);
  }
  EXPECT_GT(peak(forecast(plain, Nonlinear{})), 0);
  if (!plain.inertia.empty()) { EXPECT_GT(peak(forecast(plain, Modal{{.count = 1}})), 0); }
  if (!plain.capacity.empty() || !plain.inertia.empty()) {
    EXPECT_GT(peak(forecast(plain, Transient{.end = 1})), peak(forecast(plain, Nonlinear{})));
  }
}

TEST(AnyAnalysis, ForecastOfTheTimeGrowsWithTheSteps) {
  const auto moved = [](const Model& model, int steps) {
    return forecast(model, Transient{.end = 1, .fixed_step = 1.0 / steps}).paths.front().bytes_moved;
  };
  for (const Model& model : {heat(false), heat_with_a_table(false)}) {
    const double more = moved(model, 200) - moved(model, 100);
    EXPECT_GT(more, 0);
    EXPECT_NEAR(moved(model, 300) - moved(model, 200), more, 1e-9 * more);
  }
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
    return "";
  } catch (const Error& error) { return error.what(); }
}

TEST(AnyAnalysis, SaysWhatLoadCasesItWants) {
  const Model plain = heat(false), cases = heat(true);
  EXPECT_THAT(refusal([&] { solve(cases, Static{}); }), ::testing::HasSubstr("a model with load cases"));
  EXPECT_THAT(refusal([&] { solve(plain, LoadCases{}, {}); }), ::testing::HasSubstr("the model has none"));
  EXPECT_THAT(refusal([&] { solve(cases, Nonlinear{}); }), ::testing::HasSubstr("load cases along a path"));
  EXPECT_THAT(refusal([&] { solve(cases, Transient{.end = 1}); }), ::testing::HasSubstr("an evolution in time"));
  EXPECT_THAT(refusal([&] {
                solve(cases, LoadCases{.combinations = {{"short", {1}}}}, {});
              }),
              ::testing::HasSubstr("1 factors for 2 load cases"));
}

TEST(AnyAnalysis, EvolutionsNeedACapacityOrInertia) {
  Model model = elastic(false);
  model.inertia.clear();
  EXPECT_THAT(refusal([&] { solve(model, Transient{.end = 1}); }),
              ::testing::HasSubstr("an evolution in time of a model without capacity or inertia"));
}

TEST(AnyAnalysis, ModesNeedSymmetricMatrices) {
  Model model = any_form(false);
  model.inertia = model.capacity;
  EXPECT_THAT(refusal([&] { solve(model, Modal{}); }), ::testing::HasSubstr("not symmetric"));
}

// A solution beyond a table that ends is an error, whatever the analysis.
TEST(AnyAnalysis, StaysWithinTheTablesOfMaterials) {
  HeatConduction body(strip());
  body.material("all", {.conductivity = TemperatureTable{PiecewiseLinear::through({{0, 1}, {0.5, 2}}), false},
                        .density = 1,
                        .specific_heat = 1});
  body.loads.temperature("x0", 0);
  body.loads.temperature("x1", 1);
  const Model model = body.model(one_thread());
  EXPECT_THAT(refusal([&] { solve(model, Nonlinear{}); }), ::testing::HasSubstr("outside of the table"));
  EXPECT_THAT(refusal([&] { solve(model, Transient{.end = 1}); }), ::testing::HasSubstr("outside of the table"));
}

}  // namespace
}  // namespace ritz::test
