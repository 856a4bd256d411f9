// L2: a closed surface has no net area vector, and the divergence theorem for x gives dimension times the volume.
#include "mesh/quality/quality.hpp"
#include "tests/mesh/meshes.hpp"

using namespace ritz;

namespace {

void expect_closed(const Mesh& mesh, double tolerance) {
  Point area{};
  double x_dot_n = 0, total_area = 0;
  for (const FacetOfCell& facet : boundary_facets(mesh)) {
    const FacetIntegrals f = integrate(mesh, facet);
    for (std::size_t k = 0; k < 3; ++k) area[k] += f.area_vector[k];
    x_dot_n += f.x_dot_n;
    total_area += f.area;
  }
  for (const double component : area) EXPECT_NEAR(component, 0, tolerance * total_area);
  const double volume = total_volume(mesh);
  EXPECT_GT(volume, 0);
  EXPECT_NEAR(x_dot_n, mesh.dimension() * volume, tolerance * volume * 10);
}

}  // namespace

class Closure : public ::testing::TestWithParam<CellKind> {};
INSTANTIATE_TEST_SUITE_P(All, Closure, ::testing::ValuesIn(ritz::testing::cells_with_area()), ritz::testing::name_of);

TEST_P(Closure, HoldsForTheReferenceCell) { expect_closed(Mesh(ritz::testing::single_cell(GetParam())), 1e-14); }

TEST_P(Closure, HoldsForRandomCurvedCells) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    expect_closed(Mesh(ritz::testing::single_cell(GetParam(), 0.06, seed)), 1e-14);
}

TEST_P(Closure, HoldsForStraightAndCurvedMeshes) {
  for (const bool curved : {false, true}) {
    const Mesh mesh(ritz::testing::block_of(GetParam(), 3, {.smooth = 0.1, .random = 0.04, .curved = curved}));
    expect_closed(mesh, 1e-13);
  }
}

TEST_P(Closure, DistortionInsideKeepsTheVolumeOfTheBox) {
  for (const bool curved : {false, true}) {
    const Mesh mesh(ritz::testing::block_of(GetParam(), 4, {.smooth = 0.1, .random = 0.05, .curved = curved}));
    const double exact = ritz::testing::volume_of_block(mesh.dimension());
    EXPECT_NEAR(total_volume(mesh), exact, 1e-13 * exact);
  }
}

TEST_P(Closure, EveryFacetOfTheReferenceCellLooksOutward) {
  const Mesh mesh(ritz::testing::single_cell(GetParam()));
  const Point inside = reference_centroid(GetParam());
  for (const FacetOfCell& facet : boundary_facets(mesh)) {
    const Point n = integrate(mesh, facet).area_vector;
    const auto x = mesh.point(mesh.nodes_of(facet)[0]);
    EXPECT_GT(n[0] * (x[0] - inside[0]) + n[1] * (x[1] - inside[1]) + n[2] * (x[2] - inside[2]), 0);
  }
}

TEST(MixedClosure, HoldsForStraightAndCurvedMixedMeshes) {
  for (const int order : {1, 2})
    for (const MidNodes mid_nodes : {MidNodes::serendipity, MidNodes::full})
      for (const bool curved : {false, true}) {
        const Mesh mesh =
            box_mixed(8, 3, 3, {2, 1, 1}, order, mid_nodes, {.smooth = 0.05, .random = 0.03, .curved = curved});
        expect_closed(mesh, 1e-13);
        EXPECT_NEAR(total_volume(mesh), 2, 1e-13);
      }
}
