#include "solvers/algebra/inner_rows.hpp"

#include <algorithm>

namespace ritz {

InnerRows inner_rows(const Index* offsets, const std::int32_t* column, Index owned) {
  constexpr Index most_pieces = 64;
  InnerRows result;
  const Index wanted = (owned + most_pieces - 1) / most_pieces;
  const Index piece = std::max<Index>(1, (wanted + InnerRows::piece - 1) / InnerRows::piece) * InnerRows::piece;
  for (Index first = 0; first < owned; first += piece) {
    const Index last = std::min(owned, first + piece);
    const bool reaches =
        std::any_of(column + offsets[first], column + offsets[last], [owned](std::int32_t c) { return c >= owned; });
    std::vector<RowRange>& ranges = reaches ? result.border : result.inner;
    if (!ranges.empty() && ranges.back().last == first) ranges.back().last = last;
    else ranges.push_back({first, last});
  }
  return result;
}

}  // namespace ritz
