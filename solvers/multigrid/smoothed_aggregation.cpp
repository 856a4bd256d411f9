#include "solvers/multigrid/smoothed_aggregation.hpp"

#include "device/bfloat16.hpp"
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "device/process/stop_request.hpp"
#include "solvers/smoothers/jacobi.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/multigrid/cycle.hpp"
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

// To and from the form in which a cycle has its levels.
template <class Real, class Stored>
class CyclePacking {
 public:
  CyclePacking(const Device& device, const CycleKernels<Real, Stored>& kernels) : device_(device), kernels_(kernels) {}

  void convert(const double* values, Array<Real>& result) const {
    device_.profile().count(result.size() * (Index{sizeof(double)} + Index{sizeof(Real)}));
    if (!result.empty()) kernels_.from_double(device_, result.size(), values, result.data());
  }
  Array<Real> converted(const Vector& values) const {
    Array<Real> result(device_, values.size(), "multigrid");
    convert(values.data(), result);
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
  // The part of the pattern that the matrix owns moves along.
  template <class T>
  static void take_pattern(BlockMatrix& from, CycleMatrix<T>& to) {
    to.offsets = std::move(from.offsets);
    if (to.column.empty()) to.column = std::move(from.column);
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
    if (with_values) device_.profile().count(product_traffic(m) + bytes_of(result, m.nonzeros));
    result.values = values;
    return result;
  }

 private:
  template <class T>
  void unpack(const CycleMatrix<T>& from, std::int32_t* column, double* values) const {
    if constexpr (std::same_as<T, Stored>) kernels_.unpack(device_, from.view, from.nonzeros, column, values);
    else kernels_.unpack_transfer(device_, from.view, from.nonzeros, column, values);
  }

  Device device_;
  const CycleKernels<Real, Stored>& kernels_;
};

// Largest over smallest ratio of the diagonal of new values to that of the values at hand.
template <class Real, class Stored>
double unevenness(const CycleKernels<Real, Stored>& kernels, const Array<Real>& known, const Vector& inverse_diagonal) {
  const Device& device = inverse_diagonal.device();
  Vector before(device, inverse_diagonal.size(), "multigrid set-up"),
      ratio(device, inverse_diagonal.size(), "multigrid set-up");
  kernels.to_double(device, before.size(), known.data(), before.data());
  device.profile().count(before.size() * (Index{sizeof(double)} + Index{sizeof(Real)}));
  if (!all_positive(before)) return std::numeric_limits<double>::infinity();  // beyond the range of single precision
  before = ritz::inverse_diagonal(std::move(before));
  multiply(inverse_diagonal, before, ratio);
  const double largest = max_abs(ratio);
  return largest * max_abs(ritz::inverse_diagonal(std::move(ratio)));
}

// column: of A in CSR where it exists.
template <class Real, class Stored>
KnownLevel known_level(const CyclePacking<Real, Stored>& packing, const CycleLevel<Real, Stored>& l,
                       bool with_transfers, const std::int32_t* column) {
  KnownLevel known;
  known.A = packing.in_csr(l.a, false, known, column);
  if (l.p.view.rows > 0) {
    known.P = packing.in_csr(l.p, with_transfers, known);
    known.R = packing.in_csr(l.r, with_transfers, known);
  }
  known.nonzeros = l.a.nonzeros;
  known.transfer_nonzeros = l.p.nonzeros;
  known.aggregate = l.aggregate.data();
  known.largest_eigenvalue = l.largest_eigenvalue;
  return known;
}

// The level, or the start of the replicated one; frees what it is made of.
template <class Real, class Stored>
CycleLevel<Real, Stored> packed(const CyclePacking<Real, Stored>& packing, SetupLevel& from) {
  CycleLevel<Real, Stored> level;
  level.nodes = from.A.view.rows;
  level.block = from.A.block();
  if (from.A.divided != nullptr) level.ghosts = from.A.divided->shared_ghosts();
  if (from.gathered) return level;
  packing.pack(from.A.view, from.A.nonzeros, level.a);
  packing.take_pattern(from.rows, level.a);
  if (from.A.divided != nullptr) {
    copy_pattern(from.A.view, from.A.device, level.a);
    level.inner = as_matrices(from.A.divided->inner_rows().inner, level.a);
    level.border = as_matrices(from.A.divided->inner_rows().border, level.a);
  }
  packing.pack(from.P.view(), from.P.nonzeros(), level.p);
  packing.take_pattern(from.P, level.p);
  packing.pack(from.R.view(), from.R.nonzeros(), level.r);
  packing.take_pattern(from.R, level.r);
  level.inverse_diagonal = packing.converted(from.inverse_diagonal);
  level.aggregate = std::move(from.aggregate);
  level.largest_eigenvalue = from.largest_eigenvalue;
  return level;
}

template <class Real, class Stored>
std::vector<SmoothedAggregation::Level> levels_of(const CycleHierarchy<Real, Stored>& of) {
  std::vector<SmoothedAggregation::Level> result;
  for (std::size_t i = 0; i < of.levels.size() - (of.replicated ? 1 : 0); ++i) {
    const CycleLevel<Real, Stored>& l = of.levels[i];
    result.push_back({l.ghosts == nullptr ? l.unknowns() : l.ghosts->total() * l.block,
                      l.a.nonzeros * l.block * l.block, l.largest_eigenvalue.full});
  }
  if (of.replicated)
    for (const SmoothedAggregation::Level& l : of.replicated->multigrid().levels()) result.push_back(l);
  return result;
}

template <class Real, class Stored>
Index bytes_of_levels(const CycleHierarchy<Real, Stored>& of) {
  Index sum = of.coarsest_inverse.bytes() + (of.replicated ? of.replicated->bytes() : 0);
  for (const CycleLevel<Real, Stored>& l : of.levels)
    sum += l.a.bytes() + l.p.bytes() + l.r.bytes() + l.aggregate.bytes() + l.inverse_diagonal.bytes();
  return sum;
}

// A hierarchy in the precision of the cycle. The values of its matrices may be stored in fewer bits: the product R A P
// is made before they are rounded, and errors in the residuals of other levels are small compared with those that a
// cycle leaves. Transfers are not rounded further, since they hold the near-null space.
template <class Real, class Stored = Real>
class Cycle {
  using Kernels = CycleKernels<Real, Stored>;

 public:
  Cycle(const LevelMatrix& A, const SmoothedAggregationOptions& options, const char* kernel_name)
      : device_(A.device),
        options_(options),
        nested_(suitable_levels(A, options)),
        kernels_(kernels<Kernels>(device_, solver_kernels, kernel_name)),
        lane_kernels_(kernels<Kernels>(device_, solver_kernels, std::string(kernel_name) + " lanes")),
        hierarchy_{.smoothing_degree = options.smoothing_degree, .smoothing_ratio = options.smoothing_ratio} {
    set_up_hierarchy(A, options, nested_, [&](SetupLevel& level) { take(level); });
    // The coarsest level makes no other.
    const std::size_t count = hierarchy_.levels.size();
    if (nested_ != nullptr) nested_count_ = static_cast<int>(std::min(nested_->levels.size(), count - 1));
    if (hierarchy_.is_over_ranks()) {  // without refresh
      nested_ = nullptr;
      options_.nested = {};
    }
    work_ = workspace(device_, hierarchy_, 1);
  }

  // New values on the known patterns; false when they do not fit these.
  bool refresh(const LevelMatrix& A) {
    recording_.forget();
    lane_recording_.forget();
    Vector inverse = inverse_diagonal(A.diagonal());
    change_ *= unevenness(kernels_, hierarchy_.levels.front().inverse_diagonal, inverse);
    const CyclePacking packing(device_, kernels_);
    KnownHierarchy known{hierarchy_.levels.size(), {}, change_ <= largest_change};
    known.level = [&](std::size_t number) {
      return known_level(packing, hierarchy_.levels[number], known.keeps_transfers,
                         number == 0 ? A.view.column : nullptr);
    };
    return refresh_hierarchy(A, std::move(inverse), options_, nested_, known,
                             [&](std::size_t number, const KnownLevel& l, RefreshedLevel& from) {
                               CycleLevel<Real, Stored>& level = hierarchy_.levels[number];
                               packing.pack(from.A, level.a.nonzeros, level.a);
                               if (!from.P.empty()) {
                                 change_ = 1;
                                 packing.pack(l.P, level.p.nonzeros, level.p);
                                 packing.pack(l.R, level.r.nonzeros, level.r);
                               }
                               packing.convert(from.inverse_diagonal.data(), level.inverse_diagonal);
                               if (!from.coarsest_inverse.empty())
                                 hierarchy_.coarsest_inverse = std::move(from.coarsest_inverse);
                               level.largest_eigenvalue = from.largest_eigenvalue;
                             });
  }

  const CycleHierarchy<Real, Stored>& hierarchy() const { return hierarchy_; }
  int nested_level_count() const {
    return nested_count_ + (hierarchy_.replicated ? hierarchy_.replicated->multigrid().nested_levels() : 0);
  }

  void apply(const Vector& b, Vector& x) const { apply(kernels_, work_, recording_, b.data(), x.data()); }

  float* single_argument() const {
    if constexpr (std::same_as<Real, float>) return work_.front().b.data();
    else return nullptr;
  }
  void apply_single(const Vector& b, Vector& x, const Vector* q, double* dots) const {
    const Index n = hierarchy_.levels.front().unknowns();
    device_.profile().count(cycle_traffic(hierarchy_, 1) +
                            n * (Index{sizeof(Real)} + Index{sizeof(double)} * (q == nullptr ? 2 : 3)));
    run(recording_, kernels_, work_);
    kernels_.to_double_dots(device_, n, work_.front().x.data(), b.data(), q == nullptr ? nullptr : q->data(), x.data(),
                            dots);
  }

  // Each level's matrices are read once per 8 columns.
  void apply_block(const MultiVector& B, MultiVector& X) const {
    if (lane_work_.empty()) lane_work_ = workspace(device_, hierarchy_, MultiVector::lanes);
    for (int g = 0; g < B.groups(); ++g) apply(lane_kernels_, lane_work_, lane_recording_, B.group(g), X.group(g));
  }

  // Why launches are not replayed as one, where they could be.
  std::string not_recorded() const {
    return recording_.why_not().empty() ? lane_recording_.why_not() : recording_.why_not();
  }

  Index bytes() const {
    Index sum = bytes_of_levels(hierarchy_);
    for (const CycleWorkspace<Real>* work : {&work_, &lane_work_})
      for (const CycleVectors<Real>& w : *work) sum += 4 * w.b.bytes();
    return sum;
  }

 private:
  void take(SetupLevel& from) {
    const CyclePacking packing(device_, kernels_);
    hierarchy_.levels.push_back(packed(packing, from));
    if (from.gathered)
      hierarchy_.replicated = std::make_unique<ReplicatedLevel<Real>>(hierarchy_.levels.back().ghosts,
                                                                      std::move(*from.gathered), options_, kernels_);
    if (!from.coarsest_inverse.empty()) hierarchy_.coarsest_inverse = std::move(from.coarsest_inverse);
    from = {};
  }

  // The recording goes from work.b to work.x: b and x may differ at every call. Smoothing swaps x with y as it is
  // launched; a replay leaves them as the recording did.
  void apply(const Kernels& kernels, CycleWorkspace<Real>& work, Recording& recording, const double* b,
             double* x) const {
    const CycleLevel<Real, Stored>& first = hierarchy_.levels.front();
    const Index n = first.unknowns(), lanes = work.front().b.size() / std::max<Index>(1, first.size());
    device_.profile().count(cycle_traffic(hierarchy_, lanes) +
                            2 * n * lanes * (Index{sizeof(Real)} + Index{sizeof(double)}));
    kernels.from_double(device_, n, b, work.front().b.data());
    run(recording, kernels, work);
    kernels.to_double(device_, n, work.front().x.data(), x);
  }

  // Messages of other ranks are no launches.
  void run(Recording& recording, const Kernels& kernels, CycleWorkspace<Real>& work) const {
    if (hierarchy_.is_over_ranks()) return run_cycle(kernels, hierarchy_, work);
    recording.run(device_, [&] { run_cycle(kernels, hierarchy_, work); });
  }

  Device device_;
  SmoothedAggregationOptions options_;
  NestedLevels nested_;
  int nested_count_ = 0;
  const Kernels &kernels_, &lane_kernels_;
  CycleHierarchy<Real, Stored> hierarchy_;
  double change_ = 1;  // of the values since the transfers were made: the product of unevenness()
  mutable CycleWorkspace<Real> work_, lane_work_;  // the second is made when first needed
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
    throw Error(ErrorKind::internal,
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
  return std::visit([](const auto& cycle) { return levels_of(cycle.hierarchy()); }, hierarchy_->cycle);
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
  return std::visit(
      [](const auto& cycle) {
        const auto& of = cycle.hierarchy();
        return of.is_over_ranks() ? static_cast<int>(of.levels.size()) - (of.replicated ? 1 : 0) : 0;
      },
      hierarchy_->cycle);
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
