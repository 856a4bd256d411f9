#include "fem/results/strain_variation.hpp"

#include "mesh/generators.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

// u(x, y) of a strip 4 x 1 (x 1/4) with cells of the same length and height, y from its middle; lambda = mu = 1.
double share(CellKind kind, Index layers, Point (*u)(const Point&), int order = 0) {
  const bool solid = traits(kind).dimension == 3;
  const Mesh mesh =
      solid ? box(4 * layers, layers, 1, {4, 1, 0.25}, kind) : rectangle(4 * layers, layers, {4, 1}, kind);
  const int components = solid ? 3 : 2;
  const FunctionSpace space(mesh, components, Device::named("cpu", 1), {.order = order});
  std::vector<double> values;
  for (Index node = 0; node < space.node_count(); ++node) {
    const auto x = space.point(static_cast<Node>(node));
    const Point at = u({x[0], x[1] - 0.5, x[2] - 0.125});
    values.insert(values.end(), at.begin(), at.begin() + components);
  }
  return strain_variation(space, values,
                          {.physics = solid ? ErrorPhysics::solid : ErrorPhysics::plane, .numbers = {{1, 1}}});
}

Point bending(const Point& x) { return {x[0] * x[1], -x[0] * x[0] / 2, 0}; }
Point bending_across(const Point& x) { return {x[0] * x[2], 0, -x[0] * x[0] / 2}; }
Point tension(const Point& x) { return {x[0], -0.3 * x[1], 0}; }
Point shear(const Point& x) { return {1 + 1e-3 * x[1], 0, 0}; }
Point rotation(const Point& x) { return {5 - 1e-3 * x[1], 1e-3 * x[0], 0}; }

// Per volume 3 h^2 / 12 + l^2 / 12 inside of cells, by the slope of the bending strain and the parasitic shear, of
// 3 H^2 / 12 + l^2 / 12.
TEST(StrainVariation, OfBentQuadrilateralsAndHexahedraIsThatOfTheirInterpolant) {
  for (const CellKind kind : {CellKind::quad4, CellKind::hex8})
    for (const Index layers : {1, 2, 4}) {
      const double h = 1 / static_cast<double>(layers);
      EXPECT_NEAR(share(kind, layers, bending), 4 * h * h / (3 + h * h), 1e-12) << traits(kind).name << layers;
    }
}

TEST(StrainVariation, TellsOneLayerOfAnyLinearCellsFromFour) {
  EXPECT_GT(share(CellKind::prism6, 1, bending_across), too_much_variation);
  for (const CellKind kind : {CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8}) {
    EXPECT_GT(share(kind, 1, bending), too_much_variation) << traits(kind).name;
    EXPECT_LT(share(kind, 4, bending), too_much_variation) << traits(kind).name;
  }
}

TEST(StrainVariation, IsZeroWithoutBendingAndOfQuadraticCells) {
  for (const CellKind kind : {CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8, CellKind::prism6}) {
    EXPECT_NEAR(share(kind, 1, tension), 0, 1e-12) << traits(kind).name;
    EXPECT_NEAR(share(kind, 1, shear), 0, 1e-12) << traits(kind).name;
    EXPECT_EQ(share(kind, 1, rotation), 0) << traits(kind).name;
    EXPECT_EQ(share(kind, 1, bending, 2), 0) << traits(kind).name;
  }
}

}  // namespace
}  // namespace ritz
