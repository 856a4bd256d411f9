// Measures the memory of hierarchies for boxes and rectangles of all kinds of cells and fields of several orders, in
// three sizes each: lines that tools/fit_hierarchies.py reads. Some minutes.
#include "tests/memory/hierarchy_models.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

int main() {
  using namespace ritz;
  using namespace ritz::testing;
  const auto measure = [](const Physics& physics, CellKind kind, Index n, int order) {
    const System s = model(physics, kind, n, order, Device::named("cpu", 2));
    const HierarchyShape shape = shape_of(s);
    for (const bool single : {false, true}) {
      const Taken taken = taken_by(s, single);
      printf("taken %d %d %d %d %ld %ld %ld %ld %ld %s-%s-%d\n", shape.dimension, int(shape.nesting), shape.block,
             int(single), long(shape.rows), long(shape.nonzeros), long(taken.live), long(taken.set_up),
             long(taken.refresh), physics.name, traits(kind).name.data(), order);
    }
  };
  for (const Physics& physics : {heat, elasticity})
    for (std::size_t k = 0; k < cell_kind_count; ++k) {
      const auto kind = static_cast<CellKind>(k);
      const CellTraits& t = traits(kind);
      if (t.dimension < 2) continue;
      const bool solid = t.dimension == 3;
      for (const Index nodes : solid ? std::vector<Index>{17, 31, 45} : std::vector<Index>{71, 171, 361}) {
        const double side = double(nodes) *
                            (!physics.elastic ? 1
                             : solid          ? 0.6
                                              : 0.67) *
                            (t.corner_count == 5 ? 0.7 : 1);
        const Index cells = std::llround(side / t.order);
        measure(physics, kind, cells | 1, 0);
        if (t.order == 1 && cells >= 8) measure(physics, kind, cells / 8 * 8, 0);  // a refinement
        for (int order = 3; t.order == 1 && order <= std::min(kind == CellKind::hex8 ? 3
                                                              : solid                ? 4
                                                                                     : 5,
                                                              highest_lagrange_order(kind));
             ++order)  // nodes of an assembled element are few
          if (order == 3 || nodes < 45 || !solid)
            measure(physics, kind, std::max<Index>(3, std::llround(side / order)), order);
      }
    }
}
