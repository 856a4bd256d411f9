// L0: what kernels know of a reference cell.
#include "fem/cells/tabulation.hpp"
#include "tests/fem/cells_under_test.hpp"

#include <cmath>
#include <functional>

namespace ritz::test {
namespace {

// The table on a CPU, where its pointers can be read.
struct Table {
  explicit Table(CellKind kind, int degree)
      : rule(quadrature(kind, degree)),
        tabulation(Device::named("cpu", 1), cell_element(kind), cell_element(kind), rule),
        view(tabulation.table()) {}
  QuadratureRule rule;
  Tabulation tabulation;
  ReferenceTable view;

  double value(int q, int a) const { return view.values[q * view.node_count + a]; }
  double gradient(int q, int a, int d) const { return view.gradients[(q * view.node_count + a) * view.dimension + d]; }
  double extrapolation(int a, int q) const { return view.extrapolation[a * view.point_count + q]; }
};

std::vector<int> degrees_in_use(CellKind kind) {
  return {stiffness_degree(kind), mass_degree(kind), evaluation_degree(kind)};
}

class TabulatedCell : public CellTest {};
INSTANTIATE_TEST_SUITE_P(Cells, TabulatedCell, ::testing::ValuesIn(cell_kinds()), kind_name);

TEST_P(TabulatedCell, HasShapeFunctionsThatSumToOne) {
  for (const int degree : degrees_in_use(kind())) {
    const Table t(kind(), degree);
    for (int q = 0; q < t.view.point_count; ++q) {
      double sum = 0;
      for (int a = 0; a < t.view.node_count; ++a) sum += t.value(q, a);
      EXPECT_NEAR(sum, 1, 50 * unit_roundoff);
    }
  }
}

TEST_P(TabulatedCell, HasGradientsThatSumToZero) {
  for (const int degree : degrees_in_use(kind())) {
    const Table t(kind(), degree);
    for (int q = 0; q < t.view.point_count; ++q)
      for (int d = 0; d < t.view.dimension; ++d) {
        double sum = 0;
        for (int a = 0; a < t.view.node_count; ++a) sum += t.gradient(q, a, d);
        EXPECT_NEAR(sum, 0, 50 * unit_roundoff);
      }
  }
}

// Sum of N_a(q) f(node a) = f(q) and its gradient for f in P_order: the interpolant of the space is exact.
TEST_P(TabulatedCell, ReproducesPolynomialsOfItsOrder) {
  const Table t(kind(), mass_degree(kind()));
  const auto nodes = reference_nodes(kind());
  const auto f = [&](const Point& x) {
    const double linear = 0.3 + 1.1 * x[0] - 0.7 * x[1] + 0.4 * x[2];
    return traits(kind()).order == 1 ? linear : linear * linear + 0.5 * x[0] * x[1];
  };
  const auto slope = [&](const Point& x, int d) {
    const double linear = 0.3 + 1.1 * x[0] - 0.7 * x[1] + 0.4 * x[2];
    const double c[3] = {1.1, -0.7, 0.4}, cross[3] = {0.5 * x[1], 0.5 * x[0], 0};
    return traits(kind()).order == 1 ? c[d] : 2 * linear * c[d] + cross[d];
  };
  for (int q = 0; q < t.view.point_count; ++q) {
    const Point& x = t.rule.points[static_cast<std::size_t>(q)];
    double value = 0, gradient[3] = {};
    for (int a = 0; a < t.view.node_count; ++a) {
      const double at_node = f(nodes[static_cast<std::size_t>(a)]);
      value += t.value(q, a) * at_node;
      for (int d = 0; d < t.view.dimension; ++d) gradient[d] += t.gradient(q, a, d) * at_node;
    }
    EXPECT_NEAR(value, f(x), 200 * unit_roundoff);
    for (int d = 0; d < t.view.dimension; ++d) EXPECT_NEAR(gradient[d], slope(x, d), 400 * unit_roundoff);
  }
}

// From the evaluation points to the nodes: exact for constants on linear simplices, for linear functions on all other
// cells, and with the mixed products on cubes and prisms.
TEST_P(TabulatedCell, ExtrapolatesItsFitSpaceExactly) {
  const Table t(kind(), evaluation_degree(kind()));
  std::vector<std::function<double(const Point&)>> fit = {[](const Point&) { return 1.0; }};
  const CellKind linear = traits(kind()).linear;
  const bool constant_only = traits(kind()).order == 1 && (linear == CellKind::tri3 || linear == CellKind::tet4);
  for (std::size_t d = 0; d < 3 && !constant_only; ++d) fit.push_back([d](const Point& x) { return x[d]; });
  if (linear == CellKind::quad4 || linear == CellKind::hex8) {
    fit.push_back([](const Point& x) { return x[0] * x[1]; });
    fit.push_back([](const Point& x) { return x[0] * x[1] * x[2]; });
  }
  if (linear == CellKind::hex8 || linear == CellKind::prism6) {
    fit.push_back([](const Point& x) { return x[0] * x[2]; });
    fit.push_back([](const Point& x) { return x[1] * x[2]; });
  }
  const auto nodes = reference_nodes(kind());
  for (std::size_t i = 0; i < fit.size(); ++i)
    for (int a = 0; a < t.view.node_count; ++a) {
      double sum = 0;
      for (int q = 0; q < t.view.point_count; ++q)
        sum += t.extrapolation(a, q) * fit[i](t.rule.points[static_cast<std::size_t>(q)]);
      EXPECT_NEAR(sum, fit[i](nodes[static_cast<std::size_t>(a)]), 500 * unit_roundoff)
          << "function " << i << ", node " << a;
    }
}

TEST_P(TabulatedCell, EvaluatesAtEnoughPointsForItsFit) {
  const int needed = traits(kind()).order == 1 && traits(kind()).corner_count == traits(kind()).dimension + 1
                         ? 1
                         : traits(kind()).corner_count;  // 4 of 5 functions on pyramids
  EXPECT_GE(Table(kind(), evaluation_degree(kind())).view.point_count, needed);
}

}  // namespace
}  // namespace ritz::test
