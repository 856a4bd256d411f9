#include "fem/analysis/divided_edges.hpp"

#include "solvers/algebra/host_products.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/divided_preconditioner.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

BlockRows rows_of(const HostMatrix& all, Index first, Index last) {
  const auto begin = all.offsets[static_cast<std::size_t>(first)], end = all.offsets[static_cast<std::size_t>(last)];
  BlockRows rows;
  for (Index row = first; row < last; ++row)
    rows.offsets.push_back(all.offsets[static_cast<std::size_t>(row) + 1] - begin);
  rows.columns.assign(all.columns.begin() + begin, all.columns.begin() + end);
  rows.values.assign(all.values.begin() + begin, all.values.begin() + end);
  return rows;
}

// Corners of other ranks at the ends of owned edges, ascending.
std::vector<Index> reached_by(const std::vector<EdgeSpaceShare>& spaces, Index first, Index owned) {
  std::vector<Index> reached;
  for (const EdgeSpaceShare& each : spaces)
    for (const std::int32_t corner : each.prolongation.columns)
      if (corner < first || corner >= first + owned) reached.push_back(corner);
  std::ranges::sort(reached);
  reached.erase(std::ranges::unique(reached).begin(), reached.end());
  return reached;
}

// With columns in [owned | ghosts], ascending in each row.
HostMatrix localised(BlockRows rows, const Ghosts& corners) {
  HostMatrix result;
  result.offsets.push_back(0);
  std::vector<std::pair<std::int32_t, double>> entries;
  for (std::size_t row = 0; row + 1 < rows.offsets.size(); ++row) {
    entries.clear();
    for (auto k = static_cast<std::size_t>(rows.offsets[row]); k < static_cast<std::size_t>(rows.offsets[row + 1]); ++k)
      entries.emplace_back(static_cast<std::int32_t>(corners.local(rows.columns[k])), rows.values[k]);
    std::ranges::sort(entries);
    for (const auto& [column, value] : entries) {
      result.columns.push_back(column);
      result.values.push_back(value);
    }
    result.offsets.push_back(std::ssize(result.columns));
  }
  return result;
}

}  // namespace

std::vector<EdgeSpaceShare> share_of(int rank, int ranks, Index first_edge, Index last_edge,
                                     const std::vector<EdgeSpace>& spaces) {
  std::vector<EdgeSpaceShare> share;
  for (const EdgeSpace& each : spaces) {
    const Index corners = each.matrix.rows();
    share.push_back({rows_of(each.prolongation, first_edge, last_edge),
                     rows_of(each.matrix, corners * rank / ranks, corners * (rank + 1) / ranks)});
  }
  return share;
}

void add(Packed& to, const std::vector<EdgeSpaceShare>& spaces) {
  to.add(spaces.size());
  for (const EdgeSpaceShare& each : spaces) {
    add(to, each.prolongation);
    add(to, each.matrix);
  }
}

std::vector<EdgeSpaceShare> unpacked_edge_spaces(Unpacked& from) {
  std::vector<EdgeSpaceShare> spaces(from.get<std::size_t>());
  for (EdgeSpaceShare& each : spaces) {
    each.prolongation = unpacked_block_rows(from);
    each.matrix = unpacked_block_rows(from);
  }
  return spaces;
}

DividedEdgePreconditioner::DividedEdgePreconditioner(const DividedMatrix& A, std::vector<EdgeSpaceShare> spaces,
                                                     const DividedAggregationOptions& multigrid, Ranks& ranks)
    : A_(A),
      smoother_(divided_preconditioner(A, PreconditionerKind::chebyshev, PreconditionerBasis::matrix, multigrid)),
      part_(A.device(), A.rows(), "vectors") {
  const Index owned = spaces.front().matrix.count();
  Index before = 0;
  const std::vector<std::int64_t> counts = ranks.of_all(owned);
  for (int rank = 0; rank < ranks.rank(); ++rank) before += counts[static_cast<std::size_t>(rank)];
  corners_ = std::make_unique<const Ghosts>(ranks, owned, reached_by(spaces, before, owned));
  DividedAggregationOptions options = multigrid;
  options.multigrid = edge_multigrid(multigrid.multigrid);
  for (EdgeSpaceShare& share : spaces) {
    Auxiliary& each = spaces_.emplace_back();
    const HostMatrix P = localised(std::exchange(share.prolongation, {}), *corners_);
    each.up = std::make_unique<RectangularMatrix>(rectangular_matrix(device(), P, corners_->size()));
    each.down =
        std::make_unique<RectangularMatrix>(rectangular_matrix(device(), transposed(P, corners_->size()), A.rows()));
    each.matrix = divided_matrix(ranks, device(), std::exchange(share.matrix, {}));
    each.cycle = std::make_unique<DividedAggregation>(*each.matrix, options);
  }
  all_ = Vector(device(), corners_->size(), "vectors");
  from_ = Vector(device(), owned, "vectors");
  to_ = Vector(device(), owned, "vectors");
}

void DividedEdgePreconditioner::apply(const Vector& x, Vector& y) const {
  Machine& machine = device().machine();
  smoother_->apply(x, y);
  for (const Auxiliary& each : spaces_) {
    each.down->apply(x, all_);
    corners_->add_to_owners(all_, 1);
    machine.copy_on_device(from_.data(), all_.data(), from_.bytes());
    each.cycle->apply(from_, to_);
    machine.copy_on_device(all_.data(), to_.data(), to_.bytes());
    corners_->fetch(all_, 1);
    each.up->apply(all_, part_);
    axpy(1, part_, y);
  }
}

std::string DividedEdgePreconditioner::name() const {
  return fmt::format("auxiliary spaces ({} cycles of multigrid, {})", spaces_.size(), smoother_->name());
}

}  // namespace ritz
