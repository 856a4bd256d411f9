// Tiles of pairs of nodes of element matrices on GPUs (fem/launch/pair_tiles.hpp).
#include "fem/launch/pair_tiles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace ritz {
namespace {

// How often the tiles of all steps have each pair, [a][b].
template <class Tiles>
std::vector<int> times_of_pairs(const Tiles& tiles) {
  const int n = tiles.nodes;
  std::vector<int> times(static_cast<std::size_t>(n * n), 0);
  for (int step = 0; step < tiles.steps(); ++step)
    for (int number = 0; number < tiles.tiles_of_step(step); ++number) {
      const auto tile = tiles.tile(step, number);
      for (int a = tile.row; a < std::min(n, tile.row + Tiles::rows); ++a)
        for (int b = tile.column; b < std::min(n, tile.column + Tiles::columns); ++b)
          ++times[static_cast<std::size_t>(a * n + b)];
    }
  return times;
}

template <class Tiles>
void expect_tiles_cover(int nodes, bool symmetric) {
  const std::vector<int> times = times_of_pairs(Tiles{nodes});
  for (int a = 0; a < nodes; ++a)
    for (int b = 0; b < nodes; ++b) {
      const int count = times[static_cast<std::size_t>(a * nodes + b)];
      if (symmetric && a > b) EXPECT_LE(count, 1) << nodes << ": " << a << ", " << b;
      else EXPECT_EQ(count, 1) << nodes << ": " << a << ", " << b;
    }
}

TEST(PairTiles, HaveEachPairOnceAndOfSymmetricMatricesTheUpperHalf) {
  for (int nodes = 1; nodes <= 90; ++nodes) {
    expect_tiles_cover<PairTiles<0, 1, true>>(nodes, true);
    expect_tiles_cover<PairTiles<0, 1, false>>(nodes, false);
    expect_tiles_cover<PairTiles<0, 3, true>>(nodes, true);
    expect_tiles_cover<PairTiles<0, 3, false>>(nodes, false);
    expect_tiles_cover<PairTiles<0, 4, true>>(nodes, true);
    expect_tiles_cover<PairTiles<0, 6, true>>(nodes, true);
  }
  expect_tiles_cover<PairTiles<3, 1, true>>(3, true);
  expect_tiles_cover<PairTiles<8, 1, true>>(8, true);
  expect_tiles_cover<PairTiles<8, 3, true>>(8, true);
  expect_tiles_cover<PairTiles<9, 1, false>>(9, false);
  expect_tiles_cover<PairTiles<10, 1, true>>(10, true);
  expect_tiles_cover<PairTiles<27, 3, true>>(27, true);
}

// The columns of a step are those of its tiles, each at its place: tile by tile the first, then the second group.
TEST(PairTiles, FindTheirColumnsWhereTheStepWroteThem) {
  for (int nodes = 1; nodes <= 30; ++nodes) {
    using Tiles = PairTiles<0, 1, true>;
    const Tiles tiles{nodes};
    for (int step = 0; step < tiles.steps(); ++step)
      for (int number = 0; number < tiles.tiles_of_step(step); ++number) {
        const auto tile = tiles.tile(step, number);
        const int first = tile.second ? Tiles::columns : 0;
        ASSERT_LT(first, tiles.columns_of(step));
        for (int c = 0; c < Tiles::columns; ++c) EXPECT_EQ(tiles.node(step, first + c), tile.column + c);
      }
  }
}

// Steps of the upper half are equally long, so that threads do not idle: those of 8 nodes exactly.
TEST(PairTiles, StepsOfASymmetricMatrixAreEquallyLong) {
  const PairTiles<8, 3, true> vectors{8};
  const PairTiles<27, 3, true> quadratic{27};
  EXPECT_EQ(vectors.steps(), 4);
  int least = 1000, most = 0, all = 0;
  for (int step = 0; step < vectors.steps(); ++step) all += vectors.tiles_of_step(step);
  EXPECT_EQ(all, 15) << "of 36 pairs, by three";
  for (int step = 0; step + 1 < quadratic.steps(); ++step) {
    least = std::min(least, quadratic.tiles_of_step(step));
    most = std::max(most, quadratic.tiles_of_step(step));
  }
  EXPECT_LE(most - least, 1);
  EXPECT_EQ((PairTiles<8, 1, true>{8}.tiles_of_step(0)), 3) << "of 4 x 4 pairs";
  EXPECT_EQ((PairTiles<8, 1, true>{8}.steps()), 1);
}

}  // namespace
}  // namespace ritz
