#include "fem/operator/space_needs.hpp"

#include "fem/operator/material_contrast.hpp"
#include "fem/operator/result_sizes.hpp"
#include "fem/space/chosen_nodes.hpp"
#include "fem/space/nested_nodes.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace ritz {

namespace {

// [node] the nodes of the cells around it, for nodes that follow others or are followed; each once.
std::vector<std::vector<Node>> neighbours_of_coupled(const FunctionSpace& space) {
  const NodeCouplings& couplings = *space.couplings();
  const auto is_coupled = [&](Node node) {
    return !couplings.followed_by(node).empty() || !couplings.followers_of(node).empty();
  };
  std::vector<std::vector<Node>> result(static_cast<std::size_t>(space.node_count()));
  FunctionSpace::CellNodes nodes_of(space);
  for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
    const std::span<const Node> nodes = nodes_of(cell);
    for (const Node node : nodes)
      if (is_coupled(node))
        result[static_cast<std::size_t>(node)].insert(result[static_cast<std::size_t>(node)].end(), nodes.begin(),
                                                      nodes.end());
  }
  for (std::vector<Node>& list : result) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  }
  return result;
}

}  // namespace

MemoryNeeds scaled(const MemoryNeeds& needs, double factor) {
  MemoryNeeds result;
  for (const auto& [tag, bytes] : needs.by_tag()) result.bytes(tag, std::llround(factor * double(bytes)));
  return result;
}

// Pairs of nodes that equations add: in the rows of nodes that others follow, and as often in the columns there
// of nodes that none follows.
Index coupled_pairs(const FunctionSpace& space) {
  const auto* const joined = space.joined_with(space);  // at most so many, by equations between spaces
  const Index by_several = joined == nullptr ? 0 : std::ssize(*joined);
  if (space.couplings() == nullptr) return by_several;
  const NodeCouplings& couplings = *space.couplings();
  const std::vector<std::vector<Node>> neighbours = neighbours_of_coupled(space);
  std::vector<Node> met(static_cast<std::size_t>(space.node_count()), -1);  // [node] the last row that has it
  Index pairs = by_several;
  for (Node row = 0; row < space.node_count(); ++row) {
    if (couplings.followers_of(row).empty()) continue;
    for (const Node node : neighbours[static_cast<std::size_t>(row)]) met[static_cast<std::size_t>(node)] = row;
    const auto add = [&](Node node) {
      if (std::exchange(met[static_cast<std::size_t>(node)], row) != row)
        pairs += couplings.followers_of(node).empty() ? 2 : 1;
    };
    const auto add_around = [&](Node center) {
      for (const Node node : neighbours[static_cast<std::size_t>(center)]) {
        add(node);
        for (const Node followed : couplings.followed_by(node)) add(followed);
      }
    };
    add_around(row);
    for (const Node follower : couplings.followers_of(row)) add_around(follower);
  }
  return pairs;
}

Index pairs_of_nodes(const FunctionSpace& space) {
  if (space.has_pattern()) return space.pattern()->nonzeros();
  auto phase = space.device().profile().phase("pairs of nodes");
  const ChosenNodes chosen(space);
  // of every chosen node, those of its cells
  std::vector<std::vector<Node>> beside(static_cast<std::size_t>(chosen.count()));
  FunctionSpace::CellNodes nodes_of(space);
  for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
    if (!chosen.has_near(cell)) continue;
    const std::span<const Node> nodes = nodes_of(cell);
    for (const Node node : nodes)
      if (const std::int32_t at = chosen.number(node); at >= 0) {
        auto& list = beside[static_cast<std::size_t>(at)];
        list.insert(list.end(), nodes.begin(), nodes.end());
      }
  }
  Index pairs = 0;
  // [node] the last of the sample that it was a neighbour of
  std::vector<std::int32_t> met(static_cast<std::size_t>(space.node_count()), -1);
  for (std::size_t row = 0; row < beside.size(); ++row) {
    Index others = 0;
    for (const Node node : beside[row])
      others += std::exchange(met[static_cast<std::size_t>(node)], static_cast<std::int32_t>(row)) !=
                static_cast<std::int32_t>(row);
    pairs += std::max<Index>(1, others);  // itself, where it has no cell
  }
  return coupled_pairs(space) + (chosen.count() == 0 ? space.node_count() : std::llround(chosen.for_all(pairs)));
}

SpaceNeeds needs_of(const FunctionSpace& space, int supports, bool counted) {
  SpaceNeeds needs{.size = {space.node_count(), 0}, .block = space.components()};
  for (const auto& [tag, bytes] : space.device().memory().statistics().live_by_tag) needs.standing.bytes(tag, bytes);
  if (!needs.standing.by_tag().contains("constraints"))  // not finished yet
    needs.standing.array<std::uint8_t>("constraints", space.unknown_count(), supports);
  if (!space.isoparametric()) needs.coordinates.array<double>("space", space.node_count() * space.mesh().dimension());
  const bool has_pattern = space.has_pattern();
  needs.size.pairs = counted || has_pattern ? space.pattern()->nonzeros() : pairs_of_nodes(space);
  if (has_pattern) return needs;
  needs.pattern.array<Index>("pattern", needs.size.nodes + 1).array<std::int32_t>("pattern", needs.size.pairs);
  // Listed in 16 bits first, and on the host for a device with memory of its own.
  const Index column = space.device().machine().is_apart() ? 4 : 2;  // [bytes]
  needs.host_of_pattern = column * needs.size.pairs + Index{sizeof(Index)} * needs.size.nodes;
  return needs;
}

Index unknowns_of_inverse(const FunctionSpace& space, Nesting nesting) {
  const Index most = SmoothedAggregationOptions{}.coarsest_size;
  const Index block = space.components();
  if (space.unknown_count() <= most) return space.unknown_count();
  if (nesting == Nesting::none || space.node_count() > largest_with_counted_inverse) return 0;
  const bool had_pattern = space.has_pattern();
  (void)space.pattern();  // whose edges are those of the mesh
  const NestedLevels levels = nested_nodes(space);
  if (!had_pattern) space.forget_pattern();
  if (levels == nullptr) return 0;
  for (const NestedNodes& each : levels->levels)
    if (const Index unknowns = std::ssize(each.same) * block; unknowns <= most) return unknowns;
  return 0;
}

HierarchyShape hierarchy_shape(const Operator& equations, const SpaceNeeds& needs) {
  const FunctionSpace& space = equations.space();
  auto phase = space.device().profile().phase("nested meshes");
  Nesting nesting = nesting_of(space);
  if (space.order() == 1 && nesting != Nesting::none && has_jumps(equations)) nesting = Nesting::none;
  return {.rows = space.node_count(),
          .nonzeros = needs.size.pairs,
          .block = space.components(),
          .dimension = space.mesh().dimension(),
          .nesting = nesting,
          .inverse = unknowns_of_inverse(space, nesting)};
}

int derived_numbers(const std::vector<Integral>& integrals) {
  int derived = 0;
  for (const Integral& integral : integrals) derived = std::max(derived, summed_results(integral.form.derived));
  return derived;
}

MemoryNeeds needs_of_results(const FunctionSpace& space, const std::vector<Integral>& integrals) {
  const int derived = derived_numbers(integrals);
  Index cells = 0;  // a cell counts for each form that derives something there
  for (const Integral& integral : integrals)
    if (integral.form.derived > 0)
      cells += integral.everywhere ? space.mesh().cell_count() : static_cast<Index>(integral.cells.size());
  return MemoryNeeds()
      .array<double>("results", space.node_count() * derived)
      .array<double>("results", (std::max(cells, space.mesh().cell_count()) + 7) / 8 * 8 * derived);
}

Index host_of_lists(const MemoryNeeds& task) { return 5 * task.of("assembly lists") / 4; }

}  // namespace ritz
