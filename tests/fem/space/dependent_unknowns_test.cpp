// Linear equations between unknowns: how they are resolved, and that what is solved is the constrained minimum.
#include "fem/analysis/static_solution.hpp"
#include "fem/operator/matrix_free.hpp"
#include "fem/space/constraints.hpp"
#include "solvers/algebra/vectors.hpp"
#include "tests/device/small_sizes.hpp"
#include "tests/fem/dense.hpp"
#include "tests/fem/models.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ritz::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Block {
  explicit Block(int order = 0) : space(mesh, 3, device_under_test(), {.order = order}) {}
  Mesh mesh = box(3, 2, 2, {3, 2, 2}, CellKind::hex8);
  FunctionSpace space;
  Operator equations{space, {Integral::over_all_cells(elastic_form(3))}};
  Constraints fixed{space};

  void hold() {
    for (int c = 0; c < 3; ++c) fixed.prescribe(mesh.region("x0"), c, 0.01 * c, "left");
  }
  Node node_at(const Point& x) const {
    for (Node node = 0; node < space.node_count(); ++node)
      if (std::hypot(space.point(node)[0] - x[0], space.point(node)[1] - x[1], space.point(node)[2] - x[2]) < 1e-9)
        return node;
    return -1;
  }
  // A chain, a node with an oblique support, a sum with a prescribed unknown, an equation without a zero value.
  LinearEquations various() const {
    const Node a = node_at({3, 0, 0}), b = node_at({3, 2, 0}), c = node_at({3, 2, 2}), d = node_at({2, 1, 1}),
               e = node_at({0, 0, 0}), f = node_at({1, 0, 2});
    LinearEquations result{.origin = "various"};
    result.add({{a, 0, 1.0}, {b, 0, -0.5}, {d, 1, 0.25}}, 0.02);
    result.add({{b, 0, 2.0}, {c, 0, -1.0}, {c, 2, 0.5}});  // what the first one follows, follows on
    result.add({{c, 0, 0.6}, {c, 1, 0.8}}, 0.01);          // within one node
    result.add({{f, 2, 1.0}, {e, 1, -1.0}, {d, 2, 0.5}});  // e is prescribed
    return result;
  }
};

std::string error_of(Constraints& fixed) {
  try {
    fixed.finish();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::model);
    return error.message() + "; " + error.why();
  }
  return "none";
}

TEST(DependentUnknowns, AreResolvedThroughChains) {
  Block block;
  const Node a = block.node_at({3, 0, 0}), b = block.node_at({3, 2, 0}), c = block.node_at({3, 2, 2});
  LinearEquations chain{.origin = "chain"};
  chain.add({{a, 0, 1.0}, {b, 0, -2.0}}, 1);
  chain.add({{b, 0, 1.0}, {c, 0, -3.0}}, 5);
  block.fixed.relate(chain);
  block.fixed.finish();
  Vector u = block.space.zeros();
  std::vector<double> values(static_cast<std::size_t>(u.size()), 0.0);
  values[static_cast<std::size_t>(3 * c)] = 7;
  u.upload(values);
  block.fixed.set_values(u);
  EXPECT_EQ(u.host()[static_cast<std::size_t>(3 * b)], 3 * 7 + 5);
  EXPECT_EQ(u.host()[static_cast<std::size_t>(3 * a)], 2 * 26 + 1);
}

TEST(DependentUnknowns, GiveTheTransformedMatrix) {
  Block block;
  block.hold();
  block.fixed.relate(block.various());
  block.fixed.finish();
  SparseMatrix K = block.equations.make_matrix();
  block.equations.assemble(block.space.zeros(), K);
  const Dense T = transformation(block.fixed), before = dense(host_matrix(K));
  const Dense expected = product(T, product(before, T, false), true);
  block.fixed.eliminate(K, 0);
  EXPECT_LT(largest_difference(dense(host_matrix(K)), expected), 1e-14 * largest_entry(before));
}

TEST(DependentUnknowns, GiveTheSameProductWithoutAMatrix) {
  for (const int order : {1, 2, 3}) {
    if (order == 3 && takes_small_sizes(device_under_test())) continue;
    Block block(order);
    block.hold();
    block.fixed.relate(block.various());
    block.fixed.finish();
    SparseMatrix K = block.equations.make_matrix();
    block.equations.assemble(block.space.zeros(), K);
    const MatrixFree A(block.equations, block.fixed, block.space.zeros());
    block.fixed.eliminate(K, A.pivot());
    Vector x = block.space.zeros(), y = block.space.zeros(), z = block.space.zeros();
    fill_start_vector(x);
    K.apply(x, y);
    A.apply(x, z);
    EXPECT_LT(largest_difference(y, z), 1e-12 * max_abs(y)) << "order " << order;
  }
}

// The minimum of 1/2 u^T K u under prescribed values and equations, from Lagrange's multipliers.
std::vector<double> constrained_minimum(const Block& block, const Dense& K, const LinearEquations& equations) {
  std::vector<std::vector<UnknownTerm>> rows;
  std::vector<double> values;
  for (Node node = 0; node < block.space.node_count(); ++node)
    for (int c = 0; c < 3; ++c)
      if (block.fixed.is_prescribed(node, c)) {
        rows.push_back({{node, c, 1.0}});
        values.push_back(0.01 * c);
      }
  for (Index i = 0; i < equations.size(); ++i) {
    rows.emplace_back(equations.terms_of(i).begin(), equations.terms_of(i).end());
    values.push_back(equations.values[static_cast<std::size_t>(i)]);
  }
  Dense bordered(K.n + rows.size());
  std::vector<double> b(bordered.n, 0.0);
  for (std::size_t i = 0; i < K.n; ++i)
    for (std::size_t j = 0; j < K.n; ++j) bordered(i, j) = K(i, j);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const UnknownTerm& term : rows[i]) {
      const auto j = static_cast<std::size_t>(3 * term.node + term.component);
      bordered(K.n + i, j) += term.factor;
      bordered(j, K.n + i) += term.factor;
    }
    b[K.n + i] = values[i];
  }
  std::vector<double> u = solve(bordered, b);
  u.resize(K.n);
  return u;
}

TEST(DependentUnknowns, SolveForTheConstrainedMinimum) {
  Block block;
  block.hold();
  block.fixed.relate(block.various());
  block.fixed.finish();
  const std::vector<double> expected = constrained_minimum(block, dense([&] {
                                                             SparseMatrix K = block.equations.make_matrix();
                                                             block.equations.assemble(block.space.zeros(), K);
                                                             return host_matrix(K);
                                                           }()),
                                                           block.various());
  for (const OperatorKind kind : {OperatorKind::matrix, OperatorKind::matrix_free}) {
    const StaticSolution s =
        solve_static(block.equations, block.fixed,
                     {.relative = 1e-12, .promise = MatrixPromise::positive_definite, .operator_kind = kind});
    const std::vector<double> u = s.u.host();
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(u[i], expected[i], 1e-10);
    EXPECT_LT(s.residual, 1e-10);
  }
}

TEST(DependentUnknowns, MayBeRedundant) {
  Block block;
  const Node a = block.node_at({3, 0, 0}), b = block.node_at({3, 2, 0});
  LinearEquations twice{.origin = "twice"};
  twice.add({{a, 0, 1.0}, {b, 0, -1.0}}, 0.5);
  twice.add({{b, 0, 3.0}, {a, 0, -3.0}}, -1.5);
  block.fixed.relate(twice);
  EXPECT_EQ(error_of(block.fixed), "none");
  EXPECT_EQ(block.fixed.dependent_rows().unknown.size(), 1u);
}

// -0.3 + 0.2 + 0.1 is 2.8e-17 in double precision: the third equation leaves this between a and d, and the last one
// compares it with 0.
TEST(DependentUnknowns, MayDifferByTheRoundingOfWhatCancels) {
  Block block;
  const Node a = block.node_at({3, 0, 0}), b = block.node_at({3, 2, 0}), c = block.node_at({3, 2, 2}),
             d = block.node_at({2, 1, 1});
  LinearEquations loop{.origin = "loop"};
  loop.add({{c, 0, 1.0}, {d, 0, -1.0}}, -0.3);
  loop.add({{c, 0, 1.0}, {b, 0, -1.0}}, -0.2);
  loop.add({{b, 0, 1.0}, {a, 0, -1.0}}, -0.1);
  loop.add({{d, 0, 1.0}, {a, 0, -1.0}}, 0);
  block.fixed.relate(loop);
  EXPECT_EQ(error_of(block.fixed), "none");
  EXPECT_EQ(block.fixed.dependent_rows().unknown.size(), 3u);
}

TEST(DependentUnknowns, ThatContradictEachOtherAreAnErrorWithBothOrigins) {
  Block block;
  const Node a = block.node_at({3, 0, 0}), b = block.node_at({3, 2, 0});
  LinearEquations first{.origin = "[[equation]] #1"}, second{.origin = "[[tie]] #2"};
  first.add({{a, 0, 1.0}, {b, 0, -1.0}}, 0.5);
  second.add({{b, 0, 3.0}, {a, 0, -3.0}}, 1);
  block.fixed.relate(first);
  block.fixed.relate(second);
  EXPECT_THAT(error_of(block.fixed), AllOf(HasSubstr("[[equation]] #1"), HasSubstr("[[tie]] #2")));
}

TEST(DependentUnknowns, ThatContradictPrescribedValuesAreAnError) {
  Block block;
  block.hold();
  LinearEquations equations{.origin = "[[equation]] #1"};
  equations.add({{block.node_at({0, 0, 0}), 1, 1.0}, {block.node_at({0, 2, 0}), 1, -1.0}}, 0.5);
  block.fixed.relate(equations);
  EXPECT_THAT(error_of(block.fixed), AllOf(HasSubstr("[[equation]] #1"), HasSubstr("its sum is 0, and 0.5")));
}

TEST(DependentUnknowns, TakeTheFirstUnknownThatIsFree) {
  Block block;
  block.hold();
  const Node held = block.node_at({0, 0, 0}), a = block.node_at({3, 0, 0}), b = block.node_at({3, 2, 0});
  LinearEquations equations{.origin = "[[equation]] #1"};
  equations.add({{held, 1, 1.0}, {b, 1, -1.0}, {a, 1, -1.0}});
  block.fixed.relate(equations);
  block.fixed.finish();
  EXPECT_THAT(block.fixed.dependent_rows().unknown, ElementsAre(3 * b + 1));
}

}  // namespace
}  // namespace ritz::test
