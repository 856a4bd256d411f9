// Equations between unknowns of several fields: blocks, residuals and solutions are what T makes of them, periodic and
// tied parts have the solution of one part, and what is refused.
#include "device/error.hpp"
#include "fem/analysis/analysis.hpp"
#include "fem/forms/mass.hpp"
#include "fem/forms/navier_stokes.hpp"
#include "fem/physics/periodic_region.hpp"
#include "fem/physics/tie.hpp"
#include "fem/ranks/own_fields.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/dense.hpp"
#include "tests/fem/mixed/mixed_action.hpp"
#include "tests/fem/mixed/mixed_forms.hpp"
#include "tests/fem/mixed/mixed_problems.hpp"
#include "tests/fem/physics/two_parts.hpp"
#include "tests/solvers/thread_ranks.hpp"

#include <cmath>
#include <gmock/gmock.h>

namespace ritz::test::mixed_equations_test {
namespace {

// A chain, two components where there are two, a sum with a prescribed unknown; an offset.
void relate_nodes(Constraints& fixed) {
  const int last = fixed.space().components() - 1;
  fixed.prescribe_nodes(std::array<Node, 1>{0}, last, 0.3, "held");
  LinearEquations equations{.origin = "chain"};
  equations.add({{1, 0, 1.0}, {4, last, -0.5}, {5, 0, 0.25}}, 0.02);
  equations.add({{4, last, 2.0}, {7, 0, -1.0}});
  equations.add({{2, last, 1.0}, {0, last, -1.0}, {7, last, 0.5}});
  fixed.relate(std::move(equations));
}

struct Related {
  const char* name;
  MixedFormValue form;
  CellKind kind;
  std::vector<int> fields;  // that have equations

  std::unique_ptr<Problem> problem(const Device& device = device_under_test(1)) const {
    auto made =
        std::make_unique<Problem>(patch(kind, {.count = 2, .random = 0.1}), form, std::vector<Integral>{}, device);
    for (const int k : fields) relate_nodes(made->supports[k]);
    made->supports.finish();
    return made;
  }
};

std::vector<Related> related_fields() {
  return {{"both fields", own_form(Everything<2>{}), CellKind::quad4, {0, 1}},
          {"the first", own_form(Everything<2>{}), CellKind::tri3, {0}},
          {"the second, in space", own_form(Everything<3>{}), CellKind::tet4, {1}},
          {"three that couple one way", own_form(Chain{}), CellKind::tri3, {0, 1, 2}},
          {"the nodes beside facets", own_form(VectorBeside<2, Family::facet>{}), CellKind::quad4, {1}},
          {"the nodes beside edges", own_form(VectorBeside<2, Family::edge>{}), CellKind::tri3, {1}}};
}

Vector some_vector(const FieldsOperator& equations, std::uint64_t seed) {
  const auto values = random_values(static_cast<std::size_t>(equations.layout().total()), seed);
  return {equations.device(), std::span<const double>(values), "vectors"};
}

// T of all fields, one after the other.
Dense transformation(const Problem& problem) {
  Dense all(static_cast<std::size_t>(problem.equations.layout().total()));
  for (int k = 0; k < problem.equations.field_count(); ++k) {
    const Dense T = test::transformation(problem.supports[k]);
    const auto first = static_cast<std::size_t>(problem.equations.layout().first(k));
    for (std::size_t i = 0; i < T.n; ++i)
      for (std::size_t j = 0; j < T.n; ++j) all(first + i, first + j) = T(i, j);
  }
  return all;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(MixedEquations, AreEliminatedFromAllBlocksAsDenseMatricesAre) {
  for (const Related& each : related_fields()) {
    SCOPED_TRACE(each.name);
    const auto problem = each.problem();
    const Vector u = some_vector(problem->equations, 1);
    BlockOperator K = problem->equations.make_matrix();
    problem->equations.assemble(u, K);
    const Dense T = transformation(*problem), before = dense(host_matrix(K));
    const Dense expected = product(T, product(before, T, false), true);
    ASSERT_GT(test::largest_difference(before, expected), 1e-3 * largest_entry(before));
    problem->supports.eliminate(K, 0);
    EXPECT_LT(test::largest_difference(dense(host_matrix(K)), expected), 1e-13 * largest_entry(before));
    const std::vector<double> first = host_matrix(K).values;
    for (const FunctionSpace& space : problem->spaces)
      (void)space.pattern();            // as masses have it, of fields without a block
    problem->equations.assemble(u, K);  // once more, as Newton's method does
    problem->supports.eliminate(K, 0);
    EXPECT_EQ(host_matrix(K).values, first);
  }
}

TEST(MixedEquations, AreEliminatedFromTheActionAsFromTheMatrix) {
  for (const Related& each : related_fields()) {
    SCOPED_TRACE(each.name);
    const auto problem = each.problem();
    const Vector u = some_vector(problem->equations, 1), x = some_vector(problem->equations, 2);
    BlockOperator K = problem->equations.make_matrix();
    problem->equations.assemble(u, K);
    problem->supports.eliminate(K, 0.5);
    Vector y = problem->equations.zeros(), z = problem->equations.zeros();
    K.apply(x, y);
    MixedAction(problem->equations, problem->supports, u, 0.5).apply(x, z);
    EXPECT_LT(largest_difference(y.host(), z.host()), 1e-12 * max_abs(y));
  }
}

// x moves by T, forces are gathered by T^T; values satisfy the equations. The fake device dies when host code touches
// its memory.
TEST(MixedEquations, AreMetByVectorsOnEveryDevice) {
  for (const char* name : {"cpu", "fake"}) {
    const auto problem = related_fields().front().problem(Device::named(name, 1));
    const FieldsConstraints& supports = problem->supports;
    const Dense T = transformation(*problem);
    Dense transposed(T.n);
    for (std::size_t i = 0; i < T.n; ++i)
      for (std::size_t j = 0; j < T.n; ++j) transposed(i, j) = T(j, i);
    Vector x = some_vector(problem->equations, 1), f = some_vector(problem->equations, 2),
           u = some_vector(problem->equations, 3);
    const std::vector<double> moved = product(T, x.host()), gathered = product(transposed, f.host());
    supports.set_zero(x);
    supports.set_linear(x);
    EXPECT_LT(largest_difference(x.host(), moved), 1e-14);
    supports.gather(f);
    supports.set_zero(f);
    EXPECT_LT(largest_difference(f.host(), gathered), 1e-14);
    supports.set_values(u);
    for (int k = 0; k < 2; ++k) {
      const std::vector<double> values = problem->equations.layout().part(u, k).host();
      const int components = problem->spaces[static_cast<std::size_t>(k)].components();
      for (const LinearEquations& each : supports[k].equations())
        for (Index i = 0; i < each.size(); ++i) {
          double sum = -each.values[static_cast<std::size_t>(i)];
          for (const UnknownTerm& t : each.terms_of(i))
            sum += t.factor * values[static_cast<std::size_t>(t.node * components + t.component)];
          EXPECT_NEAR(sum, 0, 1e-14) << k << " " << i;
        }
    }
    EXPECT_TRUE(supports.has_dependent());
    EXPECT_EQ(std::ssize(supports.host_mask()), problem->equations.layout().total());
    EXPECT_EQ(std::ranges::count(supports.host_mask(), 1), 2);
  }
}

// Sums are in the order of their lists, whichever thread adds them up.
TEST(MixedEquations, AreEliminatedToTheSameBitsByAnyNumberOfThreads) {
  const auto values = [](int threads) {
    const auto problem = related_fields().front().problem(Device::named("cpu", threads));
    BlockOperator K = problem->equations.make_matrix();
    problem->equations.assemble(some_vector(problem->equations, 1), K);
    problem->supports.eliminate(K, 1);
    return host_matrix(K).values;
  };
  EXPECT_EQ(values(1), values(3));
}

constexpr double mu = 0.6, force = 3;

// volume_load() is that of a body of this thickness.
Integral weight_of(double x, double y) {
  return Integral::over_all_cells(volume_load(2, std::array{x / thickness, y / thickness}));
}

void prescribe_rest(Problem& problem, const std::vector<const char*>& sides) {
  for (const char* side : sides)
    for (int c = 0; c < 2; ++c) problem.supports[0].prescribe(problem.mesh.region(side), c, 0.0, side);
}

void repeat(Problem& problem, const std::string& part, const std::vector<int>& fields) {
  for (const int k : fields)
    problem.supports[k].relate(
        periodic(problem.equations.space(k), problem.mesh.region(part + "x1"), problem.mesh.region(part + "x0"))
            .equations);
}

void tie_parts(Problem& problem, int k, const char* region, const char* onto, bool integrated = false) {
  problem.supports[k].relate(tie(problem.equations.space(k), problem.mesh.region(region), problem.mesh.region(onto),
                                 {.integrated = integrated})
                                 .equations);
}

// Between plates at rest, y = 0 and y = h: u = f y (h - y) / (2 mu) along x, and no pressure.
std::unique_ptr<Problem> channel(Mesh mesh, const Device& device = device_under_test(2)) {
  return std::make_unique<Problem>(std::move(mesh), Stokes<2>{mu}, std::vector{weight_of(force, 0)}, device);
}

std::unique_ptr<Problem> one_channel(CellKind kind) {
  auto problem = channel(rectangle(3, 4, {2, 1}, kind));
  prescribe_rest(*problem, {"y0", "y1"});
  repeat(*problem, "", {0, 1});
  problem->supports[1].prescribe_nodes(std::array<Node, 1>{0}, 0, 0.0, "level of the pressure");
  problem->supports.finish();
  return problem;
}

// Two parts whose meshes differ, joined in the middle of the channel, where the fluid exerts no force.
std::unique_ptr<Problem> channel_of_two_parts(const Device& device) {
  auto problem =
      channel(two_parts({.low = CellKind::tri3, .up = CellKind::quad4, .low_count = 4, .up_count = 2}), device);
  prescribe_rest(*problem, {"low_bottom", "up_top"});
  tie_parts(*problem, 0, "low_top", "up_bottom");
  for (const char* part : {"low_", "up_"}) repeat(*problem, part, {0, 1});
  problem->supports[1].prescribe_nodes(std::array<Node, 1>{0}, 0, 0.0, "level of the pressure");
  problem->supports.finish();
  return problem;
}

void expect_parabola(const Problem& problem, const StaticSolution& s, double height, double tolerance) {
  const FunctionSpace& space = problem.equations.space(0);
  const std::vector<double> v = problem.equations.layout().part(s.u, 0).host();
  const double most = force * height * height / (8 * mu);
  for (Node node = 0; node < space.node_count(); ++node) {
    const double y = space.point(node)[1];
    ASSERT_NEAR(v[static_cast<std::size_t>(2 * node)], force * y * (height - y) / (2 * mu), tolerance * most) << y;
    ASSERT_NEAR(v[static_cast<std::size_t>(2 * node + 1)], 0, tolerance * most) << y;
  }
  EXPECT_LE(max_abs(problem.equations.layout().part(s.u, 1)), tolerance * force);
}

TEST(MixedEquations, OfPeriodicEndsGiveTheFlowOfAnEndlessChannel) {
  for (const CellKind kind : {CellKind::tri3, CellKind::quad4}) {
    const auto problem = one_channel(kind);
    for (const LinearMethod method : {LinearMethod::direct, LinearMethod::minres, LinearMethod::gmres}) {
      const bool direct = method == LinearMethod::direct;
      const StaticSolution s =
          solve_static(problem->equations, problem->supports, {.method = method, .relative = 1e-11});
      expect_parabola(*problem, s, 1, direct ? 1e-11 : 1e-7);
      if (!direct) { EXPECT_LE(s.report.iterations, 60) << s.report.preconditioner; }
    }
  }
}

TEST(MixedEquations, OfTiesAndPeriodicEndsGiveTheFlowOfOneChannel) {
  const auto problem = channel_of_two_parts(device_under_test(2));
  expect_parabola(*problem, solve_static(problem->equations, problem->supports, {.method = LinearMethod::direct}), 2,
                  1e-10);
  const StaticSolution s =
      solve_static(problem->equations, problem->supports, {.method = LinearMethod::minres, .relative = 1e-11});
  expect_parabola(*problem, s, 2, 1e-7);
  EXPECT_LE(s.report.iterations, 150) << s.report.preconditioner;
}

// A temperature t that is linear along y, and the body that expands without stress: strains a t.
struct FreeExpansion {
  static constexpr double lambda = 1.2, mu = 0.8, stress = 3, heating = 0.5, capacity = 0.4, conductivity = 2;
  static constexpr double a = stress / (2 * (lambda + mu)), start = 1.5, slope = -0.6;
  static double temperature(const Point& x) { return start + slope * x[1]; }
  static double displacement(const Point& x, int component) {
    return component == 0 ? a * x[0] * temperature(x) : a * (start * x[1] + 0.5 * slope * (x[1] * x[1] - x[0] * x[0]));
  }
  static double source(const Point& x) { return (capacity + 2 * heating * a) * temperature(x); }
};

PointFunction at_points(std::function<double(const Point&)> f) {
  return [f = std::move(f)](std::span<const double> x, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = f({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
  };
}

std::unique_ptr<Problem> bar_of_two_parts(std::vector<Integral> loads, const Device& device = device_under_test(2)) {
  using E = FreeExpansion;
  return std::make_unique<Problem>(
      two_parts({.low = CellKind::quad4, .up = CellKind::tri3, .low_count = 2, .up_count = 3}),
      ThermoElasticity<2>{E::lambda, E::mu, E::stress, E::heating, E::capacity, E::conductivity}, std::move(loads),
      device);
}

void join_bar(Problem& problem) {
  tie_parts(problem, 0, "up_bottom", "low_top");
  tie_parts(problem, 1, "up_bottom", "low_top", true);
}

TEST(MixedEquations, OfTiesPassOnATemperatureAndItsExpansionExactly) {
  using E = FreeExpansion;
  const auto problem =
      bar_of_two_parts({Integral::over_all_cells(FormValue(Load<1, 2, 0>{}, {at_points(E::source)})).of_field(1)});
  for (int c = 0; c < 2; ++c)
    problem->supports[0].prescribe(problem->mesh.region("low_bottom"), c,
                                   at_points([c](const Point& x) { return E::displacement(x, c); }), "ground");
  for (const char* side : {"low_bottom", "up_top"})
    problem->supports[1].prescribe(problem->mesh.region(side), 0, at_points(E::temperature), side);
  join_bar(*problem);
  problem->supports.finish();
  Vector exact = problem->equations.zeros();
  for (int k = 0; k < 2; ++k) {
    const FunctionSpace& space = problem->equations.space(k);
    std::vector<double> values;
    for (Node node = 0; node < space.node_count(); ++node)
      for (int c = 0; c < space.components(); ++c)
        values.push_back(k == 0 ? E::displacement(space.point(node), c) : E::temperature(space.point(node)));
    problem->equations.layout().put(Vector(problem->equations.device(), std::span<const double>(values), "vectors"), k,
                                    exact);
  }
  for (const LinearMethod method : {LinearMethod::direct, LinearMethod::gmres}) {
    const bool direct = method == LinearMethod::direct;
    const StaticSolution s = solve_static(problem->equations, problem->supports, {.method = method, .relative = 1e-11});
    EXPECT_LE(test::largest_difference(s.u, exact), (direct ? 1e-9 : 1e-7) * max_abs(exact));
    if (!direct) { EXPECT_LE(s.report.iterations, 60) << s.report.preconditioner; }
  }
}

// The ground holds the weight of both parts: forces of ties are in balance with each other.
TEST(MixedEquations, ExertForcesInBalance) {
  const std::array weight{0.7, -2.0};
  const auto problem = bar_of_two_parts({weight_of(weight[0], weight[1])});
  for (int c = 0; c < 2; ++c) problem->supports[0].prescribe(problem->mesh.region("low_bottom"), c, 0.0, "ground");
  problem->supports[1].prescribe(problem->mesh.region("low_bottom"), 0, 0.0, "cold");
  join_bar(*problem);
  problem->supports.finish();
  const StaticSolution s = solve_static(problem->equations, problem->supports, {.method = LinearMethod::direct});
  EXPECT_LE(s.residual, 1e-10);
  const std::vector<double> reaction(s.reaction.begin(), s.reaction.begin() + problem->equations.layout().size(0));
  const std::vector<std::uint8_t>& held = problem->supports[0].host_mask();
  double ground[2] = {}, ties[2] = {}, largest = 0;
  for (std::size_t i = 0; i < reaction.size(); ++i) {
    (held[i] != 0 ? ground : ties)[i % 2] += reaction[i];
    if (held[i] == 0) largest = std::max(largest, std::abs(reaction[i]));
  }
  EXPECT_GT(largest, 0.1);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(ground[c], -2 * weight[c], 1e-9);  // the area is 2
    EXPECT_NEAR(ties[c], 0, 1e-9);
  }
}

// The parabola has no inertia: Newton's method and a long time end with it.
TEST(MixedEquations, OfAModelHoldByNewtonsMethodAndInTime) {
  const Mesh mesh = rectangle(2, 2, {1, 1}, CellKind::quad9);
  const Spaces spaces = spaces_of(Stokes<2>{mu}, mesh, device_under_test(2));
  const Region corner{.name = "corner", .kind = RegionKind::nodes, .nodes = {0}};
  Model model{.space = spaces[0], .others = {spaces[1]}};
  model.equations = {weight_of(force, 0)};
  model.capacity = {Integral::over_all_cells(Mass<2, 2>{1.0})};
  model.definite = false;
  model.rigid.reset();
  for (const char* side : {"y0", "y1"})
    for (int c = 0; c < 2; ++c)
      model.supports.push_back({.region = &mesh.region(side), .component = c, .value = 0.0, .origin = side});
  model.supports.push_back({.region = &corner, .component = 0, .value = 0.0, .origin = "level", .field = 1});
  for (int k = 0; k < 2; ++k) {
    model.relations.push_back(
        periodic(spaces[static_cast<std::size_t>(k)], mesh.region("x1"), mesh.region("x0")).equations);
    model.relations.back().field = k;
  }
  const auto middle = [&](std::span<const double> u) {
    for (Node node = 0; node < spaces[0].node_count(); ++node)
      if (std::abs(spaces[0].point(node)[1] - 0.5) < 1e-9) return u[static_cast<std::size_t>(2 * node)];
    return 0.0;
  };
  const double most = force / (8 * mu);
  model.linear = false;
  model.of_fields.equations = {MixedIntegral::over_all_cells(NavierStokes<2>{mu, 1})};
  EXPECT_NEAR(middle(solve(model, Nonlinear{.relative = 1e-11}).u.host()), most, 1e-9);
  model.linear = true;
  model.of_fields.equations = {MixedIntegral::over_all_cells(Stokes<2>{mu})};
  EXPECT_NEAR(middle(solve(model, Transient{.end = 4, .fixed_step = 0.25}).state.u), most, 1e-3);
}

Error error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) { return error; }
  ADD_FAILURE() << "no error";
  return {ErrorKind{}, ""};
}

// The upper part has the temperature of the lower one by the tie alone.
TEST(MixedEquations, HoldWhatIsTiedToSupports) {
  const auto level = [](bool tied, bool held) {
    const auto problem = bar_of_two_parts({});
    for (const char* side : {"low_bottom", "up_top"})
      for (int c = 0; c < 2; ++c) problem->supports[0].prescribe(problem->mesh.region(side), c, 0.0, side);
    remake(problem->equations, problem->spaces, {MixedIntegral::over_all_cells(ThermoElasticity<2>{1, 1, 1, 0, 0, 1})});
    if (tied) tie_parts(*problem, 1, "up_bottom", "low_top", true);
    if (held) problem->supports[1].prescribe(problem->mesh.region("low_bottom"), 0, 2.5, "warm");
    problem->supports.finish();
    const StaticSolution s =
        solve_static(problem->equations, problem->supports, {.method = LinearMethod::gmres, .relative = 1e-11});
    const std::vector<double> t = problem->equations.layout().part(s.u, 1).host();
    for (const double each : t) EXPECT_NEAR(each, 2.5, 1e-8);
  };
  level(true, true);
  for (const auto& [tied, held] : {std::pair(false, true), std::pair(true, false)}) {
    const Error error = error_of([&, tied = tied, held = held] { level(tied, held); });
    EXPECT_EQ(error.exit(), Exit::model);
    EXPECT_THAT(error.message(), ::testing::HasSubstr("a constant may be added to the field 'temperature'"));
  }
}

TEST(MixedEquations, OfPeriodicEndsLeaveThePressureWithoutALevel) {
  auto problem = channel(rectangle(3, 4, {2, 1}, CellKind::quad4));
  prescribe_rest(*problem, {"y0", "y1"});
  repeat(*problem, "", {0, 1});
  problem->supports.finish();
  for (const LinearMethod method : {LinearMethod::direct, LinearMethod::minres}) {
    const Error error = error_of([&] { solve_static(problem->equations, problem->supports, {.method = method}); });
    EXPECT_EQ(error.exit(), Exit::model);
    EXPECT_THAT(error.message(), ::testing::HasSubstr("a constant may be added to the field 'pressure'"));
  }
}

TEST(MixedEquations, ComeBeforeTheMatrix) {
  auto problem = channel(rectangle(3, 4, {2, 1}, CellKind::quad4));
  BlockOperator early = problem->equations.make_matrix();
  problem->equations.assemble({}, early);
  prescribe_rest(*problem, {"y0", "y1"});
  repeat(*problem, "", {0, 1});
  problem->supports.finish();
  EXPECT_EQ(error_of([&] { problem->equations.assemble({}, early); }).exit(), Exit::internal);
  EXPECT_EQ(error_of([&] { problem->supports.eliminate(early, 1); }).exit(), Exit::internal);
  BlockOperator K = problem->equations.make_matrix();  // of the equations as they are now
  problem->equations.assemble({}, K);
  problem->supports.eliminate(K, 1);
}

TEST(MixedEquations, AreRefusedBetweenEdgesAlone) {
  const auto coil = current(CellKind::tri3, 4);
  LinearEquations equations{.origin = "a joint"};
  equations.add({{1, 0, 1.0}, {7, 0, -1.0}});
  coil->supports[0].relate(equations);
  coil->supports.finish();
  const Error error = error_of([&] { solve_static(coil->equations, coil->supports); });
  EXPECT_EQ(error.exit(), Exit::input);
  EXPECT_THAT(error.message(), ::testing::HasSubstr("equations between unknowns of the field of edges"));
}

// Ties, sums with offsets, and one with a prescribed unknown: a rank has what its nodes follow, and what follows these.
TEST(MixedEquations, HaveTheSolutionOfOneProcessOverRanks) {
  const auto bar = [](const Device& device) {
    auto problem = bar_of_two_parts({weight_of(0.7, -2)}, device);
    for (int c = 0; c < 2; ++c) problem->supports[0].prescribe(problem->mesh.region("low_bottom"), c, 0.1, "ground");
    problem->supports[1].prescribe(problem->mesh.region("low_bottom"), 0, 1.5, "warm");
    join_bar(*problem);
    const auto node_at = [&](int k, double x, double y) {
      const FunctionSpace& space = problem->equations.space(k);
      Node found = 0;
      for (Node node = 0; node < space.node_count(); ++node)
        if (std::hypot(space.point(node)[0] - x, space.point(node)[1] - y) < 1e-9) found = node;
      return found;
    };
    LinearEquations of_displacement{.origin = "far apart"}, of_temperature{.origin = "jump"};
    of_displacement.add({{node_at(0, 1, 2), 0, 1.0}, {node_at(0, 0, 1.5), 1, 0.5}, {node_at(0, 1, 0.5), 0, -12.0}},
                        0.02);
    of_temperature.add({{node_at(1, 0, 2), 0, 1.0}, {node_at(1, 1, 0), 0, -1.0}}, 0.3);  // y = 0 is prescribed
    problem->supports[0].relate(of_displacement);
    problem->supports[1].relate(of_temperature);
    problem->supports.finish();
    return problem;
  };
  const std::pair<std::unique_ptr<Problem> (*)(const Device&), LinearMethod> cases[] = {
      {channel_of_two_parts, LinearMethod::minres}, {bar, LinearMethod::gmres}};
  for (const auto& [make, method] : cases) {
    const LinearSolverOptions options{.method = method, .relative = 1e-10};
    const auto whole = make(Device::named("cpu", 1));
    const StaticSolution alone = solve_static(whole->equations, whole->supports, options);
    for (const int count : {1, 2, 3})
      ritz::testing::on_ranks(count, [&, make = make](Ranks& ranks) {
        const auto mine = make(Device::named("cpu", 1));
        LinearSolverOptions over_ranks = options;
        over_ranks.ranks = &ranks;
        const StaticSolution s = solve_static(mine->equations, mine->supports, over_ranks);
        EXPECT_LE(s.residual, 1e-8);
        EXPECT_LE(largest_difference(s.u.host(), alone.u.host()), 1e-6 * max_abs(alone.u)) << count;
        const double largest = std::abs(std::ranges::max(alone.reaction, {}, [](double x) { return std::abs(x); }));
        EXPECT_LE(largest_difference(s.reaction, alone.reaction), 1e-6 * largest) << count;
        EXPECT_NEAR(s.report.iterations, alone.report.iterations, 2 + 0.2 * alone.report.iterations) << count;
      });
  }
}

}  // namespace
}  // namespace ritz::test::mixed_equations_test
