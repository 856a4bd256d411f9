// The measured model of what hierarchies take, beside what they take. Whoever changes how levels are stored or set up finds here
// the numbers for the model's constants (solvers/multigrid/hierarchy_needs.cpp).
#include "tests/multigrid/models.hpp"
#include "fem/nested_nodes.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

#include <gtest/gtest.h>

namespace ritz::testing {
namespace {

struct Taken {
  Index live = 0, set_up = 0, refresh = 0;
};

Taken taken_by(const System& s, bool single_precision) {
  MemoryPool& pool = s.K->device().memory();
  pool.trim();
  const Index before = pool.live();
  pool.take_recent_peak();
  SmoothedAggregationOptions options = s.multigrid();
  options.single_precision = single_precision;
  options.nested = [&s] { return nested_nodes(*s.space); };
  SmoothedAggregation hierarchy(*s.K, options);
  Taken taken{pool.live() - before, pool.take_recent_peak() - before};
  hierarchy.refresh();
  taken.refresh = pool.take_recent_peak() - before;
  return taken;
}

void compare(const std::string& name, const System& s) {
  const HierarchyShape shape{s.K->pattern().rows(), s.K->pattern().nonzeros(), s.K->block_size(), s.mesh->dimension(), nesting_of(*s.space)};
  for (const bool single : {true, false}) {
    const HierarchyNeeds needs = hierarchy_needs(shape, single);
    const Taken taken = taken_by(s, single);
    printf("%-18s %s rows %7ld blocks %8ld live %6.1f of %6.1f MB (%.2f), set-up %6.1f of %6.1f MB (%.2f), refresh %6.1f of %6.1f MB (%.2f)\n", name.c_str(), single ? "single" : "double",
           long(shape.rows), long(shape.nonzeros), 1e-6 * double(needs.live.total()), 1e-6 * double(taken.live),
           double(needs.live.total()) / double(taken.live), 1e-6 * double(needs.set_up.total()), 1e-6 * double(taken.set_up),
           double(needs.set_up.total()) / double(taken.set_up), 1e-6 * double(needs.refresh.total()), 1e-6 * double(taken.refresh),
           double(needs.refresh.total()) / double(taken.refresh));
    // Of small ones a fifth says little: how aggregates fall (scalars on hex20 are the worst) and threads' stores weigh more.
    const auto tolerance = [](Index bytes) { return std::max(0.2 * double(bytes), 9e6); };
    EXPECT_NEAR(double(needs.live.total()), double(taken.live), tolerance(taken.live)) << name;
    EXPECT_NEAR(double(needs.set_up.total()), double(taken.set_up), 1.5 * tolerance(taken.set_up)) << name;
    EXPECT_NEAR(double(needs.refresh.total()), double(taken.refresh), 1.5 * tolerance(taken.refresh)) << name;
  }
}

TEST(HierarchyNeeds, AreNearWhatIsTaken) {
  const Device device = Device::named("cpu", 2);
  for (const auto& [kind, n] : std::vector<std::pair<CellKind, Index>>{
           {CellKind::tet4, 36}, {CellKind::hex8, 35}, {CellKind::hex8, 36}, {CellKind::tet10, 16}, {CellKind::hex20, 16}, {CellKind::hex27, 14}, {CellKind::prism6, 30}})
    compare("heat " + std::string(traits(kind).name), heat_cube(kind, n, device));
  for (const auto& [kind, n] : std::vector<std::pair<CellKind, Index>>{
           {CellKind::tet4, 14}, {CellKind::hex8, 13}, {CellKind::hex8, 14}, {CellKind::tet10, 7}, {CellKind::hex20, 7}, {CellKind::hex27, 6}, {CellKind::prism6, 12}})
    compare("elasticity " + std::string(traits(kind).name), cantilever(kind, n, device));
}

}  // namespace
}  // namespace ritz::testing
