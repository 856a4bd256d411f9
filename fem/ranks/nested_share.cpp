#include "fem/ranks/nested_share.hpp"

#include "fem/preconditioners/over_ranks.hpp"
#include "fem/space/nested_nodes.hpp"
#include "mesh/refinement/looks_refined.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

NestedLevels levels_of(const FunctionSpace& space) {
  const bool for_simplices = !space.has_pattern() && space.order() <= 2 && looks_refined(space.mesh()) &&
                             std::ranges::all_of(space.mesh().blocks(), [](const CellBlock& block) {
                               const CellKind kind = traits(block.kind).linear;
                               return kind == CellKind::tet4 || kind == CellKind::tri3;
                             });
  if (for_simplices) space.pattern();
  NestedLevels levels = nested_nodes(space);
  if (for_simplices) space.forget_pattern();
  return levels;
}

}  // namespace

NestedLevels nested_levels_of_rank(const FunctionSpace& whole, const std::vector<Index>& first, int rank) {
  auto phase = whole.device().profile().phase("nested levels");
  const NestedLevels levels = levels_of(whole);
  if (levels == nullptr) return nullptr;
  return std::move(divide(*levels, first, whole.components(), replicated_unknowns())[static_cast<std::size_t>(rank)]);
}

}  // namespace ritz
