// Refinements are seen in the surface of a mesh, wherever they come from.
#include "mesh/generators.hpp"
#include "mesh/refinement/looks_refined.hpp"
#include "mesh/order.hpp"
#include "mesh/refinement/refine.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

constexpr CellKind shapes[] = {CellKind::tri3, CellKind::quad4, CellKind::tet4, CellKind::hex8};

Mesh some(CellKind kind, Index nx, Index ny, double smooth = 0) {
  return traits(kind).dimension == 3 ? box(nx, ny, 2, {3, 2, 1}, kind, {.smooth = smooth})
                                     : rectangle(nx, ny, {3, 2}, kind, {.smooth = smooth});
}

TEST(LooksRefined, RefinedMeshesDo) {
  for (const CellKind kind : shapes) {
    EXPECT_TRUE(looks_refined(refine(some(kind, 3, 1, 0.1)))) << traits(kind).name;
    EXPECT_TRUE(looks_refined(refine(refine(some(kind, 1, 3, 0.1))))) << traits(kind).name;
    EXPECT_TRUE(looks_refined(with_order(refine(some(kind, 3, 5)), 2))) << traits(kind).name;  // with nodes in between
  }
}

TEST(LooksRefined, GridsWithAnOddNumberOfCellsDoNot) {
  for (const CellKind kind : shapes) {
    EXPECT_FALSE(looks_refined(some(kind, 3, 4))) << traits(kind).name;
    EXPECT_FALSE(looks_refined(some(kind, 4, 5))) << traits(kind).name;
    EXPECT_TRUE(looks_refined(some(kind, 4, 4))) << traits(kind).name;
  }
}

TEST(LooksRefined, OneRefinedBodyOfTwoIsNotEnough) {
  for (const CellKind kind : {CellKind::tet4, CellKind::hex8}) {
    const Mesh fine = refine(some(kind, 2, 2)), odd = box(1, 1, 8, {1, 1, 1}, kind);
    MeshData both{.dimension = 3,
                  .points = {fine.points().begin(), fine.points().end()},
                  .blocks = {fine.blocks().begin(), fine.blocks().end()}};
    for (std::size_t i = 0; i < odd.points().size(); ++i) both.points.push_back(odd.points()[i] + 10);
    for (CellBlock block : odd.blocks()) {
      for (Node& node : block.nodes) node += static_cast<Node>(fine.node_count());
      both.blocks.push_back(std::move(block));
    }
    EXPECT_FALSE(looks_refined(Mesh(std::move(both)))) << traits(kind).name;
  }
}

TEST(LooksRefined, CellsOfSeveralShapesDoNot) {
  EXPECT_FALSE(looks_refined(refine(box_mixed(4, 2, 2, {1, 1, 1}))));
  EXPECT_FALSE(looks_refined(refine(box(2, 2, 2, {1, 1, 1}, CellKind::prism6))));
}

}  // namespace
}  // namespace ritz
