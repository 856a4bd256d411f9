#include "solvers/multigrid/divided_needs.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

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
  const int block = nested || local.block == 1 ? local.block : local.dimension == 3 ? 6 : 3;
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

HierarchyNeeds replicated_needs(const HierarchyShape& local, Index nodes, const DividedAggregationOptions& options) {
  const WholeLevel whole = first_whole(local, nodes, options.replicated);
  const HierarchyShape shape = whole.shape(local.dimension, local.nesting);
  HierarchyNeeds result = hierarchy_needs(shape, options.multigrid.single_precision);
  MemoryNeeds matrix;
  matrix.array<double>("multigrid", shape.nonzeros * shape.block * shape.block)
      .array<std::int32_t>("multigrid", shape.nonzeros)
      .array<double>("multigrid", shape.rows * shape.block, 2);
  result.live += matrix;
  // The dense inverse, in both precisions for a moment; the model of a hierarchy has a part of it.
  const double dense = coarsest_unknowns(whole, local, options.multigrid.coarsest_size);
  result.set_up += matrix;
  result.set_up.bytes("multigrid", std::llround(8 * dense * dense));
  return result;
}

HierarchyNeeds divided_needs(const HierarchyShape& local, Index nodes, const DividedAggregationOptions& options) {
  HierarchyNeeds result = hierarchy_needs(local, options.multigrid.single_precision);
  const HierarchyNeeds more = replicated_needs(local, nodes, options);
  // The first level has lists of its own, and the second one is in double precision until it is packed.
  result.live.array<std::int32_t>("multigrid", local.nonzeros).array<Index>("multigrid", local.rows);
  result.set_up = larger(result.set_up, result.live + more.set_up);
  result.live += more.live;
  result.set_up = larger(result.set_up, result.live);
  return result;
}

}  // namespace ritz
