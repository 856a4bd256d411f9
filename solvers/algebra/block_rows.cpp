#include "solvers/algebra/block_rows.hpp"

#include "device/staging.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>

namespace ritz {

RowsOfMatrix::RowsOfMatrix(const SparseMatrix& A)
    : block_(A.block_size()), offsets_(A.pattern().offsets()), columns_(A.pattern().columns()), values_(A.values()) {}

BlockRows RowsOfMatrix::range(Index first, Index last) const {
  const Index begin = offsets_[first], end = offsets_[last], size = Index{block_} * block_;
  BlockRows result{.block = block_};
  result.offsets.reserve(static_cast<std::size_t>(last - first) + 1);
  for (Index row = first; row < last; ++row) result.offsets.push_back(offsets_[row + 1] - begin);
  result.columns.assign(columns_.data() + begin, columns_.data() + end);
  result.values.assign(values_.data() + begin * size, values_.data() + end * size);
  return result;
}

namespace {

// A square block of nodes, or a coupling by scalars, for the host to read.
struct BlockOnHost {
  explicit BlockOnHost(const SparseMatrix& A)
      : width(A.block_size()),
        offsets(std::make_unique<HostView<Index>>(A.pattern().offsets())),
        columns(std::make_unique<HostView<std::int32_t>>(A.pattern().columns())),
        values(std::make_unique<HostView<double>>(A.values())) {}
  explicit BlockOnHost(const RectangularMatrix& A)
      : offsets(std::make_unique<HostView<Index>>(A.row_offsets())),
        columns(std::make_unique<HostView<std::int32_t>>(A.column_of_entries())),
        values(std::make_unique<HostView<double>>(A.values())) {}

  Index entries(Index row) const {
    const Index node = row / width;
    return ((*offsets)[node + 1] - (*offsets)[node]) * width;
  }
  template <class Visit>
  void each(Index row, const Visit& visit) const {
    const Index node = row / width, component = row % width;
    for (Index k = (*offsets)[node]; k < (*offsets)[node + 1]; ++k)
      for (Index j = 0; j < width; ++j)
        visit((*columns)[k] * width + j, (*values)[(k * width + component) * width + j]);
  }

  Index width = 1;
  std::unique_ptr<HostView<Index>> offsets;
  std::unique_ptr<HostView<std::int32_t>> columns;
  std::unique_ptr<HostView<double>> values;
};

// [column] the blocks of a row.
std::vector<std::optional<BlockOnHost>> row_on_host(const BlockOperator& K, int row) {
  std::vector<std::optional<BlockOnHost>> blocks(static_cast<std::size_t>(K.layout().count()));
  for (int column = 0; column < K.layout().count(); ++column) {
    std::optional<BlockOnHost>& block = blocks[static_cast<std::size_t>(column)];
    if (row == column && K.square(row) != nullptr) block.emplace(*K.square(row));
    if (row != column && K.coupling(row, column) != nullptr) block.emplace(*K.coupling(row, column));
  }
  return blocks;
}

}  // namespace

BlockRows joined_rows(const BlockOperator& K) {
  const Layout local = K.layout().local();
  const std::vector<Index> number = K.layout().global_numbers();
  BlockRows rows;
  for (int field = 0; field < K.layout().count(); ++field) {
    const std::vector<std::optional<BlockOnHost>> blocks = row_on_host(K, field);
    const Index owned = K.layout().size(field);
    Index entries = blocks[static_cast<std::size_t>(field)] ? 0 : owned;
    for (const std::optional<BlockOnHost>& block : blocks)
      for (Index row = 0; row < owned; ++row) entries += block ? block->entries(row) : 0;
    rows.columns.reserve(rows.columns.size() + static_cast<std::size_t>(entries));
    rows.values.reserve(rows.values.size() + static_cast<std::size_t>(entries));
    for (Index row = 0; row < owned; ++row) {
      for (int column = 0; column < K.layout().count(); ++column) {
        const auto add = [&](Index unknown, double value) {
          rows.columns.push_back(
              static_cast<std::int32_t>(number[static_cast<std::size_t>(local.first(column) + unknown)]));
          rows.values.push_back(value);
        };
        if (const std::optional<BlockOnHost>& block = blocks[static_cast<std::size_t>(column)]) block->each(row, add);
        else if (column == field) add(row, 0.0);
      }
      rows.offsets.push_back(std::ssize(rows.columns));
    }
  }
  return rows;
}

std::unique_ptr<DividedMatrix> divided_matrix(Ranks& ranks, const Device& device, BlockRows mine) {
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
  for (std::int32_t& column : mine.columns) column = static_cast<std::int32_t>(ghosts->local(column));
  mine.offsets.resize(static_cast<std::size_t>(ghosts->size()) + 1, 0);
  const Index entries = std::ssize(mine.columns), places = entries + DividedMatrix::ghost_entries(mine.columns, owned);
  BlockMatrix rows{.rows = owned, .columns = ghosts->size(), .row_block = mine.block, .column_block = mine.block};
  rows.offsets = Array<Index>(device, std::span<const Index>(mine.offsets), "pattern");
  rows.column = Array<std::int32_t>(device, places, "pattern");
  copy_to_device(device, rows.column.data(), mine.columns.data(), entries * Index{sizeof(std::int32_t)});
  mine.columns = {};
  rows.values = Vector(device, places * mine.block * mine.block, "matrix");
  copy_to_device(device, rows.values.data(), mine.values.data(), std::ssize(mine.values) * Index{sizeof(double)});
  mine.values = {};
  return std::make_unique<DividedMatrix>(std::move(ghosts), std::move(rows));
}

}  // namespace ritz
