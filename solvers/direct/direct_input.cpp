#include "solvers/direct/direct_input.hpp"

#include "device/error.hpp"
#include "device/host_view.hpp"
#include "device/ranks/packed.hpp"
#include "solvers/algebra/solve_report.hpp"
#include "solvers/direct/nested_dissection.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

namespace ritz {
namespace {

// Libraries may loop or crash on NaN.
void check_finite(const HostMatrix& A, Index first_row) {
  for (Index row = 0; row < A.rows(); ++row)
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      if (!std::isfinite(A.values[k]))
        throw Error(ErrorKind::singular_matrix,
                    fmt::format("row {}, column {} of the matrix is {}", first_row + row, A.columns[k], A.values[k]),
                    "a direct solver needs finite entries", advice_for(StopReason::not_finite));
}

HostMatrix host_rows(const DividedMatrix& A) {
  const BlockMatrixView<double> rows = A.owned_rows();
  const Ghosts& ghosts = A.ghosts();
  const Index C = rows.row_block;
  const HostView<Index> offsets(A.device(), rows.offsets, rows.rows + 1);
  const HostView<std::int32_t> column(A.device(), rows.column, A.nonzeros());
  const HostView<double> values(A.device(), rows.values, A.nonzeros() * C * C);
  HostMatrix host;
  host.offsets.push_back(0);
  host.columns.reserve(static_cast<std::size_t>(A.nonzeros() * C * C));
  host.values.reserve(host.columns.capacity());
  for (Index row = 0; row < rows.rows; ++row)
    for (Index c = 0; c < C; ++c) {
      for (Index e = offsets[row]; e < offsets[row + 1]; ++e)
        for (Index d = 0; d < C; ++d) {
          host.columns.push_back(static_cast<std::int32_t>(ghosts.global(column[e]) * C + d));
          host.values.push_back(values[(e * C + c) * C + d]);
        }
      host.offsets.push_back(std::ssize(host.columns));
    }
  return host;
}

// The rows of a rank in the graph of the blocks: how many neighbours each has, these, and the positions.
std::vector<std::byte> packed_graph(const DividedMatrix& A, const std::vector<double>& coordinates) {
  const BlockMatrixView<double> rows = A.owned_rows();
  const HostView<Index> offsets(A.device(), rows.offsets, rows.rows + 1);
  const HostView<std::int32_t> column(A.device(), rows.column, A.nonzeros());
  std::vector<std::int32_t> counts, columns;
  columns.reserve(static_cast<std::size_t>(A.nonzeros()));
  for (Index row = 0; row < rows.rows; ++row) {
    counts.push_back(static_cast<std::int32_t>(offsets[row + 1] - offsets[row]));
    for (Index e = offsets[row]; e < offsets[row + 1]; ++e)
      columns.push_back(static_cast<std::int32_t>(A.ghosts().global(column[e])));
  }
  const std::string text = Packed().add(counts).add(columns).add(coordinates).take();
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::int32_t> order_of(std::vector<std::vector<std::byte>> graphs, int dimension) {
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> coordinates;
  for (std::vector<std::byte>& graph : graphs) {
    Unpacked from({reinterpret_cast<const char*>(graph.data()), graph.size()});
    for (const std::int32_t count : from.list<std::int32_t>()) offsets.push_back(offsets.back() + count);
    const std::vector<std::int32_t> more = from.list<std::int32_t>();
    columns.insert(columns.end(), more.begin(), more.end());
    const std::vector<double> positions = from.list<double>();
    coordinates.insert(coordinates.end(), positions.begin(), positions.end());
    std::vector<std::byte>().swap(graph);
  }
  return nested_dissection({offsets, columns}, coordinates, dimension);
}

}  // namespace

int DirectInput::block_size() const { return is_divided() ? divided_->block_size() : whole_->block_size(); }

Index DirectInput::value_bytes() const {
  if (!is_divided()) return whole_->values().bytes();
  const Index C = block_size();
  return divided_->nonzeros() * C * C * Index{sizeof(double)};
}

RankRows DirectInput::rank_rows() const {
  if (!is_divided()) return {};
  RankRows rows{.ranks = &divided_->ghosts().ranks(), .first = divided_->ghosts().first()};
  for (Index& row : rows.first) row *= block_size();
  return rows;
}

HostMatrix DirectInput::entries() const {
  HostMatrix host = is_divided() ? host_rows(*divided_) : host_matrix(*whole_);
  check_finite(host, is_divided() ? rank_rows().begin() : 0);
  return host;
}

std::vector<std::int32_t> DirectInput::elimination(const Vector& coordinates, int dimension) const {
  const Index owned = rows() / block_size() * dimension;
  const bool suits = is_divided() ? coordinates.size() >= owned : coordinates.size() == owned;
  if (!suits) throw_size_mismatch(owned, coordinates.size());
  if (!is_divided()) {
    const std::vector<Index> offsets = whole_->pattern().offsets().host();
    const std::vector<std::int32_t> columns = whole_->pattern().columns().host();
    return nested_dissection({offsets, columns}, coordinates.host(), dimension);
  }
  Ranks& ranks = divided_->ghosts().ranks();
  std::vector<std::vector<std::byte>> to_each(static_cast<std::size_t>(ranks.count()));
  ranks.agree([&] {
    std::vector<double> positions = coordinates.host();
    positions.resize(static_cast<std::size_t>(owned));
    to_each.front() = packed_graph(*divided_, std::move(positions));
  });
  std::vector<std::vector<std::byte>> graphs = ranks.swap(to_each);
  std::vector<std::int32_t> order;
  ranks.agree([&] {
    if (ranks.rank() == 0) order = order_of(std::move(graphs), dimension);
  });
  return order;
}

void DirectInput::together(FunctionRef<void()> phase) const {
  if (is_divided()) divided_->ghosts().ranks().agree(phase);
  else phase();
}

}  // namespace ritz
