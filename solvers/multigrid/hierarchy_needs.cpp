#include "solvers/multigrid/hierarchy_needs.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

// live = per_entry * nonzeros * block^2 + per_unknown * rows * block + constant, by least squares of relative errors, the larger the
// heavier, over boxes of tet4, hex8, tet10, hex20, hex27 and prism6 in three or four sizes each (tests/memory/hierarchy_needs_test.cpp
// prints them; heat 5 000 to 150 000 unknowns, elasticity 5 000 to 230 000), with two threads, 21 November 2026. From 20 MB on the
// hierarchy is within 0.86 to 1.12 of what is taken; below, how aggregates happen to fall says as much.
struct Fit {
  double per_entry, per_unknown, constant;  // constant: dense coarsest matrix, and threads' stores
  double operator()(const HierarchyShape& s) const {
    const double bytes = per_entry * double(s.nonzeros) * s.block * s.block + per_unknown * double(s.rows) * s.block;
    return bytes + std::min(constant, bytes);
  }
};

// What stands beside it for a while. In a set-up: transfers and the next matrix in double precision, and half of the product. Panels
// were of 16 MB then, and are of 2 MB now (triple_product_cpu.hpp). In a refresh: all transfers in double
// precision beside the old ones. Fitted to the same boxes: live and this are within 0.82 to 1.14 of a set-up of 20 MB and more, and within
// 0.77 to 1.22 of a refresh.
struct Extra {
  double per_entry, per_unknown;
  double operator()(const HierarchyShape& s) const { return per_entry * double(s.nonzeros) * s.block * s.block + per_unknown * double(s.rows) * s.block; }
};

struct Fits {
  Fit live;
  Extra set_up, refresh;
};

constexpr Fits scalar[2] = {{{14.8, 258, 0.2e6}, {2.7, 25}, {6.6, 243}}, {{10.6, 151, 0.04e6}, {2.5, 82}, {7.3, 229}}};  // in double, in single precision
constexpr Fits vectors[2] = {{{7.5, 610, 3.1e6}, {0.4, 318}, {0, 854}}, {{3.8, 329, 1.4e6}, {0.1, 424}, {0, 838}}};
// Scalars on hex8 that are no refinement: a box of 35 cells, 22 November 2026.
constexpr Fits brick_scalar[2] = {{{21.7, 0, 0}, {3.7, 0}, {11, 0}}, {{15, 0, 0}, {4.5, 0}, {11.7, 0}}};
constexpr Index brick_row = 23;  // entries: 27 inside, 12 and 18 along edges and faces; prisms have 21, tetrahedra 15
// hex8 whose coarser levels are nested meshes (0.89 to 1.12 of a set-up, 0.89 to 1.12 of a refresh). What belongs to unknowns cannot be told from
// what belongs to entries there: vectors of the cycle, and a guess for the rest.
constexpr Fits nested_scalar[2] = {{{18.9, 100, 0.5e6}, {0, 47}, {11.0, 100}}, {{11.4, 100, 0.3e6}, {0.1, 100}, {10.7, 100}}};
constexpr Fits nested_vectors[2] = {{{12.5, 60, 1.9e6}, {0.1, 100}, {7.5, 100}}, {{6.0, 60, 1.3e6}, {1.3, 100}, {7.6, 100}}};
// Order 2 over order 1 on the same cells, and refined triangles and tetrahedra: tet10, hex20, hex27, prism15, three or four sizes each, as above (0.95 to 1.14, set-up 0.93 to 1.12 from 20 MB on).
constexpr Fits cells_scalar[2] = {{{15.7, 111, 1.1e6}, {0.9, 0}, {5.7, 75}}, {{10.5, 68, 0.9e6}, {1.4, 6}, {5.7, 75}}};
constexpr Fits cells_vectors[2] = {{{9.0, 305, 1.0e6}, {0.9, 0}, {3.3, 165}}, {{5.0, 98, 0.8e6}, {0.9, 40}, {3.3, 165}}};

constexpr const Fits* table[3][2] = {{scalar, vectors}, {nested_scalar, nested_vectors}, {cells_scalar, cells_vectors}};  // [Nesting]

const Fits& fits_of(const HierarchyShape& shape, bool single_precision) {
  if (shape.nesting == Nesting::none && shape.block == 1 && shape.nonzeros > brick_row * shape.rows) return brick_scalar[single_precision];
  return table[static_cast<std::size_t>(shape.nesting)][shape.block == 1 ? 0 : 1][single_precision];
}

constexpr double standing = 0.45;  // of what the set-up takes at most: levels that are done

}  // namespace

HierarchyNeeds hierarchy_needs(const HierarchyShape& shape, bool single_precision) {
  const Fits& fits = fits_of(shape, single_precision);
  // Two bytes less for each entry of the first level; the others are between a tenth and a third of it, of which the tenth is counted on.
  const double saved = single_precision && shape.half_storage ? 2 * 1.1 * double(shape.nonzeros) * shape.block * shape.block : 0;
  const double live = fits.live(shape) - saved, set_up = live + fits.set_up(shape);
  HierarchyNeeds needs;
  needs.live.bytes("multigrid", std::llround(live));
  needs.set_up.bytes("multigrid", std::llround(standing * set_up)).bytes("multigrid set-up", std::llround((1 - standing) * set_up));
  needs.refresh.bytes("multigrid", std::llround(live)).bytes("multigrid set-up", std::llround(fits.refresh(shape)));
  return needs;
}

}  // namespace ritz
