// Ranges of rows that reach no ghost.
#include "solvers/algebra/inner_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ritz::testing {
namespace {

// Rows with a diagonal entry, and those given with a ghost besides.
struct Rows {
  Rows(Index owned, const std::vector<Index>& with_ghost) {
    for (Index row = 0; row < owned; ++row) {
      column.push_back(static_cast<std::int32_t>(row));
      if (std::ranges::find(with_ghost, row) != with_ghost.end()) column.push_back(static_cast<std::int32_t>(owned));
      offsets.push_back(std::ssize(column));
    }
  }
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> column;
};

// [row] how many ranges have it
std::vector<int> ranges_with(const InnerRows& rows, Index owned) {
  std::vector<int> count(static_cast<std::size_t>(owned), 0);
  for (const std::vector<RowRange>* ranges : {&rows.inner, &rows.border})
    for (const RowRange& range : *ranges)
      for (Index row = range.first; row < range.last; ++row) ++count[static_cast<std::size_t>(row)];
  return count;
}

TEST(InnerRows, HaveEachRowOnceAndNoneThatReachesAGhost) {
  for (const Index owned : {0, 1, 255, 256, 257, 5000, 70000}) {
    const std::vector<Index> with_ghost{owned / 3, owned / 2, owned - 1};
    const Rows made(owned, with_ghost);
    const InnerRows rows = inner_rows(made.offsets.data(), made.column.data(), owned);
    EXPECT_EQ(ranges_with(rows, owned), std::vector<int>(static_cast<std::size_t>(owned), 1)) << owned;
    EXPECT_LE(rows.inner.size() + rows.border.size(), 65U);
    for (const RowRange& range : rows.inner) {
      EXPECT_EQ(range.first % InnerRows::piece, 0);
      for (const Index row : with_ghost) EXPECT_FALSE(range.first <= row && row < range.last);
    }
    for (const RowRange& range : rows.border) EXPECT_EQ(range.first % InnerRows::piece, 0);
  }
}

TEST(InnerRows, AreMostRowsWhereFewReachGhosts) {
  const Index owned = 64000;
  const Rows made(owned, {10, 20, 40000});
  Index inner = 0;
  for (const RowRange& range : inner_rows(made.offsets.data(), made.column.data(), owned).inner)
    inner += range.last - range.first;
  EXPECT_GE(inner, owned * 9 / 10);
}

}  // namespace
}  // namespace ritz::testing
