// L1: what a quadrature rule promises.
#include "mesh/quadrature.hpp"
#include "tests/fem/cells_under_test.hpp"

#include <cmath>

namespace ritz::test {
namespace {

double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

// Integral of t^i over [-1, 1].
double on_line(int i) { return i % 2 == 0 ? 2.0 / (i + 1) : 0; }

// Integral of x^i y^j z^k over the reference cell. Simplices: i! j! k! / (i + j + k + d)!. Pyramid: the square shrinks
// with 1 - z, so x^i y^j brings (1 - z)^(i + j + 2), and the rest is Euler's beta function.
double exact_integral(CellKind shape, int i, int j, int k) {
  switch (shape) {
    case CellKind::line2: return on_line(i);
    case CellKind::quad4: return on_line(i) * on_line(j);
    case CellKind::hex8: return on_line(i) * on_line(j) * on_line(k);
    case CellKind::tri3: return factorial(i) * factorial(j) / factorial(i + j + 2);
    case CellKind::tet4: return factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
    case CellKind::prism6: return exact_integral(CellKind::tri3, i, j, 0) * on_line(k);
    default: return on_line(i) * on_line(j) * factorial(k) * factorial(i + j + 2) / factorial(i + j + k + 3);
  }
}

bool is_inside(CellKind shape, const Point& x) {
  const auto within = [](double t) { return t > -1 && t < 1; };
  switch (shape) {
    case CellKind::tri3: return x[0] > 0 && x[1] > 0 && x[0] + x[1] < 1;
    case CellKind::tet4: return x[0] > 0 && x[1] > 0 && x[2] > 0 && x[0] + x[1] + x[2] < 1;
    case CellKind::prism6: return is_inside(CellKind::tri3, x) && within(x[2]);
    case CellKind::pyramid5: return x[2] > 0 && x[2] < 1 && std::abs(x[0]) < 1 - x[2] && std::abs(x[1]) < 1 - x[2];
    default: return within(x[0]) && within(x[1]) && within(x[2]);
  }
}

constexpr CellKind shapes[] = {CellKind::line2, CellKind::tri3,   CellKind::quad4,   CellKind::tet4,
                               CellKind::hex8,  CellKind::prism6, CellKind::pyramid5};
constexpr int largest_degree = 9;

class Quadrature : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(Shapes, Quadrature, ::testing::ValuesIn(shapes), kind_name);

// All monomials of total degree <= degree; the points' products are summed with relative error points * unit roundoff.
TEST_P(Quadrature, IntegratesMonomialsUpToItsDegree) {
  const int dimension = traits(GetParam()).dimension;
  for (int degree = 0; degree <= largest_degree; ++degree) {
    const QuadratureRule rule = quadrature(GetParam(), degree);
    EXPECT_EQ(rule.degree, degree);
    for (int i = 0; i <= degree; ++i)
      for (int j = 0; j <= (dimension > 1 ? degree - i : 0); ++j)
        for (int k = 0; k <= (dimension > 2 ? degree - i - j : 0); ++k) {
          double sum = 0;
          for (std::size_t q = 0; q < rule.points.size(); ++q)
            sum += rule.weights[q] * std::pow(rule.points[q][0], i) * std::pow(rule.points[q][1], j) *
                   std::pow(rule.points[q][2], k);
          EXPECT_NEAR(sum, exact_integral(GetParam(), i, j, k), 100 * unit_roundoff)
              << "degree " << degree << ", monomial " << i << j << k;
        }
  }
}

TEST_P(Quadrature, HasPositiveWeights) {
  for (int degree = 0; degree <= largest_degree; ++degree)
    for (const double weight : quadrature(GetParam(), degree).weights) EXPECT_GT(weight, 0) << "degree " << degree;
}

TEST_P(Quadrature, HasPointsInside) {
  for (int degree = 0; degree <= largest_degree; ++degree)
    for (const Point& point : quadrature(GetParam(), degree).points)
      EXPECT_TRUE(is_inside(GetParam(), point)) << "degree " << degree;
}

// On cubes every monomial x^i y^j z^k with i, j, k <= degree is exact, not only those of that total degree.
TEST(QuadratureOnCubes, IsExactPerDirection) {
  const QuadratureRule rule = quadrature(CellKind::hex27, 5);
  EXPECT_EQ(rule.points.size(), 27u);
  double sum = 0;
  for (std::size_t q = 0; q < rule.points.size(); ++q)
    sum += rule.weights[q] * std::pow(rule.points[q][0] * rule.points[q][1] * rule.points[q][2], 4);
  EXPECT_NEAR(sum, 8.0 / 125, 100 * unit_roundoff);
}

TEST(QuadratureOnQuadraticCells, IsThatOfTheLinearCell) {
  EXPECT_EQ(quadrature(CellKind::tet10, 4).points, quadrature(CellKind::tet4, 4).points);
}

}  // namespace
}  // namespace ritz::test
