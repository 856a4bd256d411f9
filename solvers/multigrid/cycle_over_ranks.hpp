// Parts of a cycle that only ranks need: products in ranges of rows, during which the ghosts' values travel, and a last
// level that every rank has. Private to solvers/multigrid.
#pragma once

#include "device/host_view.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/algebra/ghost_kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"
#include "solvers/multigrid/hierarchy_setup.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ritz {

// A range of rows as a matrix of its own: columns count from the node of its first row, as vectors do there.
template <class Stored>
struct CycleRows {
  Index first;  // unknown
  BlockMatrixView<Stored> view;
};

// The pattern of a packed matrix becomes a copy of `from`, where the matrix refers to it.
template <class Stored>
void copy_pattern(const BlockMatrixView<double>& from, const Device& device, CycleMatrix<Stored>& to) {
  to.offsets = Array<Index>(device, from.rows + 1, "multigrid");
  device.machine().copy_on_device(to.offsets.data(), from.offsets, to.offsets.bytes());
  to.view.offsets = to.offsets.data();
  if (to.view.slices != nullptr) return;
  to.column = Array<std::int32_t>(device, to.nonzeros, "multigrid");
  device.machine().copy_on_device(to.column.data(), from.column, to.column.bytes());
  to.view.column = to.column.data();
}

// Renumbers the columns of these rows, which `a` owns.
template <class Stored>
std::vector<CycleRows<Stored>> as_matrices(const std::vector<RowRange>& ranges, CycleMatrix<Stored>& a) {
  constexpr Index slice = 16;  // sliced_rows_cpu.hpp; ranges begin where a window of slices does
  const Device& device = a.offsets.device();
  const auto at = [&](const Index* offset) { return HostView<Index>(device, offset, 1)[0]; };
  std::vector<CycleRows<Stored>> result;
  for (const RowRange& range : ranges) {
    BlockMatrixView<Stored> view = a.view;
    view.rows = range.last - range.first;
    view.offsets += range.first;
    Index begin = at(view.offsets), end = at(view.offsets + view.rows);
    if (view.slices != nullptr) {
      view.slices += range.first / slice;
      view.place += range.first;
      const Index slices = (view.rows + InnerRows::piece - 1) / InnerRows::piece * (InnerRows::piece / slice);
      begin = at(view.slices) * slice;
      end = at(view.slices + slices) * slice;
    }
    kernels<GhostKernels>(device, solver_kernels, "ghosts")
        .shift(device, end - begin, static_cast<std::int32_t>(range.first), a.column.data() + begin);
    result.push_back({range.first * view.row_block, view});
  }
  return result;
}

// A level of which every rank has the whole, and solves it alone.
template <class Real>
class ReplicatedLevel {
 public:
  template <class Stored>
  ReplicatedLevel(std::shared_ptr<const Ghosts> ghosts, GatheredLevel level, SmoothedAggregationOptions options,
                  const CycleKernels<Real, Stored>& kernels)
      : ghosts_(std::move(ghosts)),
        to_double_(kernels.to_double),
        from_double_(kernels.from_double),
        A_(std::move(level.A)),
        b_(A_.device(), A_.rows(), "multigrid"),
        x_(A_.device(), A_.rows(), "multigrid"),
        part_(A_.device(), ghosts_->size() * A_.block_size(), "multigrid"),
        gathered_(A_.device(), A_.rows(), "multigrid") {
    std::vector<std::int32_t> at;
    for (Index i = 0; i < ghosts_->size(); ++i) at.push_back(static_cast<std::int32_t>(ghosts_->global(i)));
    at_ = Array<std::int32_t>(A_.device(), std::span<const std::int32_t>(at), "multigrid");
    options.near_null = &level.near_null;
    options.near_null_count = level.near_null_count;
    options.translations = level.translations;
    options.coordinates = nullptr;
    options.strength = level.strength;
    options.levels = level.nested == nullptr ? MultigridLevels::aggregation : MultigridLevels::nested;
    options.nested = [nested = level.nested] { return nested; };
    multigrid_ = std::make_unique<SmoothedAggregation>(A_, options);
  }

  // b: [owned]; x: [owned | ghosts], which needs no message.
  void solve(const Array<Real>& b, Array<Real>& x) const {
    const Device& device = A_.device();
    const int block = A_.block_size();
    ghosts_->gather(b, block, gathered_);
    to_double_(device, gathered_.size(), gathered_.data(), b_.data());
    multigrid_->apply(b_, x_);
    kernels<GhostKernels>(device, solver_kernels, "ghosts")
        .take(device, at_.size(), at_.data(), block, x_.data(), part_.data());
    from_double_(device, part_.size(), part_.data(), x.data());
  }
  const SmoothedAggregation& multigrid() const { return *multigrid_; }
  Index bytes() const {
    return multigrid_->bytes() + A_.values().bytes() + b_.bytes() + x_.bytes() + part_.bytes() + gathered_.bytes() +
           at_.bytes();
  }

 private:
  std::shared_ptr<const Ghosts> ghosts_;
  void (*to_double_)(const Device&, Index n, const Real* x, double* y);
  void (*from_double_)(const Device&, Index n, const double* x, Real* y);
  SparseMatrix A_;
  mutable Vector b_, x_, part_;
  Array<std::int32_t> at_;  // [owned | ghosts] in x_
  mutable Array<Real> gathered_;
  std::unique_ptr<SmoothedAggregation> multigrid_;
};

}  // namespace ritz
