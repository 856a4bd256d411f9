// Cells whose maps are of order 3 and more, in the mesh and in meshes derived from it.
#include "mesh/mirror.hpp"
#include "mesh/search/point_location.hpp"
#include "mesh/quality/quality.hpp"
#include "mesh/refinement/refine.hpp"
#include "tests/mesh/curved.hpp"
#include "tests/mesh/meshes.hpp"

#include <cmath>

using namespace ritz;
using namespace ritz::testing;
using ::testing::HasSubstr;

namespace {

constexpr std::array shapes{CellKind::tri3, CellKind::quad4,  CellKind::tet4,
                            CellKind::hex8, CellKind::prism6, CellKind::pyramid5};

// Some points in all reference cells.
std::vector<Point> places(CellKind kind) {
  std::vector<Point> list;
  for (const QuadraturePoint& q : geometry_rule(kind)) list.push_back(q.xi);
  return list;
}

void expect_equal(const Point& found, const Point& expected, double tolerance, const std::string& what = {}) {
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found[k], expected[k], tolerance) << what;
}

// The position of the point in the straight cell with these corners.
Point straight_place(const Mesh& mesh, Index cell, const Point& xi) {
  const CellTraits& t = traits(mesh.kind_of(cell));
  const std::vector<double> N = shape_values(t.linear, xi);
  Point x{};
  for (std::size_t a = 0; a < N.size(); ++a) {
    const auto corner = mesh.point(mesh.nodes_of(cell)[a]);
    const Point before = unsheared({corner[0], corner[1], corner[2]});
    for (std::size_t k = 0; k < 3; ++k) x[k] += N[a] * before[k];
  }
  return x;
}

class Curved : public ::testing::TestWithParam<CellKind> {
 protected:
  int dimension() const { return traits(GetParam()).dimension; }
  Mesh mesh(int order = 3) const { return Mesh(under_map(Mesh(block_of(GetParam(), 2)), order, sheared)); }
};
INSTANTIATE_TEST_SUITE_P(Shapes, Curved, ::testing::ValuesIn(shapes), name_of);

TEST_P(Curved, CellsAreWhereTheirMapHasThem) {
  for (const int order : {3, 4, 5}) {
    const Mesh bent = mesh(order);
    for (Index cell = 0; cell < bent.cell_count(); ++cell) {
      const CellMap map(bent, cell);
      for (const Point& xi : places(map.kind()))
        expect_equal(map.at(xi), sheared(straight_place(bent, cell, xi)), 1e-12);
      const auto nodes = bent.nodes_of(cell);
      for (std::size_t a = 0; a < nodes.size(); ++a) {
        const auto x = bent.point(nodes[a]);
        expect_equal(map.at(reference_nodes(map.kind())[a]), {x[0], x[1], x[2]}, 1e-12, "nodes are on the map");
      }
    }
  }
}

TEST_P(Curved, TangentsAreTheDerivativesOfPlaces) {
  const Mesh bent = mesh();
  const CellMap map(bent, bent.cell_count() - 1);
  const double h = 1e-5;
  const auto expect_derivatives = [&](const auto& of, const Point& xi, int d) {
    const auto tangents = of.tangents(xi);
    for (std::size_t k = 0; k < static_cast<std::size_t>(d); ++k) {
      Point up = xi, down = xi;
      up[k] += h;
      down[k] -= h;
      const Point a = of.at(up), b = of.at(down);
      expect_equal(tangents[k], {(a[0] - b[0]) / (2 * h), (a[1] - b[1]) / (2 * h), (a[2] - b[2]) / (2 * h)}, 1e-8);
    }
  };
  for (const Point& xi : places(map.kind())) expect_derivatives(map, xi, dimension());
  const auto& facets = traits(map.kind()).facets;
  for (int f = 0; f < std::ssize(facets); ++f)
    for (const Point& xi : places(facets[static_cast<std::size_t>(f)].kind))
      expect_derivatives(FacetMap(map, f), xi, dimension() - 1);
}

TEST_P(Curved, FacetsHaveTheirNodesWhereTheMeshHasThem) {
  const Mesh bent = mesh();
  const auto& facets = traits(bent.kind_of(0)).facets;
  const CellMap map(bent, 0);
  for (int f = 0; f < std::ssize(facets); ++f) {
    const std::vector<Node> nodes = bent.nodes_of(FacetOfCell{0, f});
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      const auto x = bent.point(nodes[a]);
      expect_equal(FacetMap(map, f).at(reference_nodes(facets[static_cast<std::size_t>(f)].kind)[a]),
                   {x[0], x[1], x[2]}, 1e-12);
    }
  }
}

// The map keeps volumes; the theorem of Gauss for 1 and x.
TEST_P(Curved, VolumesAndSurfacesAreExact) {
  const Mesh bent = mesh();
  EXPECT_NEAR(total_volume(bent), volume_of_block(dimension()), 1e-12);
  Point area{};
  double x_dot_n = 0;
  for (const FacetOfCell& facet : boundary_facets(bent)) {
    const FacetIntegrals integrals = integrate(bent, facet);
    for (std::size_t k = 0; k < 3; ++k) area[k] += integrals.area_vector[k];
    x_dot_n += integrals.x_dot_n;
  }
  expect_equal(area, {}, 1e-12);
  EXPECT_NEAR(x_dot_n, dimension() * volume_of_block(dimension()), 1e-12);
}

// A cubic map whose determinant is 1 + 0.4 x^2 + 0.03 x^4 in the plane, (1 + 0.3 x^2)(1 + 0.1 x^2)^2 in space: of the
// highest degree that cubic maps have. Volumes and centres are its integrals over 0 < x < 1 and the other lengths.
TEST_P(Curved, VolumesAndCentresOfCubicCellsAreExact) {
  const Mesh bent(under_map(Mesh(block_of(GetParam(), 2)), 3, [](const Point& x) {
    const double across = 1 + 0.1 * x[0] * x[0];
    return Point{x[0] * across, x[1] * across, x[2] * across};
  }));
  const double volume = dimension() == 3 ? 1 + 0.5 / 3 + 0.07 / 5 + 0.003 / 7 : 2 * (1 + 0.4 / 3 + 0.03 / 5);
  EXPECT_NEAR(total_volume(bent), volume, 1e-12);
  double x_dot_n = 0;
  for (const FacetOfCell& facet : boundary_facets(bent)) x_dot_n += integrate(bent, facet).x_dot_n;
  EXPECT_NEAR(x_dot_n, dimension() * volume, 1e-12);
  // x (1 + 0.1 x^2) times the determinant
  const double moment = dimension() == 3 ? 1.0 / 2 + 0.6 / 4 + 0.12 / 6 + 0.01 / 8 + 0.0003 / 10
                                         : 2 * (1.0 / 2 + 0.5 / 4 + 0.07 / 6 + 0.003 / 8);
  EXPECT_NEAR(centroid(bent)[0], moment / volume, 1e-12);
}

TEST_P(Curved, ChildrenFillTheirParentsExactly) {
  const Mesh coarse = mesh(), fine = refine(coarse);
  EXPECT_NEAR(total_volume(fine), volume_of_block(dimension()), 1e-12);
  for (Index cell = 0; cell < fine.cell_count(); ++cell) {
    const CellMap map(fine, cell);
    ASSERT_NE(map.functions(), nullptr);
    for (const Point& xi : places(map.kind())) expect_equal(map.at(xi), sheared(straight_place(fine, cell, xi)), 1e-12);
    const auto nodes = fine.nodes_of(cell);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      const auto x = fine.point(nodes[a]);
      expect_equal({x[0], x[1], x[2]}, map.at(reference_nodes(map.kind())[a]), 1e-12,
                   "new nodes are on the parent's map");
    }
  }
}

TEST_P(Curved, PointsAreFoundInTheirCells) {
  const Mesh bent = mesh();
  const PointLocator locator(bent);
  for (Index cell = 0; cell < bent.cell_count(); ++cell)
    for (const Point& xi : places(bent.kind_of(cell))) {
      const PointLocator::Place place = locator.locate(CellMap(bent, cell).at(xi));
      EXPECT_EQ(place.cell, cell);
      expect_equal(place.xi, xi, 1e-8);
    }
  // On the boundary, and a little outside.
  const FacetOfCell facet = boundary_facets(bent)[0];
  const CellMap map(bent, facet.cell);
  const CellKind kind = traits(map.kind()).facets[static_cast<std::size_t>(facet.facet)].kind;
  Point x = FacetMap(map, facet.facet).at(reference_centroid(kind));
  const FacetIntegrals integrals = integrate(bent, facet);
  for (std::size_t k = 0; k < 3; ++k) x[k] += 1e-8 * integrals.area_vector[k] / integrals.area;
  const PointLocator::Place place = locator.locate(x);
  EXPECT_GT(place.distance, 1e-9);
  EXPECT_LE(place.distance, 1.001e-8);
}

TEST_P(Curved, CellsInsideOutAreTurnedWithTheirMaps) {
  const Mesh bent = mesh();
  MeshData turned = data_of(bent);
  for (CellBlock& block : turned.blocks) {
    const auto order = mirrored_nodes(block.kind);
    std::vector<Node> nodes;
    for (Index c = 0; c < block.cell_count(); ++c)
      for (const int i : order) nodes.push_back(block.cell(c)[static_cast<std::size_t>(i)]);
    block.nodes = nodes;
    block.curved.points.clear();
    for (Index c = 0; c < block.cell_count(); ++c)
      for (const Point& xi : block.curved.functions->nodes())
        block.curved.points.push_back(CellMap(bent, block.first_cell + c).at({xi[1], xi[0], xi[2]}));
  }
  for (Region& region : turned.regions) region.facets.clear();
  const Mesh mended(std::move(turned));
  EXPECT_THAT(mended.notices().front(), HasSubstr("inside out"));
  for (Index cell = 0; cell < bent.cell_count(); ++cell)
    for (const Point& xi : places(bent.kind_of(cell)))
      expect_equal(CellMap(mended, cell).at(xi), CellMap(bent, cell).at(xi), 1e-12);
}

TEST_P(Curved, OrderTwoKeepsTheMapAndOrderOneStraightens) {
  const Mesh bent = mesh();
  const Mesh lean = with_order(bent, 2, MidNodes::serendipity);
  for (const Point& xi : places(bent.kind_of(0))) expect_equal(CellMap(lean, 0).at(xi), CellMap(bent, 0).at(xi), 1e-12);
  EXPECT_EQ(CellMap(with_order(bent, 1), 0).functions(), nullptr);
}

TEST(CurvedCells, MoveWithTheMesh) {
  MeshData data = under_map(Mesh(block_of(CellKind::quad4, 1)), 3, sheared);
  const Mesh before(data);
  transform_points(data, [](std::span<double, 3> x) { x[0] *= 0.001, x[1] *= 0.001; });
  const Mesh after(data);
  for (const Point& xi : places(CellKind::quad9)) {
    const Point x = CellMap(before, 0).at(xi);
    expect_equal(CellMap(after, 0).at(xi), {0.001 * x[0], 0.001 * x[1], 0}, 1e-15);
  }
}

// One square of order 5, whose points are moved along x by a function that rises from -1 to 1.
Mesh squeezed(double flattest) {
  const Mesh square(rectangle_data(1, 1, {2, 2}, CellKind::quad4));
  return Mesh(under_map(square, 5, [flattest](const Point& x) {
    const double t = x[0] - 1, rest = (1 - t) / 2;
    return Point{(1 - flattest) * (1 - 2 * rest * rest * rest * rest * rest) + flattest * t, x[1], 0};
  }));
}

TEST(CurvedCells, AreJudgedByTheirOwnMap) {
  // The parabola through -1, 0.75 and 1 at -1, 0, 1 turns back; the map does not.
  EXPECT_NO_THROW(squeezed(0.2));
  EXPECT_THAT(error_of([] { squeezed(-0.2); }).message(), HasSubstr("folded"));
}

}  // namespace
