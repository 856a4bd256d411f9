#include "solvers/multigrid/smoothed_aggregation.hpp"

#include "device/kernels.hpp"
#include "solvers/matrix_kernels.hpp"
#include "solvers/multigrid/cycle_kernels.hpp"
#include "solvers/multigrid/hierarchy_setup.hpp"

#include <fmt/format.h>
#include <variant>

namespace ritz {
namespace {

// A hierarchy in the precision of the cycle.
template <class Real>
class Cycle {
 public:
  Cycle(const Device& device, Setup setup, const SmoothedAggregationOptions& options, const char* kernel_name)
      : device_(device),
        options_(options),
        kernels_(kernels<CycleKernels<Real>>(device, solver_kernels, kernel_name)) {
    for (SetupLevel& from : setup.levels) levels_.push_back(converted(from));
    coarsest_inverse_ = converted(setup.coarsest_inverse);
  }

  void apply(const Vector& b, Vector& x) const {
    Level& first = levels_.front();
    const Index n = first.unknowns();
    kernels_.from_double(device_, n, b.data(), first.b.data());
    cycle(0);
    kernels_.to_double(device_, n, first.x.data(), x.data());
  }

  Index bytes() const {
    Index sum = coarsest_inverse_.bytes();
    for (const Level& l : levels_)
      sum += l.A.bytes() + l.P.bytes() + l.R.bytes() + l.offsets.bytes() + l.column.bytes() + l.p_offsets.bytes() +
             l.p_column.bytes() + l.r_offsets.bytes() + l.r_column.bytes() + l.inverse_diagonal.bytes() + 4 * l.b.bytes();
    return sum;
  }

 private:
  struct Level {
    BlockMatrixView<Real> a, p, r;
    Array<Real> A, P, R, inverse_diagonal;
    Array<Index> offsets, p_offsets, r_offsets;
    Array<std::int32_t> column, p_column, r_column;
    double largest_eigenvalue = 0;
    mutable Array<Real> b, x, y, d;
    Index unknowns() const { return a.rows * a.row_block; }
  };

  Array<Real> converted(const Vector& values) const { return converted(values.data(), values.size()); }
  Array<Real> converted(const double* values, Index n) const {
    Array<Real> result(device_, n, "multigrid");
    if (n > 0) kernels_.from_double(device_, n, values, result.data());
    return result;
  }
  static BlockMatrixView<Real> view(const BlockMatrixView<double>& m, const Array<Real>& values) {
    return {m.rows, m.columns, m.row_block, m.column_block, m.offsets, m.column, values.data()};
  }

  Level converted(SetupLevel& from) const {
    Level level;
    level.A = converted(from.view.values, from.nonzeros * from.view.row_block * from.view.column_block);
    level.P = converted(from.P.values);
    level.R = converted(from.R.values);
    level.offsets = std::move(from.A.offsets);
    level.column = std::move(from.A.column);
    level.p_offsets = std::move(from.P.offsets);
    level.p_column = std::move(from.P.column);
    level.r_offsets = std::move(from.R.offsets);
    level.r_column = std::move(from.R.column);
    level.a = view(from.view, level.A);
    level.p = {from.P.rows, from.P.columns, from.P.row_block, from.P.column_block, level.p_offsets.data(), level.p_column.data(), level.P.data()};
    level.r = {from.R.rows, from.R.columns, from.R.row_block, from.R.column_block, level.r_offsets.data(), level.r_column.data(), level.R.data()};
    level.inverse_diagonal = converted(from.inverse_diagonal);
    level.largest_eigenvalue = from.largest_eigenvalue;
    const Index n = level.unknowns();
    for (Array<Real>* vector : {&level.b, &level.x, &level.y, &level.d}) *vector = Array<Real>(device_, n, "multigrid");
    from = {};
    return level;
  }

  // `degree` Chebyshev steps on [largest / ratio, largest]; from zero, or from what x holds. The result is in x.
  void smooth(const Level& l, bool from_zero, int degree, double ratio) const {
    const double high = l.largest_eigenvalue, low = high / ratio;
    const double theta = 0.5 * (high + low), delta = 0.5 * (high - low), sigma = theta / delta;
    double rho = 1 / sigma;
    int step = 0;
    if (from_zero) {
      kernels_.smooth_first(device_, l.unknowns(), Real(1 / theta), l.inverse_diagonal.data(), l.b.data(), l.d.data(), l.x.data());
      step = 1;
    }
    for (; step < degree; ++step) {
      const double rho_next = 1 / (2 * sigma - rho);
      const double c1 = step == 0 ? 0 : rho_next * rho, c2 = step == 0 ? 1 / theta : 2 * rho_next / delta;
      kernels_.smooth(device_, l.a, Real(c1), Real(c2), l.inverse_diagonal.data(), l.b.data(), l.x.data(), l.d.data(), l.y.data());
      l.x.swap(l.y);
      if (step > 0) rho = rho_next;
    }
  }

  void cycle(std::size_t number) const {
    Level& l = levels_[number];
    if (number + 1 == levels_.size()) {
      if (!coarsest_inverse_.empty()) kernels_.dense(device_, l.unknowns(), coarsest_inverse_.data(), l.b.data(), l.x.data());
      else smooth(l, true, 24, 500);  // too large for a dense inverse: many steps over nearly the whole spectrum
      return;
    }
    Level& coarse = levels_[number + 1];
    smooth(l, true, options_.smoothing_degree, options_.smoothing_ratio);
    kernels_.residual(device_, l.a, l.b.data(), l.x.data(), l.y.data());
    kernels_.multiply(device_, l.r, l.y.data(), coarse.b.data());
    cycle(number + 1);
    kernels_.multiply_add(device_, l.p, coarse.x.data(), l.x.data());
    smooth(l, false, options_.smoothing_degree, options_.smoothing_ratio);
  }

  Device device_;
  SmoothedAggregationOptions options_;
  const CycleKernels<Real>& kernels_;
  mutable std::vector<Level> levels_;
  Array<Real> coarsest_inverse_;
};

}  // namespace

struct SmoothedAggregation::Hierarchy {
  Device device;
  Index rows;
  std::vector<Level> levels;
  std::variant<Cycle<float>, Cycle<double>> cycle;
};

SmoothedAggregation::SmoothedAggregation(const SparseMatrix& A, const SmoothedAggregationOptions& options) {
  Setup setup = set_up_hierarchy(A, options);
  std::vector<Level> levels;
  for (const SetupLevel& level : setup.levels)
    levels.push_back({level.view.rows * level.view.row_block, level.nonzeros * level.view.row_block * level.view.column_block,
                      level.largest_eigenvalue});
  if (options.single_precision)
    hierarchy_ = std::make_unique<Hierarchy>(Hierarchy{A.device(), A.rows(), std::move(levels),
                                                       Cycle<float>(A.device(), std::move(setup), options, "cycle single")});
  else
    hierarchy_ = std::make_unique<Hierarchy>(Hierarchy{A.device(), A.rows(), std::move(levels),
                                                       Cycle<double>(A.device(), std::move(setup), options, "cycle double")});
}

SmoothedAggregation::~SmoothedAggregation() = default;

const Device& SmoothedAggregation::device() const { return hierarchy_->device; }
Index SmoothedAggregation::rows() const { return hierarchy_->rows; }
std::vector<SmoothedAggregation::Level> SmoothedAggregation::levels() const { return hierarchy_->levels; }

void SmoothedAggregation::apply(const Vector& b, Vector& x) const {
  std::visit([&](const auto& cycle) { cycle.apply(b, x); }, hierarchy_->cycle);
}

std::string SmoothedAggregation::name() const {
  return fmt::format("smoothed-aggregation multigrid, {} levels, {} precision", hierarchy_->levels.size(),
                     hierarchy_->cycle.index() == 0 ? "single" : "double");
}

double SmoothedAggregation::operator_complexity() const {
  double sum = 0;
  for (const Level& level : hierarchy_->levels) sum += double(level.nonzeros);
  return sum / double(hierarchy_->levels.front().nonzeros);
}

Index SmoothedAggregation::bytes() const {
  return std::visit([](const auto& cycle) { return cycle.bytes(); }, hierarchy_->cycle);
}

}  // namespace ritz
