// The parts in which facets of two surfaces lie opposite each other: they cover the facet, and both points of a pair
// are one.
#include "mesh/search/facet_pairs.hpp"

#include "mesh/generators.hpp"
#include "mesh/point_algebra.hpp"
#include "mesh/search/nearest_point.hpp"
#include "tests/mesh/meshes.hpp"

#include <cmath>
#include <memory>

namespace ritz::testing {
namespace {

// Two boxes of one kind, one on the other, and the facets between them.
struct TwoBoxes {
  TwoBoxes(CellKind low, CellKind up, Index low_count, Index up_count, double aside, double gap, double height = 1) {
    const int dimension = traits(low).dimension;
    const auto grid = [&](CellKind kind, Index n) {
      return dimension == 3 ? box_data(n, n, 1, {1, 1, height}, kind) : rectangle_data(n, 1, {1, height}, kind);
    };
    MeshData data = grid(low, low_count), upper = grid(up, up_count);
    const auto across = static_cast<std::size_t>(dimension) - 1;
    transform_points(upper, [&](std::span<double, 3> x) { x[0] += aside, x[across] += height + gap; });
    const auto nodes = static_cast<Node>(data.points.size() / 3);
    Index cells = 0;
    for (const CellBlock& block : data.blocks) cells += block.cell_count();
    const auto facets = [&](const MeshData& of, std::string name, Index first) {
      std::vector<FacetOfCell> result;
      for (const Region& region : of.regions)
        if (region.name == name)
          for (const FacetOfCell& f : region.facets) result.push_back({f.cell + first, f.facet});
      return result;
    };
    others = facets(data, dimension == 3 ? "z1" : "y1", 0);
    backs = facets(data, dimension == 3 ? "z0" : "y0", 0);
    own = facets(upper, dimension == 3 ? "z0" : "y0", cells);
    data.points.insert(data.points.end(), upper.points.begin(), upper.points.end());
    data.regions.clear();
    for (CellBlock block : upper.blocks) {
      for (Node& node : block.nodes) node += nodes;
      data.blocks.push_back(std::move(block));
    }
    mesh = std::make_unique<Mesh>(std::move(data));
  }
  std::unique_ptr<Mesh> mesh;
  std::vector<FacetOfCell> own, others, backs;
};

class FacetPairsOf : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(Cells, FacetPairsOf, ::testing::ValuesIn(cells_with_area()), name_of);

TEST_P(FacetPairsOf, CoverTheSurfaceWithPointsThatLieOppositeEachOther) {
  const CellKind other = traits(GetParam()).dimension == 3 ? CellKind::tet10 : CellKind::quad8;
  for (const double gap : {0.0, 0.01}) {
    const TwoBoxes boxes(other, GetParam(), 3, 4, 0, gap);
    const NearestFacet others(*boxes.mesh, boxes.others);
    const FacetPairs pairs(*boxes.mesh, others, 2);
    double area = 0;
    for (const FacetOfCell& own : boxes.own) {
      const FacetCover cover = pairs.of(own, 0.1);
      EXPECT_NEAR(cover.share, 1, 1e-12);
      const CellMap cell(*boxes.mesh, own.cell);
      for (const FacetPair& pair : cover.pairs) {
        const CellMap other_cell(*boxes.mesh, pair.other.cell);
        for (const PairPoint& p : pair.points) {
          area += p.weight;
          EXPECT_LT(distance(point_at(shape_of(cell, own.facet), p.own), p.at), 1e-13);
          EXPECT_LT(distance(point_at(shape_of(other_cell, pair.other.facet), p.other), minus(p.at, p.gap)), 1e-13);
          EXPECT_NEAR(length(p.gap), gap, 1e-13);
        }
      }
    }
    EXPECT_NEAR(area, 1, 1e-12);
  }
}

TEST(FacetPairs, CoverTheShareThatLiesOppositeAndWithinReach) {
  const TwoBoxes boxes(CellKind::hex8, CellKind::hex8, 2, 1, 0.3, 0.01);
  const NearestFacet others(*boxes.mesh, boxes.others);
  const FacetPairs pairs(*boxes.mesh, others, 2);
  EXPECT_NEAR(pairs.of(boxes.own.front(), 0.011).share, 0.7, 1e-12);
  EXPECT_EQ(pairs.of(boxes.own.front(), 0.011).pairs.size(), 4U);
  EXPECT_EQ(pairs.of(boxes.own.front(), 0.009).pairs.size(), 0U);
}

TEST(FacetPairs, LeaveOutTheBackOfAThinSheet) {
  for (const CellKind kind : {CellKind::tet4, CellKind::hex8, CellKind::tri3, CellKind::quad4}) {
    TwoBoxes boxes(kind, kind, 2, 1, 0, 0, 0.01);
    boxes.others.insert(boxes.others.end(), boxes.backs.begin(), boxes.backs.end());
    const NearestFacet others(*boxes.mesh, boxes.others);
    EXPECT_NEAR(FacetPairs(*boxes.mesh, others, 2).of(boxes.own.front(), 0.1).share, 1, 1e-12);
  }
}

// Length of an arc of radius 1 opposite to one of radius 1.5, up to that of the parabolas.
TEST(FacetPairs, CoverBentFacets) {
  MeshData data = rectangle_data(3, 1, {1, 0.5}, CellKind::quad8);
  transform_points(data, [](std::span<double, 3> x) {
    const double angle = x[0], r = 1 + x[1];
    x[0] = r * std::sin(angle), x[1] = r * std::cos(angle);
  });
  const Mesh mesh(std::move(data));
  const NearestFacet others(mesh, mesh.region("y1").facets);
  const FacetPairs pairs(mesh, others, 4);
  double sum = 0;
  for (const FacetOfCell& own : mesh.region("y0").facets) {
    const FacetCover cover = pairs.of(own, 0.6);
    EXPECT_NEAR(cover.share, 1, 1e-12);
    for (const FacetPair& pair : cover.pairs)
      for (const PairPoint& p : pair.points) sum += p.weight;
  }
  EXPECT_NEAR(sum, 1, 1e-4);
}

}  // namespace
}  // namespace ritz::testing
