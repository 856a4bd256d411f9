#include "solvers/multigrid/hierarchy_needs.hpp"

#include "solvers/algebra/multi_vector.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

// per_entry * nonzeros * block^2 + per_unknown * rows * block + constant [bytes], the constant no more than the rest:
// the dense coarsest matrix, and threads' stores. If rows are alike, entries and unknowns cannot be distinguished.
struct Fit {
  double per_entry, per_unknown, constant;
  double of_levels(const HierarchyShape& s) const {
    return per_entry * double(s.nonzeros) * s.block * s.block + per_unknown * double(s.rows) * s.block;
  }
  double operator()(const HierarchyShape& s) const {
    const double bytes = of_levels(s);
    return bytes + std::min(constant, bytes);
  }
};

struct Fits {
  Fit live, set_up, refresh;
};

// By tools/fit_hierarchies.py from the measurements of tests/memory/measure_hierarchies.cpp, over boxes and rectangles
// of all kinds of cells and fields of order 1 to 5 in three sizes each (heat 5 000 to 130 000 unknowns, elasticity 5
// 000 to 130 000), with two threads, 22 November 2026. From 8 MB on the hierarchy is within 0.88 to 1.10 of the
// measured one, a set-up within 0.89 to 1.13 (prisms of order 3: 0.63 of one), a refresh within 0.81 to 1.22. The
// inverse of a cycle in single precision is in double: its numbers are those of 1 December 2026 where these are nearer,
// from 8 MB on within 0.87 to 1.11, on aggregates of orders 3 and 4 within 0.80 to 1.13.
constexpr Fits table[2][3][2][2] = {  // [plane, solid][Nesting][scalars, vectors][in double, in single precision]
    {{{{{14.4, 141, 0.25e6}, {14.0, 152, 1.03e6}, {18.5, 234, 1.49e6}},
       {{10.5, 85, 0.23e6}, {9.4, 127, 0.92e6}, {13.7, 184, 1.49e6}}},
      {{{7.7, 254, 0.35e6}, {8.4, 303, 0.47e6}, {7.9, 492, 1.40e6}},
       {{3.9, 139, 0.37e6}, {4.3, 241, 0.32e6}, {4.2, 370, 1.40e6}}}},
     {{{{0.0, 294, 1.10e6}, {0.0, 286, 2.04e6}, {0.0, 453, 2.15e6}},
       {{0.0, 196, 1.10e6}, {0.0, 214, 1.40e6}, {0.0, 352, 2.15e6}}},
      {{{0.0, 385, 0.81e6}, {0.0, 378, 1.63e6}, {0.0, 614, 1.83e6}},
       {{0.0, 206, 0.81e6}, {13.7, 0, 1.05e6}, {0.0, 417, 1.83e6}}}},
     {{{{13.1, 158, 1.05e6}, {12.1, 158, 1.89e6}, {17.4, 244, 2.29e6}},
       {{9.4, 100, 1.05e6}, {10.7, 103, 0.89e6}, {11.6, 228, 1.41e6}}},
      {{{9.1, 186, 0.81e6}, {9.2, 177, 1.60e6}, {11.8, 319, 1.87e6}},
       {{4.9, 97, 0.81e6}, {6.3, 105, 0.83e6}, {7.4, 251, 1.31e6}}}}},
    {{{{{15.1, 142, 0.33e6}, {15.6, 166, 0.98e6}, {19.5, 287, 1.25e6}},
       {{10.1, 94, 0.33e6}, {10.6, 151, 0.82e6}, {14.2, 247, 1.25e6}}},
      {{{8.1, 561, 0.00e6}, {8.6, 813, 0.00e6}, {8.7, 1236, 0.45e6}},
       {{4.1, 289, 0.00e6}, {4.5, 637, 0.00e6}, {4.7, 955, 0.52e6}}}},
     {{{{4.9, 390, 0.06e6}, {20.9, 0, 0.53e6}, {0.0, 755, 1.76e6}},
       {{1.7, 300, 0.06e6}, {15.7, 0, 0.50e6}, {0.0, 607, 1.07e6}}},
      {{{12.6, 0, 0.24e6}, {12.3, 105, 0.32e6}, {16.6, 115, 1.56e6}},
       {{6.0, 43, 0.24e6}, {7.8, 70, 0.27e6}, {12.1, 0, 1.52e6}}}},
     {{{{14.5, 106, 0.38e6}, {15.0, 84, 1.02e6}, {17.8, 200, 1.27e6}},
       {{9.6, 72, 0.38e6}, {10.2, 78, 0.90e6}, {12.8, 162, 1.27e6}}},
      {{{9.3, 173, 0.17e6}, {9.8, 179, 0.44e6}, {11.0, 374, 0.89e6}},
       {{4.7, 91, 0.17e6}, {5.3, 137, 0.40e6}, {6.7, 257, 0.89e6}}}}}};

constexpr double standing = 0.45;  // fraction of the set-up's peak: completed levels

// A single level: its matrix, the diagonal, the vectors of a cycle and the inverse, which is in double precision.
HierarchyNeeds needs_of_inverse(const HierarchyShape& shape, double real) {
  const double n = double(shape.rows) * shape.block;
  HierarchyNeeds needs;
  needs.live.bytes("multigrid", std::llround(real * (double(shape.nonzeros) * shape.block * shape.block + 5 * n) +
                                             8 * n * n + 8.0 * double(shape.rows)));
  needs.set_up = needs.live;
  needs.refresh = needs.live + MemoryNeeds().bytes("multigrid", std::llround(8 * n * n));
  return needs;
}

// The room in which threads collect rows of a coarser matrix (solvers/multigrid/sparse_rows_cpu.hpp), of two threads:
// columns and values of products, or the values of products over nested nodes alone.
double threads_stores(Nesting nesting) { return (nesting == Nesting::none ? 4 : 2) * double(256 << 10); }

// Levels and the dense inverse apart from each other: a refresh makes the new one while the old one exists.
HierarchyNeeds needs_with_inverse(const HierarchyShape& shape, const Fits& fits, double saved) {
  const double inverse = 8 * double(shape.inverse) * double(shape.inverse);  // [bytes]
  const double live = fits.live.of_levels(shape) - saved + inverse;
  const double stores = threads_stores(shape.nesting);
  const double levels = std::max(fits.set_up(shape), fits.set_up.of_levels(shape) + stores) - saved;
  const double values = std::max(fits.refresh(shape), fits.refresh.of_levels(shape) + stores) - saved;
  HierarchyNeeds needs;
  needs.live.bytes("multigrid", std::llround(live));
  if (live > levels) needs.set_up.bytes("multigrid", std::llround(live));
  else
    needs.set_up.bytes("multigrid", std::llround(standing * levels))
        .bytes("multigrid set-up", std::llround((1 - standing) * levels));
  needs.refresh.bytes("multigrid", std::llround(live))
      .bytes("multigrid set-up", std::llround(std::max(inverse, values - live)));
  return needs;
}

// A level of a hierarchy that every rank has for itself.
struct WholeLevel {
  Index nodes;
  int block;
  double row;  // blocks
  HierarchyShape shape(int dimension, Nesting nesting) const {
    return {.rows = nodes,
            .nonzeros = std::llround(row * double(nodes)),
            .block = block,
            .dimension = dimension,
            .nesting = nesting};
  }
};

// Half of the nodes in each direction, or an aggregate for each node with those around it.
WholeLevel coarser(const WholeLevel& level, const HierarchyShape& local) {
  const bool nested = local.nesting != Nesting::none;
  const double fewer = nested ? std::pow(2.0, local.dimension) : level.row;
  const int block = nested || local.block == 1 ? local.block : local.dimension == 3 || local.block == 3 ? 6 : 3;
  return {std::max<Index>(1, std::llround(double(level.nodes) / std::max(2.0, fewer))), block, level.row};
}

// The first level of at most so many unknowns that every rank has.
WholeLevel first_whole(const HierarchyShape& local, Index nodes, Index replicated) {
  WholeLevel level{nodes, local.block, double(local.nonzeros) / double(std::max<Index>(1, local.rows))};
  do level = coarser(level, local);
  while (level.nodes * level.block > replicated);
  return level;
}

// Those that a dense inverse solves.
double coarsest_unknowns(WholeLevel level, const HierarchyShape& local, Index most) {
  while (level.nodes * level.block > most) level = coarser(level, local);
  return double(level.nodes * level.block);
}

}  // namespace

HierarchyNeeds hierarchy_needs(const HierarchyShape& shape, bool single_precision) {
  const Fits& fits = table[shape.dimension == 2 ? 0 : 1][static_cast<std::size_t>(shape.nesting)]
                          [shape.block == 1 ? 0 : 1][single_precision];
  // Two bytes less for each entry of the first level; the others are between a tenth and a third of it, of which the
  // tenth is counted on.
  const double saved =
      single_precision && shape.half_storage ? 2 * 1.1 * double(shape.nonzeros) * shape.block * shape.block : 0;
  const double real = single_precision ? sizeof(float) : sizeof(double);
  if (shape.inverse > 0 && shape.inverse == shape.rows * shape.block) return needs_of_inverse(shape, real);
  if (shape.inverse > 0) return needs_with_inverse(shape, fits, saved);
  const double live = fits.live(shape) - saved, set_up = std::max(live, fits.set_up(shape) - saved),
               refresh = std::max(live, fits.refresh(shape) - saved);
  HierarchyNeeds needs;
  needs.live.bytes("multigrid", std::llround(live));
  needs.set_up.bytes("multigrid", std::llround(standing * set_up))
      .bytes("multigrid set-up", std::llround((1 - standing) * set_up));
  needs.refresh.bytes("multigrid", std::llround(live)).bytes("multigrid set-up", std::llround(refresh - live));
  return needs;
}

// Coarser levels have a tenth of the unknowns.
MemoryNeeds lanes_of_cycle(Index unknowns, bool single_precision) {
  const Index items = unknowns * MultiVector::lanes;
  MemoryNeeds needs;
  if (single_precision) return needs.array<float>("multigrid", items, 4).array<float>("multigrid", items / 10, 4);
  return needs.array<double>("multigrid", items, 4).array<double>("multigrid", items / 10, 4);
}

HierarchyNeeds replicated_needs(const HierarchyShape& local, Index nodes, const SmoothedAggregationOptions& options) {
  const WholeLevel whole = first_whole(local, nodes, options.replicated);
  HierarchyShape shape = whole.shape(local.dimension, local.nesting);
  const double dense = coarsest_unknowns(whole, local, options.coarsest_size);
  // For vectors the inverse is a small part of the levels.
  if (shape.block == 1 && local.nesting != Nesting::none) shape.inverse = std::llround(dense);
  HierarchyNeeds result = hierarchy_needs(shape, options.single_precision);
  MemoryNeeds matrix;
  matrix.array<double>("multigrid", shape.nonzeros * shape.block * shape.block)
      .array<std::int32_t>("multigrid", shape.nonzeros)
      .array<double>("multigrid", shape.rows * shape.block, 2);
  result.live += matrix;
  result.set_up += matrix;
  // The dense inverse, where its size is not known; the model of a hierarchy has a part of it.
  if (shape.inverse == 0) result.set_up.bytes("multigrid", std::llround(8 * dense * dense));
  return result;
}

HierarchyNeeds hierarchy_needs(const HierarchyShape& local, Index nodes, const SmoothedAggregationOptions& options) {
  HierarchyNeeds result = hierarchy_needs(local, options.single_precision);
  const HierarchyNeeds more = replicated_needs(local, nodes, options);
  // The first level has lists of its own.
  result.live.array<std::int32_t>("multigrid", local.nonzeros).array<Index>("multigrid", local.rows);
  // The share of the first level: in small models, where these levels decide, every rank has those below it.
  constexpr double first_level = 0.9;
  const MemoryNeeds above = MemoryNeeds().bytes("multigrid", std::llround(first_level * double(result.live.total())));
  result.set_up = larger(result.set_up, above + more.set_up);
  result.live += more.live;
  result.set_up = larger(result.set_up, result.live);
  return result;
}

}  // namespace ritz
