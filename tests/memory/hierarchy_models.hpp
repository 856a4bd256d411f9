// Boxes and rectangles of which hierarchies are made, and what these take: for the test of the model and for its
// measurement.
#pragma once

#include "fem/space/nested_nodes.hpp"
#include "mesh/lower_order.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"
#include "tests/solvers/multigrid/models.hpp"

namespace ritz::testing {

struct Taken {
  Index live = 0, set_up = 0, refresh = 0;
};

inline Taken taken_by(const System& s, bool single_precision) {
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

inline HierarchyShape shape_of(const System& s) {
  return {s.K->pattern().rows(), s.K->pattern().nonzeros(), s.K->block_size(), s.mesh->dimension(),
          nesting_of(*s.space)};
}

struct Physics {
  const char* name;
  bool elastic;
};
inline constexpr Physics heat{"heat", false}, elasticity{"elasticity", true};

// Systems of n cells along a side, elastic ones in space twice as long. order: of the field, 0: the cells'.
inline System model(const Physics& physics, CellKind kind, Index n, int order, const Device& device) {
  const Lame l = Lame::from(1000, 0.3);
  const bool solid = traits(kind).dimension == 3;
  const Index length = physics.elastic && solid ? 2 : 1;
  Mesh mesh = solid ? box(length * n, n, n, {double(length), 1, 1}, kind) : rectangle(n, n, {1, 1}, kind);
  const FormValue form =
      solid ? (physics.elastic ? FormValue(Elasticity{l.lambda, l.mu}) : FormValue(Diffusion<3>{1}))
            : (physics.elastic ? FormValue(PlaneElasticity::plane_strain(l, 1)) : FormValue(Diffusion<2>{1}));
  Supports held{{"x0", 0}};
  for (int c = 1; physics.elastic && c < traits(kind).dimension; ++c) held.emplace_back("x0", c);
  return make_system(std::move(mesh), physics.elastic ? traits(kind).dimension : 1, {Integral::over_all_cells(form)},
                     held, device, {.order = order});
}

}  // namespace ritz::testing
