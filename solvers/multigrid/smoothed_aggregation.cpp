#include "solvers/multigrid/smoothed_aggregation.hpp"

#include "device/bfloat16.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/process/stop_request.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"
#include "solvers/multigrid/cycle_over_ranks.hpp"
#include "solvers/multigrid/hierarchy_setup.hpp"
#include "solvers/multigrid/recording.hpp"
#include "solvers/multigrid/suitable_levels.hpp"

#include <algorithm>
#include <concepts>
#include <fmt/format.h>
#include <limits>
#include <variant>

namespace ritz {
namespace {

// Beyond it transfers are made for the new values (of heat conduction in layers:
// tests/solvers/multigrid/refresh_test.cpp).
constexpr double largest_change = 2;

// A hierarchy in the precision of the cycle. The values of its matrices may be stored in fewer bits: the product R A P
// is made before they are rounded, and errors in the residuals of other levels are small compared with those that a
// cycle leaves. Transfers are not rounded further, since they hold the near-null space. Over ranks levels are [owned |
// ghosts], and the last one may be replicated; one process has no ghosts.
template <class Real, class Stored = Real>
class Cycle {
  using Kernels = CycleKernels<Real, Stored>;

 public:
  Cycle(const LevelMatrix& A, const SmoothedAggregationOptions& options, const char* kernel_name)
      : device_(A.device),
        options_(options),
        nested_(suitable_levels(A, options)),
        kernels_(kernels<Kernels>(device_, solver_kernels, kernel_name)),
        lane_kernels_(kernels<Kernels>(device_, solver_kernels, std::string(kernel_name) + " lanes")) {
    set_up_hierarchy(A, options, nested_, [&](SetupLevel& level) { levels_.push_back(converted(level)); });
    // The coarsest level makes no other.
    if (nested_ != nullptr) nested_count_ = static_cast<int>(std::min(nested_->levels.size(), levels_.size() - 1));
    if (is_over_ranks()) {  // without refresh
      nested_ = nullptr;
      options_.nested = {};
    }
    work_ = workspace(1);
  }

  // New values on the known patterns; false when they do not fit these.
  bool refresh(const LevelMatrix& A) {
    recording_.forget();
    lane_recording_.forget();
    Vector inverse = inverse_diagonal(A.diagonal());
    change_ *= unevenness(inverse);
    KnownHierarchy known{levels_.size(), {}, change_ <= largest_change};
    known.level = [&](std::size_t number) { return known_level(A, number, known.keeps_transfers); };
    return refresh_hierarchy(A, std::move(inverse), options_, nested_, known,
                             [&](std::size_t number, const KnownLevel& l, RefreshedLevel& from) {
                               Level& level = levels_[number];
                               repack(from.A, level.a);
                               if (!from.P.empty()) {
                                 change_ = 1;
                                 repack(l.P, level.p);
                                 repack(l.R, level.r);
                               }
                               convert(from.inverse_diagonal.data(), level.inverse_diagonal);
                               if (!from.coarsest_inverse.empty())
                                 convert(from.coarsest_inverse.data(), coarsest_inverse_);
                               level.largest_eigenvalue = from.largest_eigenvalue;
                             });
  }

  std::vector<SmoothedAggregation::Level> levels() const {
    std::vector<SmoothedAggregation::Level> result;
    for (std::size_t i = 0; i < levels_.size() - (replicated_ ? 1 : 0); ++i) {
      const Level& l = levels_[i];
      result.push_back({l.ghosts == nullptr ? l.unknowns() : l.ghosts->total() * l.block,
                        l.a.nonzeros * l.block * l.block, l.largest_eigenvalue.full});
    }
    if (replicated_)
      for (const SmoothedAggregation::Level& l : replicated_->multigrid().levels()) result.push_back(l);
    return result;
  }

  int nested_level_count() const {
    return nested_count_ + (replicated_ ? replicated_->multigrid().nested_levels() : 0);
  }
  int divided_level_count() const {
    return is_over_ranks() ? static_cast<int>(levels_.size()) - (replicated_ ? 1 : 0) : 0;
  }

  void apply(const Vector& b, Vector& x) const { apply(kernels_, work_, recording_, b.data(), x.data()); }

  float* single_argument() const {
    if constexpr (std::same_as<Real, float>) return work_.front().b.data();
    else return nullptr;
  }
  void apply_single(const Vector& b, Vector& x, const Vector* q, double* dots) const {
    const Index n = levels_.front().unknowns();
    device_.profile().count(cycle_traffic(1) + n * (real + Index{sizeof(double)} * (q == nullptr ? 2 : 3)));
    run(recording_, kernels_, work_);
    kernels_.to_double_dots(device_, n, work_.front().x.data(), b.data(), q == nullptr ? nullptr : q->data(), x.data(),
                            dots);
  }

  // Each level's matrices are read once per 8 columns.
  void apply_block(const MultiVector& B, MultiVector& X) const {
    if (lane_work_.empty()) lane_work_ = workspace(MultiVector::lanes);
    for (int g = 0; g < B.groups(); ++g) apply(lane_kernels_, lane_work_, lane_recording_, B.group(g), X.group(g));
  }

  // Why launches are not replayed as one, where they could be.
  std::string not_recorded() const {
    return recording_.why_not().empty() ? lane_recording_.why_not() : recording_.why_not();
  }

  Index bytes() const {
    Index sum = coarsest_inverse_.bytes() + (replicated_ ? replicated_->bytes() : 0);
    for (const Level& l : levels_)
      sum += l.a.bytes() + l.p.bytes() + l.r.bytes() + l.aggregate.bytes() + l.inverse_diagonal.bytes();
    for (const Workspace* work : {&work_, &lane_work_})
      for (const Work& w : *work) sum += 4 * w.b.bytes();
    return sum;
  }

 private:
  struct Level {
    CycleMatrix<Stored> a;
    CycleMatrix<Real> p, r;
    Array<Real> inverse_diagonal;
    Array<std::int32_t> aggregate;
    EigenvalueBound largest_eigenvalue;
    Index nodes = 0;  // owned
    int block = 1;
    std::shared_ptr<const Ghosts> ghosts;          // null: one process
    std::vector<CycleRows<Stored>> inner, border;  // of a, over ranks
    Index unknowns() const { return nodes * block; }
    Index size() const { return ghosts == nullptr ? unknowns() : ghosts->size() * block; }  // of its vectors
  };

  // The vectors of a level.
  struct Work {
    Array<Real> b, x, y, d;
  };
  using Workspace = std::vector<Work>;

  Workspace workspace(int lanes) const {
    Workspace result(levels_.size());
    for (std::size_t i = 0; i < levels_.size(); ++i)
      for (Array<Real>* vector : {&result[i].b, &result[i].x, &result[i].y, &result[i].d})
        *vector = Array<Real>(device_, levels_[i].size() * lanes, "multigrid");
    return result;
  }

  Array<Real> converted(const Vector& values) const { return converted(values.data(), values.size()); }
  Array<Real> converted(const double* values, Index n) const {
    Array<Real> result(device_, n, "multigrid");
    convert(values, result);
    return result;
  }
  void convert(const double* values, Array<Real>& result) const {
    device_.profile().count(result.size() * (Index{sizeof(double)} + real));
    if (!result.empty()) kernels_.from_double(device_, result.size(), values, result.data());
  }
  // Largest over smallest ratio of the diagonal of new values to that of the values at hand.
  double unevenness(const Vector& inverse_diagonal) const {
    const Level& first = levels_.front();
    Vector before(device_, inverse_diagonal.size(), "multigrid set-up"),
        ratio(device_, inverse_diagonal.size(), "multigrid set-up");
    kernels_.to_double(device_, before.size(), first.inverse_diagonal.data(), before.data());
    device_.profile().count(before.size() * (Index{sizeof(double)} + real));
    if (!all_positive(before)) return std::numeric_limits<double>::infinity();  // beyond the range of single precision
    before = ritz::inverse_diagonal(std::move(before));
    multiply(inverse_diagonal, before, ratio);
    const double largest = max_abs(ratio);
    return largest * max_abs(ritz::inverse_diagonal(std::move(ratio)));
  }

  KnownLevel known_level(const LevelMatrix& A, std::size_t number, bool with_transfers) const {
    const Level& l = levels_[number];
    KnownLevel known;
    known.A = in_csr(l.a, false, known, number == 0 ? A.view.column : nullptr);
    if (l.p.view.rows > 0) {
      known.P = in_csr(l.p, with_transfers, known);
      known.R = in_csr(l.r, with_transfers, known);
    }
    known.nonzeros = l.a.nonzeros;
    known.transfer_nonzeros = l.p.nonzeros;
    known.aggregate = l.aggregate.data();
    known.largest_eigenvalue = l.largest_eigenvalue;
    return known;
  }
  // Storage that is made for it goes to `keeps`; columns that exist already are not unpacked.
  template <class T>
  BlockMatrixView<double> in_csr(const CycleMatrix<T>& m, bool with_values, KnownLevel& keeps,
                                 const std::int32_t* column = nullptr) const {
    const BlockMatrixView<T>& v = m.view;
    BlockMatrixView<double> result{
        v.rows, v.columns, v.row_block, v.column_block, v.offsets, column != nullptr ? column : v.column, nullptr};
    const bool unpack_columns = v.slices != nullptr && column == nullptr;
    if (unpack_columns) result.column = keeps.columns.emplace_back(device_, m.nonzeros, "multigrid set-up").data();
    double* const values =
        with_values
            ? keeps.values.emplace_back(device_, m.nonzeros * v.row_block * v.column_block, "multigrid set-up").data()
            : nullptr;
    if (unpack_columns || with_values) unpack(m, unpack_columns ? keeps.columns.back().data() : nullptr, values);
    if (with_values) device_.profile().count(traffic(m) + bytes_of(result, m.nonzeros));
    result.values = values;
    return result;
  }
  // Values with their columns are read, and written as the cycle likes them.
  template <class T>
  void pack(const BlockMatrixView<double>& from, Index nonzeros, CycleMatrix<T>& to) const {
    if (from.rows == 0) return;
    if constexpr (std::same_as<T, Stored>) kernels_.pack(device_, from, nonzeros, to);
    else kernels_.pack_transfer(device_, from, nonzeros, to);
    device_.profile().count(to.nonzeros * (Index{from.row_block} * from.column_block * Index{sizeof(double)} +
                                           Index{sizeof(std::int32_t)}) +
                            to.bytes());
  }
  template <class T>
  void unpack(const CycleMatrix<T>& from, std::int32_t* column, double* values) const {
    if constexpr (std::same_as<T, Stored>) kernels_.unpack(device_, from.view, from.nonzeros, column, values);
    else kernels_.unpack_transfer(device_, from.view, from.nonzeros, column, values);
  }
  // The part of the pattern that the matrix owns moves along.
  template <class T>
  void take_pattern(BlockMatrix& from, CycleMatrix<T>& to) const {
    to.offsets = std::move(from.offsets);
    if (to.column.empty()) to.column = std::move(from.column);
  }
  // Writes new values over the old ones.
  template <class T>
  void repack(const BlockMatrixView<double>& from, CycleMatrix<T>& to) const {
    pack(from, to.nonzeros, to);
  }

  Level converted(SetupLevel& from) {
    Level level;
    level.nodes = from.A.view.rows;
    level.block = from.A.block();
    if (from.A.divided != nullptr) level.ghosts = from.A.divided->shared_ghosts();
    if (from.gathered) {
      replicated_ =
          std::make_unique<ReplicatedLevel<Real>>(level.ghosts, std::move(*from.gathered), options_, kernels_);
      from = {};
      return level;
    }
    pack(from.A.view, from.A.nonzeros, level.a);
    take_pattern(from.rows, level.a);
    if (from.A.divided != nullptr) {
      copy_pattern(from.A.view, device_, level.a);
      level.inner = as_matrices(from.A.divided->inner_rows().inner, level.a);
      level.border = as_matrices(from.A.divided->inner_rows().border, level.a);
    }
    pack(from.P.view(), from.P.nonzeros(), level.p);
    take_pattern(from.P, level.p);
    pack(from.R.view(), from.R.nonzeros(), level.r);
    take_pattern(from.R, level.r);
    level.inverse_diagonal = converted(from.inverse_diagonal);
    level.aggregate = std::move(from.aggregate);
    level.largest_eigenvalue = from.largest_eigenvalue;
    if (!from.coarsest_inverse.empty()) coarsest_inverse_ = converted(from.coarsest_inverse);
    from = {};
    return level;
  }

  // The recording goes from work.b to work.x: b and x may differ at every call. Smoothing swaps x with y as it is
  // launched; a replay leaves them as the recording did.
  void apply(const Kernels& kernels, Workspace& work, Recording& recording, const double* b, double* x) const {
    const Index n = levels_.front().unknowns();
    const Index lanes = work.front().b.size() / std::max<Index>(1, levels_.front().size());
    device_.profile().count(cycle_traffic(lanes) + 2 * n * lanes * (real + Index{sizeof(double)}));
    kernels.from_double(device_, n, b, work.front().b.data());
    run(recording, kernels, work);
    kernels.to_double(device_, n, work.front().x.data(), x);
  }

  // Messages of other ranks are no launches.
  void run(Recording& recording, const Kernels& kernels, Workspace& work) const {
    if (is_over_ranks()) return cycle(kernels, work, 0);
    recording.run(device_, [&] { cycle(kernels, work, 0); });
  }
  bool is_over_ranks() const { return levels_.front().ghosts != nullptr; }

  static constexpr Index real = sizeof(Real);

  // Bytes of one product: blocks with their columns, and offsets.
  template <class T>
  static Index traffic(const CycleMatrix<T>& m) {
    return m.nonzeros *
               (Index{m.view.row_block} * m.view.column_block * Index{sizeof(T)} + Index{sizeof(std::int32_t)}) +
           (m.view.rows + 1) * Index{sizeof(Index)};
  }
  // [bytes] read and written by a cycle for `lanes` vectors, as cycle() goes: a step of smoothing reads A, D, b, x and
  // d and writes d and x.
  Index cycle_traffic(Index lanes) const {
    Index sum = 0;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const Level& l = levels_[i];
      const Index n = l.unknowns(), first = n * real * (1 + 2 * lanes),
                  step = traffic(l.a) + n * real * (1 + 5 * lanes);
      if (i + 1 == levels_.size()) {
        if (replicated_) return sum;  // it counts its own
        sum += coarsest_inverse_.empty() ? first + 23 * step : real * n * (n + 2 * lanes);
        continue;
      }
      const Index coarse = levels_[i + 1].unknowns();
      sum += first + (2 * options_.smoothing_degree - 1) * step;
      sum += traffic(l.a) + 3 * n * real * lanes;                                // residual
      sum += traffic(l.r) + traffic(l.p) + (3 * n + 2 * coarse) * real * lanes;  // down; up and added
    }
    return sum;
  }

  // launch(rows) for all rows of a; over ranks the ghosts of x are fetched meanwhile.
  template <class Launch>
  void on_rows(const Level& l, Array<Real>& x, const Launch& launch) const {
    if (l.ghosts == nullptr) return launch(CycleRows<Stored>{0, l.a.view});
    l.ghosts->begin_fetch(x, l.block);
    for (const CycleRows<Stored>& rows : l.inner) {
      launch(rows);
      l.ghosts->look();
    }
    l.ghosts->finish_fetch();
    for (const CycleRows<Stored>& rows : l.border) launch(rows);
  }

  // `degree` Chebyshev steps on [largest / ratio, largest]; from zero, or from what x holds. The result is in x.
  void smooth(const Kernels& kernels, const Level& l, Work& w, bool from_zero, int degree, double ratio) const {
    const double high = l.largest_eigenvalue.full, low = high / ratio;
    const double theta = 0.5 * (high + low), delta = 0.5 * (high - low), sigma = theta / delta;
    double rho = 1 / sigma;
    int step = 0;
    if (from_zero) {
      kernels.smooth_first(device_, l.unknowns(), Real(1 / theta), l.inverse_diagonal.data(), w.b.data(), w.x.data());
      step = 1;
    }
    for (; step < degree; ++step) {
      const double rho_next = 1 / (2 * sigma - rho);
      const double c1 = step == 0 ? 0 : rho_next * rho, c2 = step == 0 ? 1 / theta : 2 * rho_next / delta;
      // The step before: none (any numbers times zero), or x itself when it is the first, or d.
      const Real* d_before = step == 0 ? w.b.data() : step == 1 && from_zero ? w.x.data() : w.d.data();
      on_rows(l, w.x, [&](const CycleRows<Stored>& rows) {
        const Index n = rows.first;
        kernels.smooth(device_, rows.view, Real(c1), Real(c2), l.inverse_diagonal.data() + n, w.b.data() + n,
                       w.x.data() + n, d_before + n, w.d.data() + n, w.y.data() + n);
      });
      w.x.swap(w.y);
      if (step > 0) rho = rho_next;
    }
  }

  void cycle(const Kernels& kernels, Workspace& work, std::size_t number) const {
    const Level& l = levels_[number];
    Work& w = work[number];
    if (number + 1 == levels_.size()) {
      if (replicated_) replicated_->solve(w.b, w.x);
      else if (!coarsest_inverse_.empty())
        kernels.dense(device_, l.unknowns(), coarsest_inverse_.data(), w.b.data(), w.x.data());
      // too large for a dense inverse: many steps over nearly the whole spectrum
      else smooth(kernels, l, w, true, 24, 500);
      return;
    }
    Work& coarse = work[number + 1];
    smooth(kernels, l, w, true, options_.smoothing_degree, options_.smoothing_ratio);
    on_rows(l, w.x, [&](const CycleRows<Stored>& rows) {
      const Index n = rows.first;
      kernels.residual(device_, rows.view, w.b.data() + n, w.x.data() + n, w.y.data() + n);
    });
    kernels.multiply(device_, l.r.view, w.y.data(), coarse.b.data());
    const Level& next = levels_[number + 1];
    if (next.ghosts != nullptr) next.ghosts->add_to_owners(coarse.b, next.block);
    cycle(kernels, work, number + 1);
    const bool knows_ghosts = replicated_ && number + 2 == levels_.size();
    if (next.ghosts != nullptr && !knows_ghosts) next.ghosts->fetch(coarse.x, next.block);
    kernels.multiply_add(device_, l.p.view, coarse.x.data(), w.x.data());
    smooth(kernels, l, w, false, options_.smoothing_degree, options_.smoothing_ratio);
  }

  Device device_;
  SmoothedAggregationOptions options_;
  NestedLevels nested_;
  int nested_count_ = 0;
  const Kernels &kernels_, &lane_kernels_;
  std::vector<Level> levels_;
  Array<Real> coarsest_inverse_;
  std::unique_ptr<ReplicatedLevel<Real>> replicated_;  // over ranks, where the last level is one
  double change_ = 1;                   // of the values since the transfers were made: the product of unevenness()
  mutable Workspace work_, lane_work_;  // the second is made when first needed
  mutable Recording recording_, lane_recording_;
};

}  // namespace

struct SmoothedAggregation::Hierarchy {
  const LinearOperator& matrix;
  const SparseMatrix* A;                           // null: over ranks, as the next
  std::shared_ptr<const SparsityPattern> pattern;  // when it was set up
  SmoothedAggregationOptions options;              // of one process
  std::variant<Cycle<float>, Cycle<double>, Cycle<float, BFloat16>> cycle;

  static std::unique_ptr<Hierarchy> of(const SparseMatrix& A, const SmoothedAggregationOptions& options) {
    const LongWork here;
    return std::make_unique<Hierarchy>(Hierarchy{A, &A, A.shared_pattern(), options, cycle_of(A, options)});
  }
  static std::unique_ptr<Hierarchy> of(const DividedMatrix& A, const SmoothedAggregationOptions& options) {
    const LongWork here;
    return std::make_unique<Hierarchy>(Hierarchy{A, nullptr, nullptr, {}, cycle_of(A, options)});
  }

 private:
  template <class Matrix>
  static decltype(cycle) cycle_of(const Matrix& A, const SmoothedAggregationOptions& options) {
    const LevelMatrix first = level_matrix(A);
    if (options.single_precision && options.half_storage) return Cycle<float, BFloat16>(first, options, "cycle half");
    if (options.single_precision) return Cycle<float>(first, options, "cycle single");
    return Cycle<double>(first, options, "cycle double");
  }
};

SmoothedAggregation::SmoothedAggregation(const SparseMatrix& A, const SmoothedAggregationOptions& options)
    : hierarchy_(Hierarchy::of(A, options)) {}
SmoothedAggregation::SmoothedAggregation(const DividedMatrix& A, const SmoothedAggregationOptions& options)
    : hierarchy_(Hierarchy::of(A, options)) {}

bool SmoothedAggregation::refresh() {
  Hierarchy& h = *hierarchy_;
  if (h.A == nullptr || h.A->shared_pattern() != h.pattern)
    throw Error(Exit::internal,
                h.A == nullptr ? "multigrid over ranks was refreshed, which is for one process"
                               : "multigrid was refreshed for a matrix whose pattern has changed",
                {}, "make a new SmoothedAggregation");
  if (std::visit([&](auto& cycle) { return cycle.refresh(level_matrix(*h.A)); }, h.cycle)) return true;
  hierarchy_ = Hierarchy::of(*h.A, h.options);
  return false;
}

SmoothedAggregation::~SmoothedAggregation() = default;

const Device& SmoothedAggregation::device() const { return hierarchy_->matrix.device(); }
Index SmoothedAggregation::rows() const { return hierarchy_->matrix.rows(); }
std::vector<SmoothedAggregation::Level> SmoothedAggregation::levels() const {
  return std::visit([](const auto& cycle) { return cycle.levels(); }, hierarchy_->cycle);
}

void SmoothedAggregation::apply(const Vector& b, Vector& x) const {
  for (const Vector* each : {&b, &std::as_const(x)})
    if (each->size() != rows()) throw_size_mismatch(rows(), each->size());
  std::visit([&](const auto& cycle) { cycle.apply(b, x); }, hierarchy_->cycle);
}

float* SmoothedAggregation::single_argument() const {
  return std::visit([](const auto& cycle) { return cycle.single_argument(); }, hierarchy_->cycle);
}

void SmoothedAggregation::apply_single(const Vector& b, Vector& x, const Vector* q, double* dots) const {
  std::visit([&](const auto& cycle) { cycle.apply_single(b, x, q, dots); }, hierarchy_->cycle);
}

void SmoothedAggregation::apply_block(const MultiVector& B, MultiVector& X) const {
  if (hierarchy_->A == nullptr) return LinearOperator::apply_block(B, X);
  check_block(*this, B, X);
  std::visit([&](const auto& cycle) { cycle.apply_block(B, X); }, hierarchy_->cycle);
}

int SmoothedAggregation::nested_levels() const {
  return std::visit([](const auto& cycle) { return cycle.nested_level_count(); }, hierarchy_->cycle);
}

int SmoothedAggregation::divided_levels() const {
  return std::visit([](const auto& cycle) { return cycle.divided_level_count(); }, hierarchy_->cycle);
}

std::string SmoothedAggregation::name() const {
  static constexpr const char* precision_names[] = {"single precision", "double precision",
                                                    "single precision, matrices in 16 bits"};
  const std::string not_recorded =
      std::visit([](const auto& cycle) { return cycle.not_recorded(); }, hierarchy_->cycle);
  std::string levels_text = fmt::format("{} levels", levels().size());
  const bool over_ranks = hierarchy_->A == nullptr;
  if (over_ranks) levels_text += fmt::format(", {} of them divided among ranks", divided_levels());
  if (nested_levels() > 0)
    levels_text += fmt::format(", {}{} over nested meshes", nested_levels(), over_ranks ? "" : " of them");
  return fmt::format("{} multigrid, {}, {}{}", nested_levels() == 0 ? "smoothed-aggregation" : "geometric", levels_text,
                     precision_names[hierarchy_->cycle.index()],
                     not_recorded.empty() ? "" : ", without a CUDA graph: " + not_recorded);
}

double SmoothedAggregation::operator_complexity() const {
  const std::vector<Level> all = levels();
  double sum = 0;
  for (const Level& level : all) sum += double(level.nonzeros);
  return sum / double(all.front().nonzeros);
}

Index SmoothedAggregation::bytes() const {
  return std::visit([](const auto& cycle) { return cycle.bytes(); }, hierarchy_->cycle);
}

}  // namespace ritz
