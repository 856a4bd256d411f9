// Rows of a block matrix on their way between ranks: with global numbers. Private to solvers/multigrid.
#pragma once

#include "device/machine.hpp"
#include "device/ranks/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ritz {

struct GlobalRows {
  std::vector<Index> row, count, column;  // [row], [row] entries, [entry]
  std::vector<double> values;             // [entry][block]

  // A row under the number `as`; global(column) is the number of a column.
  template <class Global>
  void append(Index as, std::span<const std::int32_t> columns, std::span<const double> blocks, const Global& global) {
    row.push_back(as);
    count.push_back(std::ssize(columns));
    for (const std::int32_t c : columns) column.push_back(global(c));
    values.insert(values.end(), blocks.begin(), blocks.end());
  }
};

// to_each [rank] of this one; returns those of each rank to this one. All ranks call it.
std::vector<GlobalRows> swap_rows(Ranks& ranks, std::span<const GlobalRows> to_each);

// The rank of a number, where those of a rank begin at first[rank].
std::size_t rank_of(Index number, std::span<const Index> first);

}  // namespace ritz
