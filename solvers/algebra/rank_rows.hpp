// Vectors of all rows, of which every rank owns a contiguous range. Where each rank has the vector, it takes its own
// rows, and all give theirs to all; where the first rank alone has it, pieces go out from there, or come together.
//
//   const RankRows rows{&ranks, first};                // first [rank + 1]
//   rows.take(all, mine);                              // no messages
//   rows.gather(mine, all);                            // all ranks call it, as the next two
//   rows.deal(all, mine, columns);                     // `all` is empty after the first rank
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

  // On one device. `mine` may have more numbers after those rows.
  void take(const Vector& all, Vector& mine) const;
  void gather(const Vector& mine, Vector& all) const;
  // all: [column][row of the whole], on the first rank; mine: [column][row of this rank]
  void deal(std::span<const double> all, std::span<double> mine, int columns = 1) const;
  void collect(std::span<const double> mine, std::span<double> all, int columns = 1) const;
};

}  // namespace ritz
