// Nested levels cut into the parts of ranks.
#include "solvers/multigrid/nested_levels.hpp"

#include <gtest/gtest.h>

namespace ritz::testing {
namespace {

// A chain of nodes of which every other one is coarser, from the first on; the others lie between two.
NestedNodes chain(Index nodes) {
  NestedNodes level{.first = {0}, .parents = {}, .same = {}};
  for (Index node = 0; node < nodes; ++node) {
    const auto left = static_cast<std::int32_t>(node / 2);
    level.parents.push_back(left);
    if (node % 2 == 0) level.same.push_back(static_cast<std::int32_t>(node));
    else level.parents.push_back(left + 1);
    level.first.push_back(std::ssize(level.parents));
  }
  return level;
}

TEST(NestedLevelsOfRanks, PartsOfRanksMakeTheWholeLevels) {
  const std::vector<NestedNodes> levels{chain(33), chain(17), chain(9)};
  std::vector<Index> first{0, 11, 20, 33};
  const std::vector<NestedLevels> ranks = divide({levels}, first, 1, 1);
  ASSERT_EQ(ranks.size(), 3U);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    std::vector<std::int32_t> parents, same;
    std::vector<Index> coarse_first{0};
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const NestedNodes& part = ranks[rank]->levels.at(level);
      EXPECT_EQ(std::ssize(part.first) - 1, first[rank + 1] - first[rank]);
      EXPECT_EQ(part.first.front(), 0);
      EXPECT_EQ(part.first.back(), std::ssize(part.parents));
      parents.insert(parents.end(), part.parents.begin(), part.parents.end());
      for (const std::int32_t node : part.same) same.push_back(static_cast<std::int32_t>(first[rank]) + node);
      coarse_first.push_back(coarse_first.back() + std::ssize(part.same));
    }
    EXPECT_EQ(parents, levels[level].parents);
    EXPECT_EQ(same, levels[level].same);
    first = coarse_first;
  }
}

TEST(NestedLevelsOfRanks, LevelsThatEveryRankHasStayWhole) {
  const std::vector<NestedNodes> levels{chain(33), chain(17), chain(9)};
  const std::vector<NestedLevels> ranks = divide({levels}, {0, 16, 33}, 3, 17 * 3);  // 33 nodes, then 17
  for (const NestedLevels& each : ranks) {
    EXPECT_EQ(each->levels.size(), 1U);
    ASSERT_EQ(each->replicated.size(), 2U);
    EXPECT_EQ(each->replicated[0].parents, levels[1].parents);
  }
}

TEST(NestedLevelsOfRanks, EndsWhereARankWouldHaveNoNode) {
  const std::vector<NestedLevels> ranks = divide({{chain(9), chain(5)}}, {0, 3, 4, 9}, 1, 1);  // 3 lies between two
  for (const NestedLevels& each : ranks) EXPECT_EQ(each, nullptr);
}

}  // namespace
}  // namespace ritz::testing
