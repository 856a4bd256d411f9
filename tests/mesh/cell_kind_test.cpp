#include "tests/mesh/meshes.hpp"

#include <map>
#include <set>

using namespace ritz;
using ::testing::HasSubstr;

class CellKinds : public ::testing::TestWithParam<CellKind> {
 protected:
  const CellTraits& t = traits(GetParam());
};
INSTANTIATE_TEST_SUITE_P(All, CellKinds, ::testing::ValuesIn(all_cell_kinds().begin(), all_cell_kinds().end()),
                         ritz::testing::name_of);

TEST_P(CellKinds, IsFoundByItsName) { EXPECT_EQ(cell_kind_named(t.name), GetParam()); }

TEST_P(CellKinds, EveryFacetHasTheNodesOfItsKind) {
  for (const Facet& facet : t.facets) {
    EXPECT_EQ(std::ssize(facet.nodes), traits(facet.kind).node_count);
    EXPECT_EQ(traits(facet.kind).dimension, t.dimension - 1);
    EXPECT_EQ(std::set<int>(facet.nodes.begin(), facet.nodes.end()).size(), facet.nodes.size());
    for (const int node : facet.nodes) EXPECT_TRUE(node >= 0 && node < t.node_count);
  }
}

TEST_P(CellKinds, EveryEdgeBelongsToTwoFacets) {
  if (t.dimension != 3) return;
  for (const auto& [a, b] : t.edges) {
    int count = 0;
    for (const Facet& facet : t.facets)
      count += std::count(facet.nodes.begin(), facet.nodes.end(), a) == 1 &&
               std::count(facet.nodes.begin(), facet.nodes.end(), b) == 1;
    // a diagonal of a quadrilateral is no edge, so that only the two neighbours hold both ends
    EXPECT_EQ(count, 2);
  }
}

TEST_P(CellKinds, NumbersOfCornersEdgesAndFacesSatisfyEuler) {
  if (t.dimension < 2) return;
  EXPECT_EQ(t.corner_count - std::ssize(t.edges) + std::ssize(t.facets), t.dimension == 3 ? 2 : t.corner_count);
}

TEST_P(CellKinds, FacetNodesSitWhereTheFacetsOwnReferenceNodesDo) {
  const auto nodes = reference_nodes(GetParam());
  for (const Facet& facet : t.facets) {
    const CellTraits& f = traits(facet.kind);
    for (int i = f.corner_count; i < f.node_count; ++i) {
      const auto N = shape_values(f.linear, reference_nodes(facet.kind)[static_cast<std::size_t>(i)]);
      for (std::size_t k = 0; k < 3; ++k) {
        double x = 0;
        for (int c = 0; c < f.corner_count; ++c)
          x += N[static_cast<std::size_t>(c)] *
               nodes[static_cast<std::size_t>(facet.nodes[static_cast<std::size_t>(c)])][k];
        EXPECT_DOUBLE_EQ(x, nodes[static_cast<std::size_t>(facet.nodes[static_cast<std::size_t>(i)])][k]);
      }
    }
  }
}

TEST(CellKind, HasTheNumbersOfVtk) {
  const std::map<std::string_view, std::pair<int, int>> expected = {
      // name -> VTK type, nodes
      {"vertex1", {1, 1}},   {"line2", {3, 2}},       {"line3", {21, 3}},     {"tri3", {5, 3}},
      {"tri6", {22, 6}},     {"quad4", {9, 4}},       {"quad8", {23, 8}},     {"quad9", {28, 9}},
      {"tet4", {10, 4}},     {"tet10", {24, 10}},     {"hex8", {12, 8}},      {"hex20", {25, 20}},
      {"hex27", {29, 27}},   {"prism6", {13, 6}},     {"prism15", {26, 15}},  {"prism18", {32, 18}},
      {"pyramid5", {14, 5}}, {"pyramid13", {27, 13}}, {"pyramid14", {27, 14}}};
  ASSERT_EQ(all_cell_kinds().size(), expected.size());
  for (const CellKind kind : all_cell_kinds()) {
    EXPECT_EQ(traits(kind).vtk_type, expected.at(traits(kind).name).first) << traits(kind).name;
    EXPECT_EQ(traits(kind).node_count, expected.at(traits(kind).name).second) << traits(kind).name;
  }
}

TEST(Hex27, HasFaceCentresInTheOrderOfVtk) {
  const auto x = reference_nodes(CellKind::hex27);
  const std::vector<Point> centres = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}, {0, 0, 0}};
  EXPECT_EQ(std::vector<Point>(x.begin() + 20, x.end()), centres);
}

TEST(Hex20, HasItsUprightEdgesLast) {
  const auto x = reference_nodes(CellKind::hex20);
  EXPECT_EQ(x[8], (Point{0, -1, -1}));
  EXPECT_EQ(x[12], (Point{0, -1, 1}));
  EXPECT_EQ(x[16], (Point{-1, -1, 0}));
  EXPECT_EQ(x[19], (Point{-1, 1, 0}));
}

TEST(Prism18, HasFaceCentresInTheOrderOfVtk) {
  const auto x = reference_nodes(CellKind::prism18);
  EXPECT_EQ(x[15], (Point{0.5, 0, 0}));
  EXPECT_EQ(x[16], (Point{0.5, 0.5, 0}));
  EXPECT_EQ(x[17], (Point{0, 0.5, 0}));
}

TEST(CellKind, AnUnknownNameIsAnErrorThatSuggestsTheNearest) {
  const Error error = ritz::testing::error_of([] { cell_kind_named("hexa8"); });
  EXPECT_EQ(error.exit(), Exit::input);
  EXPECT_THAT(error.message(), HasSubstr("'hexa8'"));
  EXPECT_THAT(error.why(), HasSubstr("'hex8'"));
  EXPECT_THAT(error.fix(), HasSubstr("'pyramid14'"));
}
