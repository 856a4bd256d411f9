// Vectors of all rows on the first rank, of which every rank has a contiguous range: pieces go out, or come together.
//
//   const RankRows rows{&ranks, first};                // first [rank + 1]
//   rows.deal(all, mine, columns);                     // all ranks call it; `all` is empty after the first rank
//   rows.collect(mine, all, columns);
#pragma once

#include "device/array.hpp"
#include "device/ranks/ranks.hpp"

#include <span>
#include <vector>

namespace ritz {

struct RankRows {
  Ranks* ranks = nullptr;         // null: one process has all rows
  std::vector<Index> first = {};  // [rank + 1] row of the whole

  Index total() const { return first.back(); }
  Index begin() const { return first[static_cast<std::size_t>(ranks->rank())]; }
  Index count() const { return first[static_cast<std::size_t>(ranks->rank()) + 1] - begin(); }

  // all: [column][row of the whole], on the first rank; mine: [column][row of this rank]
  void deal(std::span<const double> all, std::span<double> mine, int columns = 1) const;
  void collect(std::span<const double> mine, std::span<double> all, int columns = 1) const;
  // One column, which may be on a device.
  void deal(const Vector& all, Vector& mine) const;
  void collect(const Vector& mine, Vector& all) const;
};

}  // namespace ritz
