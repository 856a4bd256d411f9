#include "tests/mesh/meshes.hpp"

#include <cmath>

using namespace ritz;

namespace {

double monomial(const Point& x, const std::array<int, 3>& powers) {
  return std::pow(x[0], powers[0]) * std::pow(x[1], powers[1]) * std::pow(x[2], powers[2]);
}

std::vector<Point> inner_points(CellKind kind) {
  std::vector<Point> points = {reference_centroid(kind)};
  for (const QuadraturePoint& q : geometry_rule(kind)) points.push_back(q.xi);
  return points;
}

// Whether the kind's space holds a monomial: P_k on simplices and pyramids, Q_k on cubes (full), and so on.
bool holds(CellKind kind, const std::array<int, 3>& p) {
  const CellTraits& t = traits(kind);
  for (int k = t.dimension; k < 3; ++k)
    if (p[static_cast<std::size_t>(k)] > 0) return false;
  const bool within_degree = p[0] + p[1] + p[2] <= t.order;
  switch (kind) {
    case CellKind::quad4:
    case CellKind::hex8:
    case CellKind::quad9:
    case CellKind::hex27:
    case CellKind::line3: return p[0] <= t.order && p[1] <= t.order && p[2] <= t.order;
    case CellKind::prism6:
    case CellKind::prism18: return p[0] + p[1] <= t.order && p[2] <= t.order;
    case CellKind::quad8: return p[0] <= 2 && p[1] <= 2 && p[0] + p[1] <= 3;
    case CellKind::hex20: {  // superlinear degree: powers of 1 do not count
      int degree = 0;
      for (const int power : p) degree += power > 1 ? power : 0;
      return degree <= 2 && p[0] <= 2 && p[1] <= 2 && p[2] <= 2;
    }
    case CellKind::prism15: return within_degree || (p[0] + p[1] <= 2 && p[2] <= 1) || (p[0] + p[1] <= 1 && p[2] <= 2);
    default: return within_degree;
  }
}

}  // namespace

class CellGeometry : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(All, CellGeometry, ::testing::ValuesIn(all_cell_kinds().begin(), all_cell_kinds().end()),
                         ritz::testing::name_of);

TEST_P(CellGeometry, ShapeFunctionsAreOneAtTheirNodeAndZeroAtTheOthers) {
  const auto nodes = reference_nodes(GetParam());
  ASSERT_EQ(std::ssize(nodes), traits(GetParam()).node_count);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto N = shape_values(GetParam(), nodes[i]);
    ASSERT_EQ(N.size(), nodes.size());
    for (std::size_t j = 0; j < N.size(); ++j) EXPECT_EQ(N[j], i == j ? 1 : 0) << i << " " << j;
  }
}

TEST_P(CellGeometry, ShapeFunctionsSumToOneAndGradientsToZero) {
  for (const Point& xi : inner_points(GetParam())) {
    double sum = 0;
    for (const double N : shape_values(GetParam(), xi)) sum += N;
    EXPECT_NEAR(sum, 1, 1e-14);
    Point slope{};
    for (const Point& g : shape_gradients(GetParam(), xi))
      for (std::size_t k = 0; k < 3; ++k) slope[k] += g[k];
    for (const double s : slope) EXPECT_NEAR(s, 0, 1e-13);
  }
}

TEST_P(CellGeometry, EveryMonomialOfTheSpaceIsReproducedWithItsGradient) {
  const auto nodes = reference_nodes(GetParam());
  for (int code = 0; code < 27; ++code) {
    const std::array<int, 3> p = {code % 3, code / 3 % 3, code / 9};
    if (!holds(GetParam(), p)) continue;
    for (const Point& xi : inner_points(GetParam())) {
      const auto N = shape_values(GetParam(), xi);
      const auto dN = shape_gradients(GetParam(), xi);
      double value = 0;
      Point slope{};
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        value += N[i] * monomial(nodes[i], p);
        for (std::size_t k = 0; k < 3; ++k) slope[k] += dN[i][k] * monomial(nodes[i], p);
      }
      EXPECT_NEAR(value, monomial(xi, p), 1e-13) << p[0] << p[1] << p[2];
      for (std::size_t k = 0; k < 3; ++k) {
        std::array<int, 3> lower = p;
        lower[k] -= 1;
        const double exact = p[k] == 0 ? 0 : p[k] * monomial(xi, lower);
        EXPECT_NEAR(slope[k], exact, 1e-12) << p[0] << p[1] << p[2] << " axis " << k;
      }
    }
  }
}

TEST_P(CellGeometry, GradientsAreTheSlopesOfTheValues) {
  const double h = 1e-5;  // central differences: error h^2 times third derivatives, and rounding 1e-16 / h
  for (const Point& xi : inner_points(GetParam())) {
    const auto dN = shape_gradients(GetParam(), xi);
    for (std::size_t k = 0; k < static_cast<std::size_t>(traits(GetParam()).dimension); ++k) {
      Point up = xi, down = xi;
      up[k] += h;
      down[k] -= h;
      const auto above = shape_values(GetParam(), up), below = shape_values(GetParam(), down);
      for (std::size_t i = 0; i < dN.size(); ++i) EXPECT_NEAR(dN[i][k], (above[i] - below[i]) / (2 * h), 1e-7);
    }
  }
}

TEST_P(CellGeometry, OnAFacetOnlyTheFacetsShapeFunctionsRemain) {
  const auto nodes = reference_nodes(GetParam());
  for (const Facet& facet : traits(GetParam()).facets)
    for (const Point& on_facet : inner_points(facet.kind)) {
      const auto N_facet = shape_values(facet.kind, on_facet);
      Point xi{};
      for (std::size_t i = 0; i < N_facet.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) xi[k] += N_facet[i] * nodes[static_cast<std::size_t>(facet.nodes[i])][k];
      std::vector<double> expected(nodes.size());
      for (std::size_t i = 0; i < N_facet.size(); ++i) expected[static_cast<std::size_t>(facet.nodes[i])] = N_facet[i];
      const auto N = shape_values(GetParam(), xi);
      for (std::size_t i = 0; i < N.size(); ++i) EXPECT_NEAR(N[i], expected[i], 1e-14);
    }
}

TEST_P(CellGeometry, RuleGivesTheVolumeAndCentroidOfTheReferenceCell) {
  const auto volume_of = [](CellKind linear) {
    switch (linear) {
      case CellKind::vertex1: return 1.0;
      case CellKind::line2: return 2.0;
      case CellKind::tri3: return 0.5;
      case CellKind::quad4: return 4.0;
      case CellKind::tet4: return 1.0 / 6;
      case CellKind::prism6: return 1.0;
      case CellKind::pyramid5: return 4.0 / 3;
      default: return 8.0;
    }
  };
  double volume = 0;
  Point moment{};
  for (const auto& [xi, weight] : geometry_rule(GetParam())) {
    volume += weight;
    for (std::size_t k = 0; k < 3; ++k) moment[k] += weight * xi[k];
  }
  const double exact = volume_of(traits(GetParam()).linear);
  EXPECT_NEAR(volume, exact, 1e-14 * exact);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(moment[k] / volume, reference_centroid(GetParam())[k], 1e-15);
}

TEST(Pyramid5, HasTheClassicShapeFunctions) {
  const Point p = {0.2, -0.3, 0.4};
  const auto N = shape_values(CellKind::pyramid5, p);
  const double r = p[0] * p[1] / (1 - p[2]);
  EXPECT_NEAR(N[0], 0.25 * (1 - p[0] - p[1] - p[2] + r), 1e-16);
  EXPECT_NEAR(N[2], 0.25 * (1 + p[0] + p[1] - p[2] + r), 1e-16);
  EXPECT_EQ(N[4], p[2]);
}
