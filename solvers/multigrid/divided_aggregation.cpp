#include "solvers/multigrid/divided_aggregation.hpp"

#include "device/host_view.hpp"
#include "device/kernels.hpp"
#include "device/process/stop_request.hpp"
#include "device/ranks/ranks.hpp"
#include "solvers/algebra/ghost_kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/solver_progress.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"
#include "solvers/multigrid/divided_levels.hpp"

#include <algorithm>
#include <concepts>
#include <fmt/format.h>
#include <optional>
#include <variant>

namespace ritz {
namespace divided {

// The whole of a level on every rank, which solves it alone.
template <class Real>
class ReplicatedLevel {
 public:
  ReplicatedLevel(const Ghosts& ghosts, DividedLevels::Whole whole, SmoothedAggregationOptions options,
                  NestedLevels nested, const CycleKernels<Real>& kernels)
      : ghosts_(ghosts),
        kernels_(kernels),
        A_(std::move(whole.A)),
        b_(A_.device(), A_.rows(), "multigrid"),
        x_(A_.device(), A_.rows(), "multigrid"),
        part_(A_.device(), ghosts.size() * A_.block_size(), "multigrid"),
        gathered_(A_.device(), A_.rows(), "multigrid") {
    std::vector<std::int32_t> at;
    for (Index i = 0; i < ghosts.size(); ++i) at.push_back(static_cast<std::int32_t>(ghosts.global(i)));
    at_ = Array<std::int32_t>(A_.device(), std::span<const std::int32_t>(at), "multigrid");
    options.near_null = &whole.near_null;
    options.near_null_count = static_cast<int>(whole.near_null.size() / A_.rows());
    options.translations = whole.translations;
    options.coordinates = nullptr;
    options.levels = nested == nullptr ? MultigridLevels::aggregation : MultigridLevels::nested;
    options.nested = [nested] { return nested; };
    multigrid_.emplace(A_, options);
  }

  // b: [owned]; x: [owned | ghosts], which needs no message.
  void solve(const Array<Real>& b, Array<Real>& x) const {
    const Device& device = A_.device();
    const int block = A_.block_size();
    ghosts_.gather(b, block, gathered_);
    kernels_.to_double(device, gathered_.size(), gathered_.data(), b_.data());
    multigrid_->apply(b_, x_);
    kernels<GhostKernels>(device, solver_kernels, "ghosts")
        .take(device, at_.size(), at_.data(), block, x_.data(), part_.data());
    kernels_.from_double(device, part_.size(), part_.data(), x.data());
  }

  std::size_t levels() const { return multigrid_->levels().size(); }
  std::size_t nested_levels() const { return static_cast<std::size_t>(multigrid_->nested_levels()); }

 private:
  const Ghosts& ghosts_;
  const CycleKernels<Real>& kernels_;
  SparseMatrix A_;
  mutable Vector b_, x_, part_;
  Array<std::int32_t> at_;  // [owned | ghosts] in x_
  mutable Array<Real> gathered_;
  std::optional<SmoothedAggregation> multigrid_;
};

template <class Real>
class DividedCycle {
  using Kernels = CycleKernels<Real>;

 public:
  DividedCycle(const DividedMatrix& A, const DividedAggregationOptions& options, const char* kernel_name)
      : device_(A.device()),
        options_(options.multigrid),
        kernels_(kernels<Kernels>(device_, solver_kernels, kernel_name)) {
    static const DividedNesting none;
    const DividedNesting& nesting = options.nesting == nullptr ? none : *options.nesting;
    const std::size_t nested = suitable_levels(A, nesting, options_);
    nested_ = std::min(nested, nesting.parts.size());
    const NestedLevels rest =
        nested <= nesting.parts.size() ? nullptr : std::make_shared<const std::vector<NestedNodes>>(nesting.whole);
    const DividedLevels levels(options_, nested_);
    std::unique_ptr<DividedMatrix> made;
    const DividedMatrix* matrix = &A;
    DividedLevel level = levels.first(A);
    // One process inverts a small first level: so does every rank.
    const Index inverted = std::min(options.replicated, options_.coarsest_size);
    for (int number = 1;; ++number) {
      unknowns_.push_back(level.ghosts->total() * matrix->block_size());
      report_progress(fmt::format("multigrid set-up: level {}, {} unknowns", number, unknowns_.back()));
      const bool small = unknowns_.back() <= (number > 1 ? options.replicated : inverted);
      std::optional<DividedLevels::Coarser> next;
      const auto at = static_cast<std::size_t>(number - 1);
      const bool goes_on = !small && number < options_.max_levels;
      if (goes_on) {
        if (at < nested_) next = levels.coarsen(nesting.parts[at], *matrix, level);
        else next = levels.coarsen(number, *matrix, level);
      }
      if (!next && unknowns_.back() <= (goes_on ? most_where_stuck : 1) * options.replicated) {
        SmoothedAggregationOptions below = options_;
        below.strength = levels.strength(number, *matrix, level);
        last_ = level.ghosts;
        replicated_ = std::make_unique<ReplicatedLevel<Real>>(*last_, DividedLevels::whole(*matrix, level), below,
                                                              at == nesting.parts.size() ? rest : nullptr, kernels_);
        break;
      }
      if (!next) level.largest_eigenvalue.full = sure_eigenvalue_bound(*matrix, level.inverse_diagonal);
      levels_.push_back(packed(*matrix, level, next ? &next->transfer : nullptr));
      if (!next) break;
      made = std::move(next->A);
      matrix = made.get();
      level = std::move(next->level);
      level.largest_eigenvalue = options_.sure_bounds
                                     ? EigenvalueBound{.full = sure_eigenvalue_bound(*matrix, level.inverse_diagonal)}
                                     : eigenvalue_bound(*matrix, level.inverse_diagonal);
    }
    for (const Level& l : levels_) work_.push_back(work_of(*l.ghosts, l.block));
    if (replicated_)
      work_.push_back(work_of(*last_, levels_.empty() ? A.block_size() : levels_.back().p.view.column_block));
  }

  void apply(const Vector& b, Vector& x) const {
    kernels_.from_double(device_, b.size(), b.data(), work_.front().b.data());
    cycle(0);
    kernels_.to_double(device_, x.size(), work_.front().x.data(), x.data());
  }

  float* single_argument() const {
    if constexpr (std::same_as<Real, float>) return work_.front().b.data();
    else return nullptr;
  }
  void apply_single(const Vector& b, Vector& x, const Vector* q, double* dots) const {
    cycle(0);
    kernels_.to_double_dots(device_, b.size(), work_.front().x.data(), b.data(), q == nullptr ? nullptr : q->data(),
                            x.data(), dots);
  }

  const std::vector<Index>& unknowns() const { return unknowns_; }
  std::size_t divided_levels() const { return levels_.size(); }
  std::size_t nested_levels() const { return nested_ + (replicated_ ? replicated_->nested_levels() : 0); }
  std::string name() const {
    const std::size_t count = levels_.size() + (replicated_ ? replicated_->levels() : 0);
    const std::size_t nested = nested_levels();
    return fmt::format("{} multigrid, {} levels, {} of them divided among ranks, {}{} precision",
                       nested == 0 ? "smoothed-aggregation" : "geometric", count, levels_.size(),
                       nested == 0 ? "" : fmt::format("{} over nested meshes, ", nested),
                       sizeof(Real) == sizeof(float) ? "single" : "double");
  }

 private:
  // A level is made whole where a rank would have no node of the next one: with ten nodes for each rank or so, not all
  // ranks have the root of an aggregate.
  static constexpr Index most_where_stuck = 10;

  // A range of rows as a matrix of its own: columns count from the node of its first row, as vectors do there.
  struct Rows {
    Index first;  // unknown
    BlockMatrixView<Real> view;
  };
  struct Level {
    std::shared_ptr<const Ghosts> ghosts;
    int block;
    CycleMatrix<Real> a, p, r;        // p and r empty on a last one
    std::vector<Rows> inner, border;  // of a
    Array<Real> inverse_diagonal;
    double largest_eigenvalue;
    Index unknowns() const { return ghosts->owned() * block; }
  };
  struct Work {
    Array<Real> b, x, y, d;  // [owned | ghosts]
  };

  Work work_of(const Ghosts& ghosts, int block) const {
    const Index size = ghosts.size() * block;
    Work work;
    for (Array<Real>* each : {&work.b, &work.x, &work.y, &work.d}) *each = Array<Real>(device_, size, "multigrid");
    return work;
  }

  // A pattern that the packed matrix refers to is copied: that of a coarser matrix goes with it.
  static void pack(const Kernels& kernels, const BlockMatrixView<double>& from, Index nonzeros, CycleMatrix<Real>& to,
                   const Device& device) {
    if (from.rows == 0) return;
    kernels.pack(device, from, nonzeros, to);
    to.offsets = Array<Index>(device, from.rows + 1, "multigrid");
    device.machine().copy_on_device(to.offsets.data(), from.offsets, to.offsets.bytes());
    to.view.offsets = to.offsets.data();
    if (to.view.slices != nullptr) return;
    to.column = Array<std::int32_t>(device, nonzeros, "multigrid");
    device.machine().copy_on_device(to.column.data(), from.column, to.column.bytes());
    to.view.column = to.column.data();
  }

  static std::vector<Rows> as_matrices(const std::vector<RowRange>& ranges, CycleMatrix<Real>& a) {
    constexpr Index slice = 16;  // sliced_rows_cpu.hpp; ranges begin where a window of slices does
    const Device& device = a.offsets.device();
    const auto at = [&](const Index* offset) { return HostView<Index>(device, offset, 1)[0]; };
    std::vector<Rows> result;
    for (const RowRange& range : ranges) {
      BlockMatrixView<Real> view = a.view;
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

  // run(rows) for all rows of a; the ghosts of x are fetched meanwhile.
  template <class Run>
  void on_rows(const Level& l, Array<Real>& x, const Run& run) const {
    l.ghosts->begin_fetch(x, l.block);
    for (const Rows& rows : l.inner) {
      run(rows);
      l.ghosts->look();
    }
    l.ghosts->finish_fetch();
    for (const Rows& rows : l.border) run(rows);
  }

  Level packed(const DividedMatrix& A, const DividedLevel& level, const DividedTransfer* transfer) const {
    Level result{.ghosts = level.ghosts, .block = A.block_size()};
    pack(kernels_, A.owned_rows(), A.nonzeros(), result.a, device_);
    result.inner = as_matrices(A.inner_rows().inner, result.a);
    result.border = as_matrices(A.inner_rows().border, result.a);
    if (transfer != nullptr) {
      pack(kernels_, transfer->P.view(), transfer->P.nonzeros(), result.p, device_);
      pack(kernels_, transfer->R.view(), transfer->R.nonzeros(), result.r, device_);
    }
    result.inverse_diagonal = Array<Real>(device_, level.inverse_diagonal.size(), "multigrid");
    kernels_.from_double(device_, level.inverse_diagonal.size(), level.inverse_diagonal.data(),
                         result.inverse_diagonal.data());
    result.largest_eigenvalue = level.largest_eigenvalue.full;
    return result;
  }

  // Same steps as for one rank (smoothed_aggregation.cpp), with the ghosts of x fetched in each product.
  void smooth(const Level& l, Work& w, bool from_zero, int degree, double ratio) const {
    const double high = l.largest_eigenvalue, low = high / ratio;
    const double theta = 0.5 * (high + low), delta = 0.5 * (high - low), sigma = theta / delta;
    double rho = 1 / sigma;
    int step = 0;
    if (from_zero) {
      kernels_.smooth_first(device_, l.unknowns(), Real(1 / theta), l.inverse_diagonal.data(), w.b.data(), w.x.data());
      step = 1;
    }
    for (; step < degree; ++step) {
      const double rho_next = 1 / (2 * sigma - rho);
      const double c1 = step == 0 ? 0 : rho_next * rho, c2 = step == 0 ? 1 / theta : 2 * rho_next / delta;
      const Real* d_before = step == 0 ? w.b.data() : step == 1 && from_zero ? w.x.data() : w.d.data();
      on_rows(l, w.x, [&](const Rows& rows) {
        const Index n = rows.first;
        kernels_.smooth(device_, rows.view, Real(c1), Real(c2), l.inverse_diagonal.data() + n, w.b.data() + n,
                        w.x.data() + n, d_before + n, w.d.data() + n, w.y.data() + n);
      });
      w.x.swap(w.y);
      if (step > 0) rho = rho_next;
    }
  }

  void cycle(std::size_t number) const {
    Work& w = work_[number];
    if (number == levels_.size()) return replicated_->solve(w.b, w.x);
    const Level& l = levels_[number];
    if (l.p.view.rows == 0) return smooth(l, w, true, 24, 500);
    Work& coarse = work_[number + 1];
    const Ghosts& next = number + 1 < levels_.size() ? *levels_[number + 1].ghosts : *last_;
    const int next_block = l.p.view.column_block;
    smooth(l, w, true, options_.smoothing_degree, options_.smoothing_ratio);
    on_rows(l, w.x, [&](const Rows& rows) {
      const Index n = rows.first;
      kernels_.residual(device_, rows.view, w.b.data() + n, w.x.data() + n, w.y.data() + n);
    });
    kernels_.multiply(device_, l.r.view, w.y.data(), coarse.b.data());
    next.add_to_owners(coarse.b, next_block);
    cycle(number + 1);
    if (number + 1 < levels_.size()) next.fetch(coarse.x, next_block);
    kernels_.multiply_add(device_, l.p.view, coarse.x.data(), w.x.data());
    smooth(l, w, false, options_.smoothing_degree, options_.smoothing_ratio);
  }

  Device device_;
  SmoothedAggregationOptions options_;
  std::size_t nested_ = 0;  // of the divided levels, those with nested nodes below them
  const Kernels& kernels_;
  std::vector<Level> levels_;
  std::shared_ptr<const Ghosts> last_;  // of the replicated level
  std::unique_ptr<ReplicatedLevel<Real>> replicated_;
  std::vector<Index> unknowns_;
  mutable std::vector<Work> work_;
};

}  // namespace divided

struct DividedAggregation::Hierarchy {
  const DividedMatrix* A;
  std::variant<divided::DividedCycle<float>, divided::DividedCycle<double>> cycle;
};

DividedAggregation::DividedAggregation(const DividedMatrix& A, const DividedAggregationOptions& options) {
  const LongWork here;
  if (options.multigrid.single_precision)
    hierarchy_ = std::make_unique<Hierarchy>(Hierarchy{&A, divided::DividedCycle<float>(A, options, "cycle single")});
  else
    hierarchy_ = std::make_unique<Hierarchy>(Hierarchy{&A, divided::DividedCycle<double>(A, options, "cycle double")});
}

DividedAggregation::~DividedAggregation() = default;

const Device& DividedAggregation::device() const { return hierarchy_->A->device(); }
Index DividedAggregation::rows() const { return hierarchy_->A->rows(); }

void DividedAggregation::apply(const Vector& b, Vector& x) const {
  if (b.size() != rows()) throw_size_mismatch(rows(), b.size());
  if (x.size() != rows()) throw_size_mismatch(rows(), x.size());
  std::visit([&](const auto& cycle) { cycle.apply(b, x); }, hierarchy_->cycle);
}

float* DividedAggregation::single_argument() const {
  return std::visit([](const auto& cycle) { return cycle.single_argument(); }, hierarchy_->cycle);
}

void DividedAggregation::apply_single(const Vector& b, Vector& x, const Vector* q, double* dots) const {
  std::visit([&](const auto& cycle) { cycle.apply_single(b, x, q, dots); }, hierarchy_->cycle);
}

std::string DividedAggregation::name() const {
  return std::visit([](const auto& cycle) { return cycle.name(); }, hierarchy_->cycle);
}

const std::vector<Index>& DividedAggregation::unknowns() const {
  return std::visit([](const auto& cycle) -> const std::vector<Index>& { return cycle.unknowns(); }, hierarchy_->cycle);
}

int DividedAggregation::divided_levels() const {
  return std::visit([](const auto& cycle) { return static_cast<int>(cycle.divided_levels()); }, hierarchy_->cycle);
}

int DividedAggregation::nested_levels() const {
  return std::visit([](const auto& cycle) { return static_cast<int>(cycle.nested_levels()); }, hierarchy_->cycle);
}

}  // namespace ritz
