// The measured model of the memory of hierarchies, compared with real ones. After a change of how levels are stored or
// set up, measure again and fit the constants of solvers/multigrid/hierarchy_needs.cpp:
//
//   build/bin/measure_hierarchies | tools/fit_hierarchies.py
#include "fem/operator/space_needs.hpp"
#include "tests/memory/hierarchy_models.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace ritz::testing {
namespace {

void compare(const Physics& physics, CellKind kind, Index n, int order = 0) {
  const System s = model(physics, kind, n, order, Device::named("cpu", 2));
  for (const bool single : {true, false}) {
    const HierarchyNeeds needs = hierarchy_needs(shape_of(s), single);
    const Taken taken = taken_by(s, single);
    const std::string name = std::string(physics.name) + " " + std::string(traits(kind).name) + ", order " +
                             std::to_string(order) + (single ? ", single" : ", double");
    printf("%-36s rows %6ld: live %5.1f MB (%.2f of it foreseen), set-up %5.1f MB (%.2f), refresh %5.1f MB (%.2f)\n",
           name.c_str(), long(s.K->pattern().rows()), 1e-6 * double(taken.live),
           double(needs.live.total()) / double(taken.live), 1e-6 * double(taken.set_up),
           double(needs.set_up.total()) / double(taken.set_up), 1e-6 * double(taken.refresh),
           double(needs.refresh.total()) / double(taken.refresh));
    // In small ones, the shapes of aggregates and threads' stores weigh more.
    const auto tolerance = [](Index bytes) { return std::max(0.2 * double(bytes), 2e6); };
    EXPECT_NEAR(double(needs.live.total()), double(taken.live), tolerance(taken.live)) << name;
    EXPECT_NEAR(double(needs.set_up.total()), double(taken.set_up), tolerance(taken.set_up)) << name;
    EXPECT_NEAR(double(needs.refresh.total()), double(taken.refresh), 1.25 * tolerance(taken.refresh)) << name;
  }
}

TEST(HierarchyNeeds, OfSolidsAreNearWhatIsTaken) {
  for (const auto& [kind, n] : std::vector<std::pair<CellKind, Index>>{{CellKind::tet4, 27},
                                                                       {CellKind::hex8, 27},
                                                                       {CellKind::hex8, 28},
                                                                       {CellKind::tet10, 13},
                                                                       {CellKind::hex20, 14},
                                                                       {CellKind::prism6, 25},
                                                                       {CellKind::pyramid5, 21}})
    compare(heat, kind, n);
  compare(heat, CellKind::tet4, 8, 3);
  for (const auto& [kind, n] : std::vector<std::pair<CellKind, Index>>{{CellKind::tet4, 13},
                                                                       {CellKind::hex8, 13},
                                                                       {CellKind::hex8, 12},
                                                                       {CellKind::tet10, 7},
                                                                       {CellKind::hex27, 6},
                                                                       {CellKind::prism6, 13}})
    compare(elasticity, kind, n);
  compare(elasticity, CellKind::hex8, 4, 3);
}

TEST(HierarchyNeeds, OfPlatesAreNearWhatIsTaken) {
  for (const Physics& physics : {heat, elasticity}) {
    const Index fewer = physics.elastic ? 2 : 3;
    for (const auto& [kind, n] : std::vector<std::pair<CellKind, Index>>{{CellKind::tri3, 57},
                                                                         {CellKind::quad4, 57},
                                                                         {CellKind::quad4, 56},
                                                                         {CellKind::tri6, 28},
                                                                         {CellKind::quad8, 28}})
      compare(physics, kind, n * fewer);
    for (const CellKind kind : {CellKind::tri3, CellKind::quad4}) compare(physics, kind, 20 * fewer, 3);
  }
}

// Small hierarchies over nested meshes are little more than their inverse.
TEST(HierarchyNeeds, CountADenseInverseOfAKnownSize) {
  for (const auto& [physics, kind, n] : std::vector<std::tuple<Physics, CellKind, Index>>{
           {elasticity, CellKind::hex8, 6}, {elasticity, CellKind::tet4, 6}, {heat, CellKind::hex8, 14}}) {
    const System s = model(physics, kind, n, 0, Device::named("cpu", 2));
    HierarchyShape shape = shape_of(s);
    shape.inverse = unknowns_of_inverse(*s.space, shape.nesting);
    ASSERT_GT(shape.inverse, 300) << physics.name << " " << traits(kind).name;
    for (const bool single : {true, false}) {
      const HierarchyNeeds needs = hierarchy_needs(shape, single);
      const Taken taken = taken_by(s, single);
      EXPECT_NEAR(double(needs.live.total()), double(taken.live), 0.15 * double(taken.live)) << physics.name;
      EXPECT_NEAR(double(needs.set_up.total()), double(taken.set_up), 0.15 * double(taken.set_up)) << physics.name;
    }
  }
}

}  // namespace
}  // namespace ritz::testing
