#include "fem/preconditioners/divided_edges.hpp"

#include "device/communicator.hpp"
#include "fem/launch/field_part_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/chosen_preconditioner.hpp"
#include "solvers/multigrid/sparse_products.hpp"
#include "solvers/multigrid/summed_rows.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

// With the numbers of all ranks as columns.
BlockRows global_rows(HostMatrix local, const std::vector<Index>& number) {
  for (std::int32_t& column : local.columns)
    column = static_cast<std::int32_t>(number[static_cast<std::size_t>(column)]);
  BlockRows rows;
  rows.offsets = std::move(local.offsets);
  rows.columns = std::move(local.columns);
  rows.values = std::move(local.values);
  return rows;
}

// Each row has an entry on its diagonal. first: the number of the first row.
BlockRows with_diagonal(const BlockRows& rows, Index first) {
  BlockRows result;
  for (Index row = 0; row < rows.count(); ++row) {
    bool has_diagonal = false;
    for (auto k = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(row) + 1]); ++k) {
      has_diagonal = has_diagonal || rows.columns[k] == first + row;
      result.columns.push_back(rows.columns[k]);
      result.values.push_back(rows.values[k]);
    }
    if (!has_diagonal) {
      result.columns.push_back(static_cast<std::int32_t>(first + row));
      result.values.push_back(0);
    }
    result.offsets.push_back(std::ssize(result.columns));
  }
  return result;
}

template <class Visit>
void each_diagonal(BlockRows& rows, Index first, const Visit& visit) {
  for (Index row = 0; row < rows.count(); ++row)
    for (auto k = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(row) + 1]); ++k)
      if (rows.columns[k] == first + row) visit(rows.values[k]);
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

CornersOfPart corners_at(const EdgeCorners& corners, const std::vector<Node>& mesh_nodes) {
  CornersOfPart part{.count = std::ssize(corners.held),
                     .none_is_held = std::ranges::find(corners.held, true) == corners.held.end()};
  for (const Node node : mesh_nodes) {
    const Index number = corners.number[static_cast<std::size_t>(node)];
    part.number.push_back(number);
    part.held.push_back(number >= 0 && corners.held[static_cast<std::size_t>(number)] ? 1 : 0);
  }
  return part;
}

std::vector<EdgeSpaceShare> edge_spaces(const SparseMatrix& A, const FunctionSpace& space, const Constraints& supports,
                                        Index owned, const CornersOfPart& corners, Ranks& ranks) {
  const Communicator all(A.device());
  std::vector<Index> first;
  for (int rank = 0; rank <= ranks.count(); ++rank) first.push_back(corners.count * rank / ranks.count());
  const Index first_here = first[static_cast<std::size_t>(ranks.rank())];
  double largest = 0;
  const std::vector<double> diagonal = A.diagonal().host();
  for (Index edge = 0; edge < owned; ++edge)
    largest = std::max(largest, std::abs(diagonal[static_cast<std::size_t>(edge)]));
  largest = all.largest_of(largest);
  Node one_more = -1;
  if (const auto found = std::ranges::find(corners.number, Index{0});
      corners.none_is_held && found != corners.number.end())
    one_more = static_cast<Node>(found - corners.number.begin());
  std::vector<EdgeSpaceShare> share;
  const std::vector<bool> held(corners.held.begin(), corners.held.end());
  each_edge_space_of_part(A, space, supports, held, one_more, owned, [&](EdgeSpaceOfPart part, bool needed) {
    BlockRows matrix =
        with_diagonal(summed_by_owners(std::exchange(part.matrix, {}), corners.number, first, ranks), first_here);
    double most = 0;
    each_diagonal(matrix, first_here, [&](double entry) { most = std::max(most, entry); });
    most = all.largest_of(most);
    if (!needed && !is_seen(most, largest)) return;  // the matrix maps gradients to zero
    each_diagonal(matrix, first_here, [&](double& entry) { entry = raised_entry(entry, most); });
    share.push_back({global_rows(std::move(part.prolongation), corners.number), std::move(matrix)});
  });
  return share;
}

DividedEdgePreconditioner::DividedEdgePreconditioner(const DividedMatrix& A, std::vector<EdgeSpaceShare> spaces,
                                                     const SmoothedAggregationOptions& multigrid, Ranks& ranks)
    : A_(A),
      smoother_(preconditioner_of(A, PreconditionerKind::chebyshev, multigrid)),
      part_(A.device(), A.rows(), "vectors") {
  const Index owned = spaces.front().matrix.count();
  Index before = 0;
  const std::vector<std::int64_t> counts = ranks.of_all(owned);
  for (int rank = 0; rank < ranks.rank(); ++rank) before += counts[static_cast<std::size_t>(rank)];
  corners_ = std::make_unique<const Ghosts>(ranks, owned, reached_by(spaces, before, owned));
  const SmoothedAggregationOptions options = edge_multigrid(multigrid);
  for (EdgeSpaceShare& share : spaces) {
    Auxiliary& each = spaces_.emplace_back();
    BlockMatrix P =
        block_matrix(device(), localised(std::exchange(share.prolongation, {}), *corners_), corners_->size());
    each.down = std::make_unique<RectangularMatrix>(transposed(P));
    each.up = std::make_unique<RectangularMatrix>(std::move(P));
    each.matrix = divided_matrix(ranks, device(), std::exchange(share.matrix, {}));
    each.cycle = std::make_unique<SmoothedAggregation>(*each.matrix, options);
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
