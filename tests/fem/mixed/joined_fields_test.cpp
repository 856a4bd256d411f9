// Equations between unknowns of several fields: blocks, actions and vectors are what T makes of them, two bodies on
// meshes of their own that are joined node by node move as one, and what is refused.
#include "device/error.hpp"
#include "fem/analysis/static_solution.hpp"
#include "fem/analysis/static_solution.hpp"
#include "fem/ranks/own_fields.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/fem/dense.hpp"
#include "tests/fem/mixed/mixed_action.hpp"
#include "tests/fem/mixed/mixed_forms.hpp"
#include "tests/fem/mixed/mixed_problems.hpp"
#include "tests/solvers/thread_ranks.hpp"

#include <array>
#include <cmath>
#include <gmock/gmock.h>

namespace ritz::test::joined_fields_test {
namespace {

Mesh moved_box(double x, Index count) {
  MeshData data = box_data(count, 1, 1, {1, 1, 1}, CellKind::hex8);
  transform_points(data, [x](std::span<double, 3> p) { p[0] += x; });
  return Mesh(std::move(data));
}

// Cubes at x = 0 and at x = 1, each on a mesh and a field of its own.
struct TwoBodies {
  Mesh left = moved_box(0, 2), right = moved_box(1, 1);
  Spaces spaces;
  FieldsOperator equations;
  FieldsConstraints supports;
  explicit TwoBodies(const Device& device = device_under_test(2))
      : spaces{FunctionSpace(left, 3, device, SpaceOptions{.field_name = "left"}),
               FunctionSpace(right, 3, device, SpaceOptions{.field_name = "right"})},
        equations(spaces, {},
                  {Integral::over_all_cells(elastic_form(3)), Integral::over_all_cells(elastic_form(3)).of_field(1)}),
        supports(spaces) {}

  // The cubes have the same displacements where they meet.
  void join() {
    LinearEquations equal{.origin = "where the cubes meet", .field = 1};
    for (const Node right_node : spaces[1].nodes_in(right.region("x0")))
      for (const Node left_node : spaces[0].nodes_in(left.region("x1")))
        if (distance(spaces[1].point(right_node), spaces[0].point(left_node)) < 1e-9)
          for (int c = 0; c < 3; ++c) equal.add({{right_node, c, 1.0}, {left_node, c, -1.0, 0}});
    supports.relate(std::move(equal));
  }
  static double distance(const Point& a, const Point& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }
};

// Both ways, chains through equations of single fields, a prescribed unknown, an offset.
std::unique_ptr<TwoBodies> chained(const Device& device = device_under_test(2)) {
  auto bodies = std::make_unique<TwoBodies>(device);
  LinearEquations own{.origin = "own"}, across{.origin = "across", .field = 1};
  bodies->supports[0].prescribe_nodes(std::array<Node, 1>{0}, 2, 0.3, "held");
  own.add({{5, 1, 1.0}, {6, 0, 0.4}, {7, 2, -0.3}}, 0.1);
  own.add({{11, 1, 1.0}, {9, 2, -0.5}}, 0.05);  // of what follows the right
  bodies->supports[0].relate(own);
  across.add({{1, 0, 1.0}, {5, 1, 0.5, 0}, {0, 2, 2.0, 0}}, 0.2);  // right follows left, also what follows there
  across.add({{9, 2, 1.0, 0}, {2, 1, -0.6}, {1, 0, 0.3}});         // left follows right
  across.add({{3, 1, 1.0}, {4, 1, -0.5}, {8, 0, 0.25, 0}});        // of both
  across.add({{1, 1, 1e-6}, {10, 0, 1.0, 0}});
  bodies->supports.relate(std::move(across));
  bodies->supports.finish();
  return bodies;
}

Vector some_vector(const FieldsOperator& equations, std::uint64_t seed) {
  const auto values = random_values(static_cast<std::size_t>(equations.layout().total()), seed);
  return {equations.device(), std::span<const double>(values), "vectors"};
}

// T by its columns: what moves with each independent unknown.
Dense transformation(const TwoBodies& bodies) {
  const auto n = static_cast<std::size_t>(bodies.equations.layout().total());
  Dense T(n);
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> unit(n, 0.0);
    unit[j] = 1;
    Vector x(bodies.equations.device(), unit, "vectors");
    bodies.supports.set_zero(x);
    bodies.supports.set_linear(x);
    const std::vector<double> moved = x.host();
    for (std::size_t i = 0; i < n; ++i) T(i, j) = max_abs(x) > 0 ? moved[i] : 0;
  }
  return T;
}

TEST(JoinedFields, AreEliminatedFromAllBlocksAsDenseMatricesAre) {
  const auto bodies = chained();
  BlockOperator K = bodies->equations.make_matrix();
  bodies->equations.assemble({}, K);
  ASSERT_NE(K.coupling(0, 1), nullptr);
  const Dense T = transformation(*bodies), before = dense(host_matrix(K));
  const Dense expected = product(T, product(before, T, false), true);
  bodies->supports.eliminate(K, 0);
  EXPECT_LT(test::largest_difference(dense(host_matrix(K)), expected), 1e-13 * largest_entry(before));
  const std::vector<double> first = host_matrix(K).values;
  bodies->equations.assemble({}, K);
  bodies->supports.eliminate(K, 0);
  EXPECT_EQ(host_matrix(K).values, first);
}

TEST(JoinedFields, AreEliminatedFromTheActionAsFromTheMatrix) {
  const auto bodies = chained();
  const Vector x = some_vector(bodies->equations, 2), none;
  BlockOperator K = bodies->equations.make_matrix();
  bodies->equations.assemble({}, K);
  bodies->supports.eliminate(K, 0.5);
  Vector y = bodies->equations.zeros(), z = bodies->equations.zeros();
  K.apply(x, y);
  MixedAction(bodies->equations, bodies->supports, none, 0.5).apply(x, z);
  axpy(-1.0, y, z);
  EXPECT_LT(max_abs(z), 1e-12 * max_abs(y));
}

// The fake device dies when host code touches its memory.
TEST(JoinedFields, HaveValuesThatMeetTheEquationsOnEveryDevice) {
  for (const char* name : {"cpu", "fake"}) {
    const auto bodies = chained(Device::named(name, 1));
    Vector u = some_vector(bodies->equations, 3);
    bodies->supports.set_values(u);
    const std::vector<double> values = u.host();
    for (const LinearEquations& each : bodies->supports.between_fields())
      for (Index i = 0; i < each.size(); ++i) {
        double sum = -each.values[static_cast<std::size_t>(i)];
        for (const UnknownTerm& t : each.terms_of(i))
          sum += t.factor * values[static_cast<std::size_t>(bodies->equations.layout().first(each.field_of(t)) +
                                                            3 * t.node + t.component)];
        EXPECT_NEAR(sum, 0, 1e-14) << i;
      }
  }
}

// Each rank has the values of its nodes and ghosts, and the rows of what follows.
TEST(JoinedFields, HaveTheValuesOfOneProcessOverRanks) {
  for (const int count : {2, 3})
    ritz::testing::on_ranks(count, [&](Ranks& ranks) {
      const auto bodies = chained(Device::named("cpu", 1));
      OwnFields part(bodies->equations, bodies->supports, &ranks);
      Vector expected = some_vector(bodies->equations, 3), found = part.own(expected);
      bodies->supports.set_values(expected, 0.7);
      part.supports().set_values(found, 0.7);
      EXPECT_LT(largest_difference(part.gathered(found), expected), 1e-14) << count;
    });
}

// Pulled and bent at one end, held at the other.
TEST(JoinedFields, NodeByNodeMoveAsOneBody) {
  const Device device = device_under_test(2);
  TwoBodies two(device);
  const std::array load{0.3, -0.2, 0.1};
  remake(two.equations, two.spaces, {},
         {Integral::over_all_cells(elastic_form(3)), Integral::over_all_cells(elastic_form(3)).of_field(1),
          Integral::over(facet_load(3, load), two.right.region("x1")).of_field(1)});
  for (int c = 0; c < 3; ++c) two.supports[0].prescribe(two.left.region("x0"), c, 0.0, "wall");
  two.join();
  two.supports.finish();
  // The same body of one field: cells of half the length at the left.
  MeshData data = box_data(3, 1, 1, {3, 1, 1}, CellKind::hex8);
  transform_points(data, [](std::span<double, 3> p) { p[0] = p[0] < 2.5 ? p[0] / 2 : 2; });
  DiscreteProblem one(
      Mesh(std::move(data)), 3,
      [&](const Mesh& mesh) {
        return std::vector{Integral::over_all_cells(elastic_form(3)),
                           Integral::over(facet_load(3, load), mesh.region("x1"))};
      },
      device);
  Constraints fixed(one.space);
  for (int c = 0; c < 3; ++c) fixed.prescribe(one.mesh.region("x0"), c, 0.0, "wall");
  fixed.finish();
  const StaticSolution of_one = solve_static(one.equations, fixed, {.method = LinearMethod::direct});
  const std::vector<double> expected = of_one.u.host();
  for (const LinearMethod method : {LinearMethod::direct, LinearMethod::minres}) {
    const bool direct = method == LinearMethod::direct;
    const StaticSolution s = solve_static(two.equations, two.supports, {.method = method, .relative = 1e-11});
    const std::vector<double> right = two.equations.layout().part(s.u, 1).host(), &reaction = s.reaction;
    double balance[3] = {};
    for (std::size_t i = 0; i < reaction.size(); ++i) balance[i % 3] += reaction[i];
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(balance[c], -load[c], 1e-8) << c;
    int compared = 0;
    for (const Node node : two.spaces[1].nodes_in(two.right.region("x1")))
      for (const Node other : one.space.nodes_in(one.mesh.region("x1"))) {
        if (TwoBodies::distance(two.spaces[1].point(node), one.space.point(other)) > 1e-9) continue;
        ++compared;
        for (int c = 0; c < 3; ++c)
          EXPECT_NEAR(right[static_cast<std::size_t>(3 * node + c)], expected[static_cast<std::size_t>(3 * other + c)],
                      (direct ? 1e-10 : 1e-7) * max_abs(of_one.u));
      }
    EXPECT_EQ(compared, 4);
  }
}

Error error_of(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const Error& error) { return error; }
  return Error(ErrorKind::internal, "nothing was thrown");
}

TEST(JoinedFields, ThatContradictPrescribedValuesAreAnError) {
  TwoBodies bodies;
  bodies.supports[0].prescribe_nodes(std::array<Node, 1>{0}, 0, 1.0, "left");
  bodies.supports[1].prescribe_nodes(std::array<Node, 1>{0}, 0, 2.0, "right");
  LinearEquations equal{.origin = "equal"};
  equal.add({{0, 0, 1.0}, {0, 0, -1.0, 1}});
  bodies.supports.relate(std::move(equal));
  EXPECT_THAT(error_of([&] { bodies.supports.finish(); }).message(),
              ::testing::HasSubstr("prescribed values contradict equal"));
}

TEST(JoinedFields, ThatFormsCoupleWithOthersAreRefused) {
  const auto problem = flow(CellKind::quad4, 2, Stokes<2>{1.0});
  LinearEquations across{.origin = "across"};
  across.add({{4, 0, 1.0}, {4, 0, -1.0, 1}});
  problem->supports.relate(std::move(across));
  problem->supports.finish();
  EXPECT_THAT(error_of([&] { (void)problem->equations.make_matrix(); }).message(),
              ::testing::HasSubstr("equations join the field"));
}

}  // namespace
}  // namespace ritz::test::joined_fields_test
