#include "solvers/multigrid/hierarchy_needs.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

// Bytes = per_entry * nonzeros * block^2 + per_unknown * rows * block + rounding, by least squares of relative errors over boxes of
// tet4, hex8, tet10, hex20, hex27 and prism6 (tests/memory/hierarchy_needs_test.cpp prints them), with two threads, 21 November
// 2026. Off by up to 0.15 for elasticity and 0.35 for heat on quadratic hexahedra.
struct Fit {
  double per_entry, per_unknown;
  double operator()(const HierarchyShape& s) const {
    const double bytes = per_entry * double(s.nonzeros) * s.block * s.block + per_unknown * double(s.rows) * s.block;
    return bytes + std::min(rounding, bytes);
  }
  static constexpr double rounding = 4e6;  // of some large arrays to the pool's blocks, and of threads' stores
};

struct Fits {
  Fit live, set_up;
};

constexpr Fits scalar[2] = {{{10.9, 220}, {9.5, 422}}, {{5.35, 156}, {3.05, 465}}};     // in double, in single precision
constexpr Fits vectors[2] = {{{7.0, 640}, {6.2, 1088}}, {{3.0, 342}, {0.4, 1153}}};
constexpr double standing = 0.45;  // of what the set-up takes at most: levels that are done

}  // namespace

HierarchyNeeds hierarchy_needs(const HierarchyShape& shape, bool single_precision) {
  const Fits& fits = (shape.block == 1 ? scalar : vectors)[single_precision];
  const double set_up = fits.set_up(shape);
  HierarchyNeeds needs;
  needs.live.bytes("multigrid", std::llround(fits.live(shape)));
  needs.set_up.bytes("multigrid", std::llround(standing * set_up)).bytes("multigrid set-up", std::llround((1 - standing) * set_up));
  return needs;
}

}  // namespace ritz
