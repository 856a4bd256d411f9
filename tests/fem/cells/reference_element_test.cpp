// L0: reference elements of every shape and order.
#include "mesh/quadrature.hpp"
#include "fem/cells/reference_element.hpp"
#include "tests/fem/cells_under_test.hpp"

#include <algorithm>
#include <cmath>

namespace ritz::test {
namespace {

struct ShapeOrder {
  CellKind shape;
  int order;
};

std::vector<ShapeOrder> all_elements() {
  std::vector<ShapeOrder> list;
  for (const CellKind shape : {CellKind::line2, CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8,
                               CellKind::prism6, CellKind::pyramid5})
    for (int order = 1; order <= highest_lagrange_order(shape); ++order) list.push_back({shape, order});
  return list;
}

class Lagrange : public ::testing::TestWithParam<ShapeOrder> {
 protected:
  ReferenceElement element = lagrange_element(GetParam().shape, GetParam().order);
  std::vector<double> values = std::vector<double>(element.nodes.size());
  std::vector<Point> gradients = std::vector<Point>(element.nodes.size());
};
INSTANTIATE_TEST_SUITE_P(Elements, Lagrange, ::testing::ValuesIn(all_elements()), [](const auto& info) {
  return std::string(traits(info.param.shape).name) + "_order" + std::to_string(info.param.order);
});

TEST_P(Lagrange, IsOneAtItsNodeAndZeroAtTheOthers) {
  for (std::size_t a = 0; a < element.nodes.size(); ++a) {
    element.evaluate(element.nodes[a], values, gradients);
    for (std::size_t b = 0; b < values.size(); ++b) EXPECT_NEAR(values[b], a == b ? 1 : 0, 1e-11);
  }
}

// All monomials of the order (for cubes each power up to the order) come out of their nodal values, with their slopes.
TEST_P(Lagrange, ReproducesPolynomialsOfItsOrder) {
  const int p = element.order;
  const bool tensor = !element.line_nodes.empty();
  const QuadratureRule rule = quadrature(element.shape, 5);
  for (int i = 0; i <= p; ++i)
    for (int j = 0; j <= (element.dimension() > 1 ? p : 0); ++j)
      for (int k = 0; k <= (element.dimension() > 2 ? p : 0); ++k) {
        if (!tensor && i + j + k > p) continue;
        const auto f = [&](const Point& x) { return std::pow(x[0], i) * std::pow(x[1], j) * std::pow(x[2], k); };
        for (const Point& x : rule.points) {
          element.evaluate(x, values, gradients);
          double value = 0, slope = 0;
          for (std::size_t a = 0; a < values.size(); ++a) {
            value += values[a] * f(element.nodes[a]);
            slope += gradients[a][0] * f(element.nodes[a]);
          }
          EXPECT_NEAR(value, f(x), 1e-10) << i << j << k;
          const double exact = i == 0 ? 0 : i * std::pow(x[0], i - 1) * std::pow(x[1], j) * std::pow(x[2], k);
          EXPECT_NEAR(slope, exact, 1e-9) << i << j << k;
        }
      }
}

TEST_P(Lagrange, HasGradientsThatAreTheSlopesOfItsValues) {
  const Point x = {0.21, element.dimension() > 1 ? 0.13 : 0, element.dimension() > 2 ? 0.17 : 0};
  element.evaluate(x, values, gradients);
  const double h = 1e-6;
  for (std::size_t d = 0; d < static_cast<std::size_t>(element.dimension()); ++d) {
    Point low = x, high = x;
    low[d] -= h;
    high[d] += h;
    std::vector<double> before(values.size()), after(values.size());
    std::vector<Point> unused(values.size());
    element.evaluate(low, before, unused);
    element.evaluate(high, after, unused);
    for (std::size_t a = 0; a < values.size(); ++a)
      EXPECT_NEAR((after[a] - before[a]) / (2 * h), gradients[a][d], 1e-7);
  }
}

// A facet's field depends on the facet's nodes alone: the functions of all others vanish there.
TEST_P(Lagrange, IsDeterminedOnAFacetByTheNodesThere) {
  const CellTraits& t = traits(element.shape);
  if (t.dimension < 2) return;
  for (int f = 0; f < static_cast<int>(t.facets.size()); ++f) {
    const Trace trace = trace_of(element, f);
    std::vector<double> on_facet(trace.nodes.size());
    std::vector<Point> slopes(trace.nodes.size());
    for (const Point& xi : quadrature(trace.element.shape, 4).points) {
      trace.element.evaluate(xi, on_facet, slopes);
      double sum = 0;
      for (const double v : on_facet) sum += v;
      EXPECT_NEAR(sum, 1, 1e-10) << "facet " << f;
    }
  }
}

// The trace is Lagrange's element on the facet: neighbours of another shape have the same functions there.
TEST_P(Lagrange, HasLagrangeTraces) {
  const CellTraits& t = traits(element.shape);
  if (t.dimension < 2) return;
  for (int f = 0; f < static_cast<int>(t.facets.size()); ++f) {
    const Trace trace = trace_of(element, f);
    const ReferenceElement expected = lagrange_element(trace.element.shape, element.order);
    ASSERT_EQ(trace.element.nodes.size(), expected.nodes.size());
    std::vector<double> here(expected.nodes.size()), there(expected.nodes.size());
    std::vector<Point> unused(expected.nodes.size());
    const Point xi = {0.2, t.dimension > 2 ? 0.3 : 0, 0};
    trace.element.evaluate(xi, here, unused);
    expected.evaluate(xi, there, unused);
    for (std::size_t a = 0; a < here.size(); ++a) {
      const auto same = std::ranges::find_if(expected.nodes, [&](const Point& p) {
        return std::hypot(p[0] - trace.element.nodes[a][0], p[1] - trace.element.nodes[a][1]) < 1e-10;
      });
      ASSERT_NE(same, expected.nodes.end());
      EXPECT_NEAR(here[a], there[static_cast<std::size_t>(same - expected.nodes.begin())], 1e-10);
    }
  }
}

TEST(GaussLobatto, HasTheKnownNodes) {
  const std::vector<double> three = gauss_lobatto_nodes(3), four = gauss_lobatto_nodes(4);
  EXPECT_NEAR(three[1], -1 / std::sqrt(5.0), 1e-15);
  EXPECT_NEAR(four[1], -std::sqrt(3.0 / 7), 1e-15);
  EXPECT_EQ(four[2], 0);
}

TEST(Lagrange, RefusesOrdersThatItDoesNotHave) {
  for (const CellKind shape : {CellKind::tri3, CellKind::hex8, CellKind::pyramid5}) {
    EXPECT_THROW(lagrange_element(shape, 0), Error);
    EXPECT_THROW(lagrange_element(shape, highest_lagrange_order(shape) + 1), Error);
  }
}

}  // namespace
}  // namespace ritz::test
