#include "fem/space_needs.hpp"

#include "fem/nested_nodes.hpp"

namespace ritz {

SpaceNeeds needs_of(const FunctionSpace& space, int cases, bool counted) {
  SpaceNeeds needs{.size = pattern_size(entity_counts(space.mesh()), space.isoparametric() ? 0 : space.order()), .block = space.components()};
  needs.size.nodes = space.node_count();
  for (const auto& [tag, bytes] : space.device().memory().statistics().live_by_tag) needs.standing.bytes(tag, bytes);
  if (!needs.standing.by_tag().contains("constraints"))  // not finished yet
    needs.standing.array<std::uint8_t>("constraints", space.unknown_count(), cases).array<double>("constraints", space.unknown_count(), cases);
  const auto standing = needs.standing.by_tag().find("pattern");
  const bool has_pattern = standing != needs.standing.by_tag().end() && standing->second > 0;
  if (counted) needs.size.pairs = space.pattern()->nonzeros();
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
