// Places of unknowns: fields one after the other, and over ranks what each owns and what it reaches.
#include "solvers/algebra/layout.hpp"

#include "tests/solvers/thread_ranks.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace ritz::testing {
namespace {

// Two fields on a line of 7 nodes, of 2 unknowns and of 1; each rank reaches one node beyond its own on both sides.
Layout of_line(Ranks& ranks) {
  const Index nodes = 7, first = nodes * ranks.rank() / ranks.count(),
              last = nodes * (ranks.rank() + 1) / ranks.count();
  std::vector<Index> reached;
  if (first > 0) reached.push_back(first - 1);
  if (last < nodes) reached.push_back(last);
  const auto ghosts = std::make_shared<const Ghosts>(ranks, last - first, reached);
  return Layout({{last - first, 2, ghosts}, {last - first, 1, ghosts}});
}

// [field][owned] 100 * field + number of the unknown among all of the field
std::vector<double> numbers_of(const Layout& layout, bool with_ghosts) {
  std::vector<double> numbers;
  for (int k = 0; k < layout.count(); ++k)
    for (Index node = 0; node < (with_ghosts ? layout.ghosts(k)->size() : layout.ghosts(k)->owned()); ++node)
      for (int c = 0; c < layout.width(k); ++c)
        numbers.push_back(100.0 * k + double(layout.ghosts(k)->global(node) * layout.width(k) + c));
  return numbers;
}

TEST(Layout, FetchesGhostsAndLeavesThemOut) {
  on_ranks(3, [](Ranks& ranks) {
    const Device device = ranks.among_all(Device::named("cpu", 1));
    const Layout layout = of_line(ranks);
    EXPECT_TRUE(layout.is_divided());
    EXPECT_EQ(layout.size_over_all(0), 14);
    const std::vector<double> own = numbers_of(layout, false), expected = numbers_of(layout, true);
    const Vector x(device, std::span<const double>(own), "vectors");
    Vector room, back(device, layout.total(), "vectors");
    const Vector& all = layout.with_ghosts(x, room);
    EXPECT_EQ(all.size(), layout.local().total());
    EXPECT_EQ(all.host(), expected);
    layout.keep_owned(all, back);
    EXPECT_EQ(back.host(), own);
  });
}

TEST(Layout, EveryRankTakesItsOwnOfWhatAllGather) {
  on_ranks(3, [](Ranks& ranks) {
    const Device device = Device::named("cpu", 1);
    const Layout layout = of_line(ranks);
    std::vector<double> all(14 + 7);
    std::iota(all.begin(), all.begin() + 14, 0.0);
    std::iota(all.begin() + 14, all.end(), 100.0);
    const Vector whole(device, std::span<const double>(all), "vectors");
    Vector x(device, layout.total(), "vectors"), again(device, 21, "vectors");
    layout.own(whole, x);
    EXPECT_EQ(x.host(), numbers_of(layout, false));
    again = layout.gathered(x);
    EXPECT_EQ(again.host(), all);
  });
}

TEST(Layout, NumbersUnknownsRankAfterRank) {
  on_ranks(2, [](Ranks& ranks) {
    const Layout layout = of_line(ranks);  // nodes 0 to 2 and 3 to 6
    const std::vector<Index> expected =
        ranks.rank() == 0 ? std::vector<Index>{0, 1, 2, 3, 4, 5, 9, 10, 6, 7, 8, 17}
                          : std::vector<Index>{9, 10, 11, 12, 13, 14, 15, 16, 4, 5, 17, 18, 19, 20, 8};
    EXPECT_EQ(layout.global_numbers(), expected);
  });
}

}  // namespace
}  // namespace ritz::testing
