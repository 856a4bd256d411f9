#include "solvers/multigrid/nested_levels.hpp"

#include <algorithm>
#include <utility>

namespace ritz {
namespace {

// The part of nodes [first, last) of a level and of coarser nodes [coarse_first, coarse_last).
NestedNodes part_of(const NestedNodes& level, Index first, Index last, Index coarse_first, Index coarse_last) {
  NestedNodes part{.first = {}, .parents = {}, .same = {}, .same_cells = level.same_cells};
  const Index begin = level.first[static_cast<std::size_t>(first)], end = level.first[static_cast<std::size_t>(last)];
  for (Index node = first; node <= last; ++node)
    part.first.push_back(level.first[static_cast<std::size_t>(node)] - begin);
  part.parents.assign(level.parents.begin() + begin, level.parents.begin() + end);
  if (!level.weights.empty()) part.weights.assign(level.weights.begin() + begin, level.weights.begin() + end);
  for (Index coarse = coarse_first; coarse < coarse_last; ++coarse)
    part.same.push_back(static_cast<std::int32_t>(level.same[static_cast<std::size_t>(coarse)] - first));
  return part;
}

NestedLevels shared(NestedHierarchy nested) {
  return nested.levels.empty() ? nullptr : std::make_shared<const NestedHierarchy>(std::move(nested));
}

}  // namespace

std::vector<NestedLevels> divide(const NestedHierarchy& all, std::vector<Index> first, int block, Index replicated) {
  std::vector<NestedHierarchy> parts(first.size() - 1);
  std::size_t number = 0;
  bool all_have_nodes = true;
  while (number < all.levels.size() && (number == 0 || first.back() * block > replicated)) {
    const NestedNodes& level = all.levels[number];
    std::vector<Index> coarse_first;
    for (const Index node : first)
      coarse_first.push_back(std::ranges::lower_bound(level.same, node) - level.same.begin());
    all_have_nodes = std::ranges::adjacent_find(coarse_first) == coarse_first.end();
    if (!all_have_nodes) break;
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
      parts[rank].levels.push_back(
          part_of(level, first[rank], first[rank + 1], coarse_first[rank], coarse_first[rank + 1]));
    first = std::move(coarse_first);
    ++number;
  }
  std::vector<NestedLevels> result;
  for (NestedHierarchy& part : parts) {
    if (all_have_nodes)
      part.replicated.assign(all.levels.begin() + static_cast<std::ptrdiff_t>(number), all.levels.end());
    result.push_back(shared(std::move(part)));
  }
  return result;
}

}  // namespace ritz
