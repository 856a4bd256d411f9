#include "solvers/multigrid/hierarchy_needs.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

// Bytes = per_entry * nonzeros * block^2 + per_unknown * rows * block + constant, by least squares of relative errors, the larger the
// heavier, over boxes of tet4, hex8, tet10, hex20, hex27 and prism6 in four sizes each (tests/memory/hierarchy_needs_test.cpp prints
// them; heat 5 000 to 130 000 unknowns, elasticity 5 000 to 107 000), with two threads, 21 November 2026. From 25 MB on the hierarchy is
// within 0.89 to 1.10 of what is taken, its set-up within 0.82 to 1.18; below, how aggregates happen to fall says as much.
struct Fit {
  double per_entry, per_unknown, constant;  // constant: dense coarsest matrix, and threads' stores
  double operator()(const HierarchyShape& s) const {
    const double bytes = per_entry * double(s.nonzeros) * s.block * s.block + per_unknown * double(s.rows) * s.block;
    return bytes + std::min(constant, bytes);
  }
};

struct Fits {
  Fit live, set_up;
};

constexpr Fits scalar[2] = {{{14.8, 258, 0.2e6}, {15.4, 293, 5.0e6}}, {{10.6, 151, 0.04e6}, {10.1, 286, 5.4e6}}};     // in double, in single precision
constexpr Fits vectors[2] = {{{7.5, 610, 3.1e6}, {8.0, 896, 4.2e6}}, {{3.8, 329, 1.4e6}, {2.1, 770, 3.6e6}}};
// hex8 whose coarser levels are nested meshes, seven sizes each (as above from 20 MB on: 0.89 to 1.09, set-up 0.85 to 1.07). What belongs to unknowns
// cannot be told from what belongs to entries there: vectors of the cycle, and a guess for the rest.
constexpr Fits nested_scalar[2] = {{{18.9, 100, 0.5e6}, {14.4, 200, 10.1e6}}, {{11.4, 100, 0.3e6}, {8.6, 200, 11.0e6}}};
constexpr Fits nested_vectors[2] = {{{12.5, 60, 1.9e6}, {12.4, 120, 7.6e6}}, {{6.0, 60, 1.3e6}, {7.15, 120, 5.6e6}}};

// Order 2 over order 1 on the same cells: tet10, hex20, hex27, prism15, four sizes each, as above (from 25 MB on within 0.8 to 1.25).
constexpr Fits cells_scalar[2] = {{{15.7, 111, 1.1e6}, {16.6, 91, 1.5e6}}, {{10.5, 68, 0.9e6}, {11.9, 74, 1.2e6}}};
constexpr Fits cells_vectors[2] = {{{9.0, 305, 1.0e6}, {9.9, 299, 1.3e6}}, {{5.0, 98, 0.8e6}, {5.9, 138, 1.5e6}}};

constexpr const Fits* table[3][2] = {{scalar, vectors}, {nested_scalar, nested_vectors}, {cells_scalar, cells_vectors}};  // [Nesting]

// The first two fits were made while R A P was made of the whole of A P, which took this much per unknown (1.03 M unknowns of heat, 0.6 M of
// elasticity, on tetrahedra of order 1 and 2: 149 to 208 and 403 to 457). Now it is made by panels that aim at 16 MB (triple_product_cpu.hpp);
// 48 MB for them and what belongs to them is what fits the peaks that were measured.
constexpr double product_of_scalars = 160, product_of_vectors = 430, panel = 48e6;

constexpr double standing = 0.45;  // of what the set-up takes at most: levels that are done

}  // namespace

HierarchyNeeds hierarchy_needs(const HierarchyShape& shape, bool single_precision) {
  const Fits& fits = table[static_cast<std::size_t>(shape.nesting)][shape.block == 1 ? 0 : 1][single_precision];
  const double product = shape.nesting == Nesting::cells ? 0 : (shape.block == 1 ? product_of_scalars : product_of_vectors) * double(shape.rows) * shape.block;
  const double set_up = std::max(fits.live(shape), fits.set_up(shape) - std::max(0.0, product - panel));
  // Two bytes less for each entry of the first level; the others are between a tenth and a third of it, of which the tenth is counted on.
  const double saved = single_precision && shape.half_storage ? 2 * 1.1 * double(shape.nonzeros) * shape.block * shape.block : 0;
  HierarchyNeeds needs;
  needs.live.bytes("multigrid", std::llround(fits.live(shape) - saved));
  needs.set_up.bytes("multigrid", std::llround(standing * (set_up - saved))).bytes("multigrid set-up", std::llround((1 - standing) * (set_up - saved)));
  return needs;
}

}  // namespace ritz
