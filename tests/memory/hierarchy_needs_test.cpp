// The measured model of what hierarchies take, beside what they take. Whoever changes how levels are stored or set up measures anew and
// fits the constants of solvers/multigrid/hierarchy_needs.cpp:
//
//   build/bin/test_memory --gtest_also_run_disabled_tests --gtest_filter='*MeasuredForTheModel' | tools/fit_hierarchies.py
#include "tests/multigrid/models.hpp"
#include "fem/nested_nodes.hpp"
#include "mesh/lower_order.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

#include <gtest/gtest.h>

namespace ritz::testing {
namespace {

struct Taken {
  Index live = 0, set_up = 0, refresh = 0;
};

Taken taken_by(const System& s, bool single_precision) {
  MemoryPool& pool = s.K->device().memory();
  SmoothedAggregationOptions options = s.multigrid();
  pool.trim();
  const Index before = pool.live();
  pool.take_recent_peak();
  options.single_precision = single_precision;
  options.nested = [&s] { return nested_nodes(*s.space); };
  SmoothedAggregation hierarchy(*s.K, options);
  Taken taken{pool.live() - before, pool.take_recent_peak() - before};
  hierarchy.refresh();
  taken.refresh = pool.take_recent_peak() - before;
  return taken;
}

HierarchyShape shape_of(const System& s) {
  return {s.K->pattern().rows(), s.K->pattern().nonzeros(), s.K->block_size(), s.mesh->dimension(), nesting_of(*s.space)};
}

struct Physics {
  const char* name;
  bool elastic;
};
constexpr Physics heat{"heat", false}, elasticity{"elasticity", true};

// Of n cells along a side, elastic ones in space twice as long. order: of the field, 0: the cells'.
System model(const Physics& physics, CellKind kind, Index n, int order, const Device& device) {
  const Lame l = Lame::from(1000, 0.3);
  const bool solid = traits(kind).dimension == 3;
  const Index length = physics.elastic && solid ? 2 : 1;
  Mesh mesh = solid ? box(length * n, n, n, {double(length), 1, 1}, kind) : rectangle(n, n, {1, 1}, kind);
  const FormValue form = solid ? (physics.elastic ? FormValue(Elasticity{l.lambda, l.mu}) : FormValue(Diffusion<3>{1}))
                               : (physics.elastic ? FormValue(PlaneElasticity::plane_strain(l, 1)) : FormValue(Diffusion<2>{1}));
  Supports held{{"x0", 0}};
  for (int c = 1; physics.elastic && c < traits(kind).dimension; ++c) held.emplace_back("x0", c);
  return make_system(std::move(mesh), physics.elastic ? traits(kind).dimension : 1, {Integral::over_all_cells(form)}, held, device, {.order = order});
}

void compare(const Physics& physics, CellKind kind, Index n, int order = 0) {
  const System s = model(physics, kind, n, order, Device::named("cpu", 2));
  for (const bool single : {true, false}) {
    const HierarchyNeeds needs = hierarchy_needs(shape_of(s), single);
    const Taken taken = taken_by(s, single);
    const std::string name = std::string(physics.name) + " " + std::string(traits(kind).name) + ", order " + std::to_string(order) + (single ? ", single" : ", double");
    printf("%-36s rows %6ld: live %5.1f MB (%.2f of it foreseen), set-up %5.1f MB (%.2f), refresh %5.1f MB (%.2f)\n", name.c_str(), long(s.K->pattern().rows()),
           1e-6 * double(taken.live), double(needs.live.total()) / double(taken.live), 1e-6 * double(taken.set_up),
           double(needs.set_up.total()) / double(taken.set_up), 1e-6 * double(taken.refresh), double(needs.refresh.total()) / double(taken.refresh));
    // Of small ones how aggregates fall and threads' stores weigh more.
    const auto tolerance = [](Index bytes) { return std::max(0.2 * double(bytes), 2e6); };
    EXPECT_NEAR(double(needs.live.total()), double(taken.live), tolerance(taken.live)) << name;
    EXPECT_NEAR(double(needs.set_up.total()), double(taken.set_up), tolerance(taken.set_up)) << name;
    EXPECT_NEAR(double(needs.refresh.total()), double(taken.refresh), 1.25 * tolerance(taken.refresh)) << name;
  }
}

TEST(HierarchyNeeds, OfSolidsAreNearWhatIsTaken) {
  for (const auto& [kind, n] : std::vector<std::pair<CellKind, Index>>{
           {CellKind::tet4, 27}, {CellKind::hex8, 27}, {CellKind::hex8, 28}, {CellKind::tet10, 13}, {CellKind::hex20, 14}, {CellKind::prism6, 25}, {CellKind::pyramid5, 21}})
    compare(heat, kind, n);
  compare(heat, CellKind::tet4, 8, 3);
  for (const auto& [kind, n] : std::vector<std::pair<CellKind, Index>>{
           {CellKind::tet4, 13}, {CellKind::hex8, 13}, {CellKind::hex8, 12}, {CellKind::tet10, 7}, {CellKind::hex27, 6}, {CellKind::prism6, 13}})
    compare(elasticity, kind, n);
  compare(elasticity, CellKind::hex8, 4, 3);
}

TEST(HierarchyNeeds, OfPlatesAreNearWhatIsTaken) {
  for (const Physics& physics : {heat, elasticity}) {
    const Index fewer = physics.elastic ? 2 : 3;
    for (const auto& [kind, n] : std::vector<std::pair<CellKind, Index>>{{CellKind::tri3, 57}, {CellKind::quad4, 57}, {CellKind::quad4, 56}, {CellKind::tri6, 28}, {CellKind::quad8, 28}})
      compare(physics, kind, n * fewer);
    for (const CellKind kind : {CellKind::tri3, CellKind::quad4}) compare(physics, kind, 20 * fewer, 3);
  }
}

// Prints what tools/fit_hierarchies.py reads; some minutes.
TEST(HierarchyNeeds, DISABLED_AreMeasuredForTheModel) {
  const auto measure = [](const Physics& physics, CellKind kind, Index n, int order) {
    const System s = model(physics, kind, n, order, Device::named("cpu", 2));
    const HierarchyShape shape = shape_of(s);
    for (const bool single : {false, true}) {
      const Taken taken = taken_by(s, single);
      printf("taken %d %d %d %d %ld %ld %ld %ld %ld %s-%s-%d\n", shape.dimension, int(shape.nesting), shape.block, int(single), long(shape.rows), long(shape.nonzeros),
             long(taken.live), long(taken.set_up), long(taken.refresh), physics.name, traits(kind).name.data(), order);
    }
  };
  for (const Physics& physics : {heat, elasticity})
    for (std::size_t k = 0; k < cell_kind_count; ++k) {
      const auto kind = static_cast<CellKind>(k);
      const CellTraits& t = traits(kind);
      if (t.dimension < 2) continue;
      const bool solid = t.dimension == 3;
      for (const Index nodes : solid ? std::vector<Index>{17, 31, 45} : std::vector<Index>{71, 171, 361}) {
        const double side = double(nodes) * (!physics.elastic ? 1 : solid ? 0.6 : 0.67) * (t.corner_count == 5 ? 0.7 : 1);
        const Index cells = std::llround(side / t.order);
        measure(physics, kind, cells | 1, 0);
        if (t.order == 1) measure(physics, kind, cells / 8 * 8, 0);  // a refinement
        for (int order = 3; t.order == 1 && order <= std::min(kind == CellKind::hex8 ? 3 : solid ? 4 : 5, highest_lagrange_order(kind)); ++order)  // nodes of an assembled element are few
          if (order == 3 || nodes < 45 || !solid) measure(physics, kind, std::max<Index>(3, std::llround(side / order)), order);
      }
    }
}

}  // namespace
}  // namespace ritz::testing
