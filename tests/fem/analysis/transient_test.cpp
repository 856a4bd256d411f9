// Evolution in time on problems whose solutions are known: orders in time and space, what is stiff, what is stored.
#include "fem/analysis/transient.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/forms/mass.hpp"
#include "fem/forms/loads.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/models.hpp"
#include "tests/fem/stateful_forms.hpp"
#include "tests/fem/test_forms.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <map>

namespace ritz::test {
namespace {

constexpr double k = 0.7, density = 1.9;
using FunctionOfTime = std::function<double(const Point& x, double t)>;

PointFunction at_points(const FunctionOfTime& f) {
  return [f](std::span<const double> points, double t, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = f({points[3 * i], points[3 * i + 1], points[3 * i + 2]}, t);
  };
}

template <int G>
std::vector<Integral> conduction() {
  return {Integral::over_all_cells(Diffusion<G>{k})};
}
template <int G>
std::vector<Integral> linear_capacity() {
  return {Integral::over_all_cells(Mass<1, G>{density})};
}
std::vector<Integral> conduction_in(int dimension) { return dimension == 2 ? conduction<2>() : conduction<3>(); }
std::vector<Integral> capacity_in(int dimension) {
  return dimension == 2 ? linear_capacity<2>() : linear_capacity<3>();
}
Integral source_in(int dimension, const FunctionOfTime& f) {
  return Integral::over_all_cells(dimension == 2 ? FormValue(Load<1, 2, 0>{}, {at_points(f)})
                                                 : FormValue(Load<1, 3, 0>{}, {at_points(f)}));
}

struct Body {
  Body(Mesh m, const std::vector<Integral>& r, const std::vector<Integral>& c)
      : mesh(std::move(m)),
        space(mesh, 1, device_under_test()),
        equations(space, joined(r, c)),
        capacity(space, c),
        supports(space) {}
  Body(const Body&) = delete;

  static std::vector<Integral> joined(std::vector<Integral> a, const std::vector<Integral>& b) {
    for (Integral each : b) {
      each.is_rate = true;
      a.push_back(std::move(each));
    }
    return a;
  }
  void prescribe(const std::string& region, const FunctionOfTime& value) {
    supports.prescribe(mesh.region(region), 0, at_points(value), region);
  }
  void prescribe_all_sides(const FunctionOfTime& value) {
    for (const char* side : {"x0", "x1", "y0", "y1", "z0", "z1"})
      if (side[0] != 'z' || mesh.dimension() == 3) prescribe(side, value);
  }
  State start(const FunctionOfTime& value, double t = 0) const {
    State state{.time = t, .u = std::vector<double>(std::size_t(space.node_count()))};
    for (Index n = 0; n < space.node_count(); ++n)
      state.u[std::size_t(n)] = value(space.point(static_cast<Node>(n)), t);
    return state;
  }
  State run(const State& begin, Transient options, const Observer& observer = {}) {
    if (!finished) supports.finish();
    finished = true;
    options.newton.relative = std::min(options.newton.relative, 1e-12);
    options.linear.relative = 1e-13;
    options.begin = begin;
    return solve_transient({equations, capacity, supports}, options, observer).state;
  }
  // Root of the mean of squares at the free nodes.
  double mean_error(const State& state, const FunctionOfTime& exact) const {
    double sum = 0, count = 0;
    for (Index n = 0; n < space.node_count(); ++n) {
      if (supports.is_prescribed(static_cast<Node>(n), 0)) continue;
      sum += std::pow(state.u[std::size_t(n)] - exact(space.point(static_cast<Node>(n)), state.time), 2);
      ++count;
    }
    return std::sqrt(sum / count);
  }
  double largest_error(const State& state, const FunctionOfTime& exact) const {
    double worst = 0;
    for (Index n = 0; n < space.node_count(); ++n)
      worst = std::max(worst, std::abs(state.u[std::size_t(n)] - exact(space.point(static_cast<Node>(n)), state.time)));
    return worst;
  }

  Mesh mesh;
  FunctionSpace space;
  Operator equations, capacity;
  Constraints supports;
  bool finished = false;
};

// Linear in space, so that the space has it exactly, and driven by a source and by all sides.
double linear_field(const Point& x) { return 1 + 2 * x[0] - 3 * x[1]; }
struct Driven : Body {
  Driven(const std::function<double(double)>& g, const std::function<double(double)>& rate)
      : Body(rectangle(4, 3, {1, 1}, CellKind::quad4),
             {conduction<2>()[0],
              source_in(2, [rate](const Point& x, double t) { return density * linear_field(x) * rate(t); })},
             linear_capacity<2>()),
        exact([g](const Point& x, double t) { return linear_field(x) * g(t); }) {
    prescribe_all_sides(exact);
  }
  FunctionOfTime exact;
};

double error_of_steps(const DiagonallyImplicitMethod& method, int count) {
  Driven body([](double t) { return std::sin(3 * t) + 2; }, [](double t) { return 3 * std::cos(3 * t); });
  const State end = body.run(body.start(body.exact), {.end = 1, .method = &method, .fixed_step = 1.0 / count});
  EXPECT_EQ(end.steps, count);
  EXPECT_EQ(end.time, 1);
  return body.largest_error(end, body.exact);
}

TEST(Transient, TrBdf2IsOfOrderTwoInTime) {
  const double coarse = error_of_steps(tr_bdf2, 16), fine = error_of_steps(tr_bdf2, 32);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << coarse << " " << fine;
}

TEST(Transient, BackwardEulerIsOfOrderOneInTime) {
  const double coarse = error_of_steps(backward_euler, 64), fine = error_of_steps(backward_euler, 128);
  EXPECT_NEAR(std::log2(coarse / fine), 1, 0.1) << coarse << " " << fine;
}

TEST(Transient, TrBdf2IsExactForSolutionsQuadraticInTime) {
  Driven body([](double t) { return 1 + 2 * t - 3 * t * t; }, [](double t) { return 2 - 6 * t; });
  const State end = body.run(body.start(body.exact), {.end = 2, .fixed_step = 0.5});
  EXPECT_LT(body.largest_error(end, body.exact), 1e-11);
}

TEST(Transient, BackwardEulerIsExactForSolutionsLinearInTime) {
  Driven body([](double t) { return 1 + 2 * t; }, [](double) { return 2.0; });
  const State end = body.run(body.start(body.exact), {.end = 2, .method = &backward_euler, .fixed_step = 0.5});
  EXPECT_LT(body.largest_error(end, body.exact), 1e-11);
}

TEST(Transient, StepsOfControlledLengthMeetTheirTimesAndTheTolerance) {
  const auto run = [](double tolerance) {
    Driven body([](double t) { return std::exp(-20 * t) + t; }, [](double t) { return 1 - 20 * std::exp(-20 * t); });
    std::vector<double> times;
    const State end = body.run(body.start(body.exact), {.end = 3, .output = {0.1, 1}, .tolerance = tolerance},
                               {.show = [&](const SolutionView& view) { times.push_back(*view.time); }});
    EXPECT_THAT(times, ::testing::ElementsAre(0, 0.1, 1, 3));
    return std::pair(body.largest_error(end, body.exact), end.steps);
  };
  const auto [loose, few] = run(1e-2);
  const auto [tight, many] = run(1e-5);
  EXPECT_LT(loose, 4 * 1e-2);  // the range of the solution is 4 in time and space
  EXPECT_LT(tight, 4 * 1e-5);
  EXPECT_LT(few, 40);
  EXPECT_GT(many, 2 * few);
  EXPECT_LT(many, 600);
}

// Quadratic in time, so that all of the error is that of space.
struct OrderInSpace : CellTest {};
TEST_P(OrderInSpace, IsOneMoreThanThatOfTheCell) {
  const int G = dimension();
  const auto wave = [G](const Point& x) {
    return std::sin(2 * x[0] + 1) * std::cos(x[1]) * (G == 3 ? std::exp(x[2]) : 1);
  };
  const double curvature = G == 3 ? 4 + 1 - 1 : 4 + 1;  // -laplacian of the wave is so many of it
  const auto g = [](double t) { return 1 + t - 0.5 * t * t; };
  const auto rate = [](double t) { return 1 - t; };
  const auto error = [&](Index n) {
    Body body(
        G == 2 ? rectangle(n, n, {1, 1}, kind()) : box(n, n, n, {1, 1, 1}, kind()),
        {conduction_in(G)[0],
         source_in(G, [&](const Point& x, double t) { return wave(x) * (density * rate(t) + k * curvature * g(t)); })},
        capacity_in(G));
    const FunctionOfTime exact = [&](const Point& x, double t) { return wave(x) * g(t); };
    body.prescribe_all_sides(exact);
    return body.mean_error(body.run(body.start(exact), {.end = 0.5, .fixed_step = 0.25}), exact);
  };
  const Index n = G == 2 ? 6 : 4;
  EXPECT_GT(std::log2(error(n) / error(2 * n)), traits(kind()).order + 1 - 0.3);
}
INSTANTIATE_TEST_SUITE_P(Cells, OrderInSpace,
                         ::testing::Values(CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8,
                                           CellKind::tri6),
                         kind_name);

TEST(Transient, AJumpOfABoundaryValueIsDampedWithoutOscillation) {
  Body body(rectangle(16, 1, {1, 0.1}, CellKind::quad4), conduction<2>(), linear_capacity<2>());
  body.prescribe("x0", [](const Point&, double) { return 0.0; });
  body.prescribe("x1", [](const Point&, double) { return 1.0; });
  const FunctionOfTime steady = [](const Point& x, double) { return x[0]; };
  std::vector<double> errors;
  // Ten times the slowest time constant, and ten thousand times the fastest.
  const double dt = 10 * density / (k * M_PI * M_PI);
  body.run(body.start([](const Point&, double) { return 0.0; }), {.end = 4 * dt, .fixed_step = dt},
           {.keep = [&](const State& state) {
             if (state.steps == 0) return;
             errors.push_back(body.largest_error(state, steady));
             EXPECT_GT(*std::ranges::min_element(state.u), -1e-12);
             EXPECT_LT(*std::ranges::max_element(state.u), 1 + 1e-12);
           }});
  ASSERT_EQ(errors.size(), 4u);
  EXPECT_LT(errors[0], 0.1);
  for (std::size_t i = 1; i < errors.size(); ++i) EXPECT_LT(errors[i], 0.25 * errors[i - 1]);  // R(-10) = -0.2
}

TEST(Transient, WhatIsStoredIsWhatHasEntered) {
  Body body(rectangle(3, 4, {1, 2}, CellKind::tri3, {.random = 0.05}),
            {conduction<2>()[0], source_in(2, [](const Point& x, double t) { return x[0] * std::exp(t); }),
             Integral::over(Convection<2>{3, 0.2}, rectangle(3, 4, {1, 2}, CellKind::tri3).region("y1"))},
            linear_capacity<2>());
  body.prescribe("x0", [](const Point& x, double t) { return std::sin(5 * t) * x[1]; });
  const State end = body.run(body.start([](const Point&, double) { return 0.3; }), {.end = 1});
  EXPECT_LT(end.balance.defect(), 1e-12);
  EXPECT_GT(std::abs(end.balance.supplied[0]), 1e-3);
  EXPECT_GT(std::abs(end.balance.prescribed[0]), 1e-3);
}

TEST(Transient, AnInsulatedBodyStoresItsLoadExactly) {
  const Mesh mesh = rectangle(3, 2, {2, 1}, CellKind::quad4);
  Body body(rectangle(3, 2, {2, 1}, CellKind::quad4),
            {conduction<2>()[0], Integral::over(Load<1, 2, 1>{.density = {4}, .weight = 1}, mesh.region("x1"))},
            linear_capacity<2>());
  const State end = body.run(body.start([](const Point&, double) { return 300.0; }), {.end = 7});
  EXPECT_NEAR(end.balance.stored[0], 4 * 1 * 7, 1e-10);
  double stored = 0;  // by the mean of u, as a uniform one would
  Vector u(body.space.device(), std::span<const double>(end.u), "vectors"), m = body.space.zeros();
  body.capacity.residual(u, m);
  for (const double each : m.host()) stored += each;
  EXPECT_NEAR(stored, density * 2 * 300 + 4 * 7, 1e-9);
}

TEST(Transient, ABodyAtRestStaysAtRest) {
  Body body(rectangle(5, 5, {1, 1}, CellKind::quad4, {.random = 0.05}), conduction<2>(), linear_capacity<2>());
  const State end = body.run(body.start([](const Point&, double) { return 293.15; }), {.end = 1e6});
  EXPECT_LT(body.largest_error(end, [](const Point&, double) { return 293.15; }), 1e-9);
}

TEST(Transient, ANonlinearCapacityStoresWhatEnters) {
  constexpr double b = 0.4, supply = 3;
  Body body(rectangle(2, 2, {1, 1}, CellKind::quad4),
            {conduction<2>()[0], source_in(2, [](const Point&, double) { return supply; })},
            {Integral::over_all_cells(test_form(SteepMass<2>{density, b}))});
  const State end = body.run(body.start([](const Point&, double) { return 0.0; }), {.end = 2});
  for (const double u : end.u) EXPECT_NEAR(density * (u + b * u * u * u), supply * 2, 1e-9);
  EXPECT_LT(end.balance.defect(), 1e-10);
}

struct NonlinearBody : Body {
  NonlinearBody()
      : Body(rectangle(4, 3, {1, 1}, CellKind::tri3),
             {Integral::over_all_cells(test_form(NonlinearDiffusion<2>{k, 0.8, 0.3})),
              source_in(2, [](const Point& x, double t) { return 5 * x[1] * std::cos(2 * t); })},
             {Integral::over_all_cells(test_form(SteepMass<2>{density, 0.4}))}) {
    prescribe("x0", [](const Point& x, double t) { return 0.5 * std::sin(t) * x[1]; });
  }
  State rest() const {
    return start([](const Point&, double) { return 0.0; });
  }
};

TEST(Transient, NonlinearEquationsKeepTheOrder) {
  std::vector<std::vector<double>> ends;
  for (const int count : {10, 20, 40}) {
    NonlinearBody body;
    ends.push_back(body.run(body.rest(), {.end = 1, .fixed_step = 1.0 / count}).u);
  }
  double coarse = 0, fine = 0;
  for (std::size_t i = 0; i < ends[0].size(); ++i) {
    coarse = std::max(coarse, std::abs(ends[1][i] - ends[0][i]));
    fine = std::max(fine, std::abs(ends[2][i] - ends[1][i]));
  }
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15) << coarse << " " << fine;
}

// From each state that was kept the analysis ends with the same bits.
template <class B>
void expect_the_same_bits_from_every_state(const std::function<State(const B&)>& begin) {
  const Transient options{.end = 1, .output = {0.3}, .tolerance = 1e-2};
  std::vector<State> kept;
  B body;
  const State end = body.run(begin(body), options, {.keep = [&](const State& s) { kept.push_back(s); }});
  ASSERT_EQ(static_cast<Index>(kept.size()), end.steps + 1);  // and the begin
  for (std::size_t i = 0; i < kept.size(); i += 3) {
    B again;
    const State other = again.run(kept[i], options);
    EXPECT_EQ(other.u, end.u) << "from step " << i;
    EXPECT_EQ(other.steps, end.steps);
    EXPECT_EQ(other.balance.supplied, end.balance.supplied);
    EXPECT_EQ(other.balance.prescribed, end.balance.prescribed);
  }
}

struct LinearBody : Body {
  LinearBody()
      : Body(rectangle(4, 3, {1, 1}, CellKind::tri3),
             {conduction<2>()[0], source_in(2, [](const Point& x, double t) { return 5 * x[1] * std::cos(2 * t); })},
             linear_capacity<2>()) {
    prescribe("x0", [](const Point& x, double t) { return 1 + 0.5 * std::sin(t) * x[1]; });
  }
};

TEST(Transient, GoesOnWithTheSameBitsWhenLinear) {
  expect_the_same_bits_from_every_state<LinearBody>(
      [](const LinearBody& body) { return body.start([](const Point&, double) { return 0.0; }); });
}
TEST(Transient, GoesOnWithTheSameBitsWhenNonlinear) {
  expect_the_same_bits_from_every_state<NonlinearBody>([](const NonlinearBody& body) { return body.rest(); });
}

TEST(Transient, OneMatrixServesAllStepsOfALength) {
  LinearBody body;
  std::map<double, int> lengths;
  const State end = body.run(body.start([](const Point&, double) { return 1.0; }), {.end = 1, .tolerance = 1e-4},
                             {.step = [&](const AnalysisStep& step) { ++lengths[step.dt]; }});
  EXPECT_LT(lengths.size(), std::size_t(end.steps) / 2);
}

TEST(Transient, WithoutAMatrixTheSolutionIsTheSame) {
  const auto end = [](OperatorKind operator_kind) {
    Driven body([](double t) { return std::exp(-t); }, [](double t) { return -std::exp(-t); });
    return body.run(body.start(body.exact), {.end = 1, .fixed_step = 0.2, .linear = {.operator_kind = operator_kind}})
        .u;
  };
  const std::vector<double> with = end(OperatorKind::matrix), without = end(OperatorKind::matrix_free);
  for (std::size_t i = 0; i < with.size(); ++i) EXPECT_NEAR(with[i], without[i], 1e-10);
}

// Internal variables follow each accepted step, once: a body that yields while it is sheared to and fro.
TEST(Transient, InternalVariablesAreThoseOfAcceptedSteps) {
  const auto make = [] {
    return std::make_unique<Body>(rectangle(2, 2, {1, 1}, CellKind::quad4),
                                  std::vector{Integral::over_all_cells(
                                      test_form(YieldingByFlux{{.stiffness = 2, .yield = 0.05, .hardening = 0.3}}))},
                                  std::vector{Integral::over_all_cells(Mass<1, 2>{1e-3})});
  };
  const auto end = [&](int count) {
    auto body = make();
    body->prescribe_all_sides([](const Point& x, double t) { return 0.3 * x[0] * std::sin(2 * M_PI * t); });
    return body->run(body->start([](const Point&, double) { return 0.0; }), {.end = 1, .fixed_step = 1.0 / count});
  };
  const State state = end(8);
  ASSERT_FALSE(state.points.empty());
  // Shear 0.3 sin: it yields at each reversal. A rate-independent body sees the turning points alone, and 8 steps meet
  // them; the small mass adds a little.
  const State finer = end(16);
  for (std::size_t i = 0; i < state.points[0].size(); ++i) EXPECT_NEAR(state.points[0][i], finer.points[0][i], 1e-4);
  EXPECT_GT(*std::ranges::max_element(state.points[0]), 0.3);
}

TEST(Transient, AnOverflowIsAnErrorThatNamesTheTime) {
  Body body(rectangle(2, 2, {1, 1}, CellKind::quad4),
            {Integral::over_all_cells(test_form(NonlinearDiffusion<2>{k, 0, -1}))}, linear_capacity<2>());
  try {  // u' = exp(u): infinite at t = density
    body.run(body.start([](const Point&, double) { return 0.0; }), {.end = 2 * density, .tolerance = 1e-2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::not_converged);
    EXPECT_THAT(error.message(), ::testing::HasSubstr("t = 1.")) << error.message();
  }
}

}  // namespace
}  // namespace ritz::test
