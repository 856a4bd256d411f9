// Ranges of the rows that a rank owns: those that read no value of another rank are multiplied while the ghosts' values
// travel, the others afterwards. Nodes lie along a curve, so that few ranges are border.
//
//   const InnerRows rows = inner_rows(offsets, column, owned);   // rows.inner and rows.border are all rows together
#pragma once

#include "device/machine.hpp"

#include <cstdint>
#include <vector>

namespace ritz {

struct RowRange {
  Index first, last;
};

struct InnerRows {
  static constexpr Index piece = 256;   // all ranges begin at a multiple of it, as sliced rows of a cycle do
  std::vector<RowRange> inner, border;  // ascending
};

// Block rows [owned] with columns [owned | ghosts]. Rows are judged in some 64 pieces at most, and one of them with a
// single ghost is border: each range is a launch.
InnerRows inner_rows(const Index* offsets, const std::int32_t* column, Index owned);

}  // namespace ritz
