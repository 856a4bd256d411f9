// Rows that ranks get from each other.
#include "solvers/algebra/ghosts.hpp"

#include "tests/solvers/thread_ranks.hpp"

#include <bit>
#include <numeric>

namespace ritz::testing {
namespace {

// Ranks with different numbers of rows, and some without any; the last row of one message may be the last of all.
TEST(Ghosts, AllRowsReachAllRanksInAsManyMessagesAsTheRanksHaveBits) {
  for (const int count : {1, 2, 3, 4, 5, 7, 8, 13, 16}) {
    const auto rows_of = [](int rank) { return Index{(rank * 5) % 4}; };
    on_ranks(count, [&](Ranks& ranks) {
      const Ghosts ghosts(ranks, rows_of(ranks.rank()), {});
      const Index first = ghosts.first()[static_cast<std::size_t>(ranks.rank())];
      std::vector<double> mine(static_cast<std::size_t>(2 * ghosts.owned()));
      std::iota(mine.begin(), mine.end(), 2.0 * static_cast<double>(first));
      std::vector<double> all(static_cast<std::size_t>(2 * ghosts.total()), -1), expected(all.size());
      std::iota(expected.begin(), expected.end(), 0.0);
      const std::int64_t before = ranks.counts().messages;
      ghosts.gather(mine.data(), 2, all.data());
      EXPECT_EQ(all, expected) << "rank " << ranks.rank() << " of " << count;
      // Rows that go around the end of the numbers are two messages.
      EXPECT_LE(ranks.counts().messages - before, 2 * std::bit_width(static_cast<unsigned>(count - 1)));
    });
  }
}

}  // namespace
}  // namespace ritz::testing
