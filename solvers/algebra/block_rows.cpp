#include "solvers/algebra/block_rows.hpp"

#include "device/staging.hpp"

#include <algorithm>
#include <numeric>

namespace ritz {

BlockRows BlockRows::range(Index first, Index last) const {
  const Index begin = offsets[static_cast<std::size_t>(first)], end = offsets[static_cast<std::size_t>(last)],
              size = Index{block} * block;
  BlockRows result{.block = block};
  for (Index row = first; row < last; ++row)
    result.offsets.push_back(offsets[static_cast<std::size_t>(row) + 1] - begin);
  result.columns.assign(columns.begin() + begin, columns.begin() + end);
  result.values.assign(values.begin() + begin * size, values.begin() + end * size);
  return result;
}

BlockRows block_rows(const SparseMatrix& A) {
  return {.block = A.block_size(),
          .offsets = A.pattern().offsets().host(),
          .columns = A.pattern().columns().host(),
          .values = A.values().host()};
}

void add(Packed& to, const BlockRows& rows) { to.add(rows.block).add(rows.offsets).add(rows.columns).add(rows.values); }

BlockRows unpacked_block_rows(Unpacked& from) {
  BlockRows rows;
  from.get(rows.block);
  rows.offsets = from.list<Index>();
  rows.columns = from.list<std::int32_t>();
  rows.values = from.list<double>();
  return rows;
}

std::unique_ptr<DividedMatrix> divided_matrix(Ranks& ranks, const Device& device, const BlockRows& mine) {
  const std::vector<std::int64_t> counts = ranks.of_all(mine.count());
  const auto others_before = counts.begin() + ranks.rank();
  const Index first = std::accumulate(counts.begin(), others_before, Index{0}), owned = mine.count();
  const auto is_mine = [&](Index column) { return column >= first && column < first + owned; };
  std::vector<Index> reached;
  for (const std::int32_t column : mine.columns)
    if (!is_mine(column)) reached.push_back(column);
  std::ranges::sort(reached);
  reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
  auto ghosts = std::make_shared<const Ghosts>(ranks, owned, std::move(reached));
  std::vector<std::int32_t> columns;
  columns.reserve(mine.columns.size());
  for (const std::int32_t column : mine.columns) columns.push_back(static_cast<std::int32_t>(ghosts->local(column)));
  std::vector<Index> offsets = mine.offsets;
  offsets.resize(static_cast<std::size_t>(ghosts->size()) + 1, 0);
  const Index places = std::ssize(columns) + DividedMatrix::ghost_entries(columns, owned);
  BlockMatrix rows{.rows = owned, .columns = ghosts->size(), .row_block = mine.block, .column_block = mine.block};
  rows.offsets = Array<Index>(device, std::span<const Index>(offsets), "pattern");
  rows.column = Array<std::int32_t>(device, places, "pattern");
  rows.values = Vector(device, places * mine.block * mine.block, "matrix");
  copy_to_device(device, rows.column.data(), columns.data(), std::ssize(columns) * Index{sizeof(std::int32_t)});
  copy_to_device(device, rows.values.data(), mine.values.data(), std::ssize(mine.values) * Index{sizeof(double)});
  return std::make_unique<DividedMatrix>(std::move(ghosts), std::move(rows));
}

}  // namespace ritz
