#include "fem/space_needs.hpp"

#include "fem/nested_nodes.hpp"

namespace ritz {

Index pairs_of_nodes(const FunctionSpace& space) {
  return space.has_pattern() ? space.pattern()->nonzeros() : pattern_size(entity_counts(space.mesh()), space.isoparametric() ? 0 : space.order()).pairs;
}

SpaceNeeds needs_of(const FunctionSpace& space, int cases, bool counted) {
  SpaceNeeds needs{.size = {space.node_count(), 0}, .block = space.components()};
  for (const auto& [tag, bytes] : space.device().memory().statistics().live_by_tag) needs.standing.bytes(tag, bytes);
  if (!needs.standing.by_tag().contains("constraints"))  // not finished yet
    needs.standing.array<std::uint8_t>("constraints", space.unknown_count(), cases).array<double>("constraints", space.unknown_count(), cases);
  const bool has_pattern = space.has_pattern();
  needs.size.pairs = counted || has_pattern ? space.pattern()->nonzeros() : pairs_of_nodes(space);
  if (has_pattern) return needs;
  needs.pattern.array<Index>("pattern", needs.size.nodes + 1).array<std::int32_t>("pattern", needs.size.pairs);
  needs.host_of_pattern = 12 * needs.size.pairs + 16 * needs.size.nodes;
  return needs;
}

HierarchyShape hierarchy_shape(const FunctionSpace& space, const SpaceNeeds& needs) {
  return {space.node_count(), needs.size.pairs, space.components(), space.mesh().dimension(), nested_nodes(space) != nullptr};
}

Index host_of_lists(const MemoryNeeds& task) {
  const auto found = task.by_tag().find("assembly lists");
  return found == task.by_tag().end() ? 0 : 5 * found->second / 3;
}

}  // namespace ritz
