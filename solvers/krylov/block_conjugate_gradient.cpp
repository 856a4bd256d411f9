#include "solvers/krylov/block_conjugate_gradient.hpp"

#include "device/communicator.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"
#include "solvers/algebra/multi_vector_kernels.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/krylov/conjugate_gradient_kernels.hpp"
#include "solvers/krylov/krylov.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace ritz {
namespace {

constexpr int lanes = MultiVector::lanes;

// One column in work.
struct Lane {
  bool running = false;  // has not come to its end
  double power = 1;      // its b and x are multiplied by this
  double b_norm = 0, target = 0, residual = 0;
  SolveReport report;

  void stop(StopReason reason) {
    report.reason = reason;
    running = false;
  }
};

// Up to eight columns.
class Group {
 public:
  Group(const BlockConjugateGradient& options, const LinearOperator& A, const LinearOperator* preconditioner,
        int columns)
      : options_(options),
        A_(A),
        M_(preconditioner),
        device_(A.device()),
        size_(A.rows()),
        columns_(columns),
        kernels_(kernels<LaneConjugateGradientKernels>(device_, solver_kernels, "conjugate gradient lanes")),
        vectors_(kernels<MultiVectorKernels>(device_, solver_kernels, "multi vector")),
        column_(device_, size_, "vectors"),
        numbers_(device_, number_count, "vectors") {
    if (preconditioner != nullptr && preconditioner->diagonal_only() != nullptr)
      diagonal_ = preconditioner->diagonal_only()->data();
    else preconditioner_ = preconditioner;
    for (MultiVector* v : {&b_, &x_, &r_, &p_, &q_}) *v = MultiVector(device_, size_, columns);
    if (preconditioner_ != nullptr) z_ = MultiVector(device_, size_, columns);
  }

  std::vector<SolveReport> solve(const MultiVector& B, MultiVector& X, int first) {
    for (int j = 0; j < columns_; ++j) take(B, X, first + j, j);
    true_residuals();
    for (int j = 0; j < columns_; ++j)
      if (lanes_[j].running && lanes_[j].residual <= lanes_[j].target) lanes_[j].stop(StopReason::converged);
    while (running() != 0) {
      std::array<StopReason, lanes> reasons{};
      std::array<double, lanes> before{};
      for (int j = 0; j < columns_; ++j) before[j] = lanes_[j].residual;
      iterate(running(), reasons);
      stop_at_bad_preconditioner(reasons);
      true_residuals();
      for (int j = 0; j < columns_; ++j) {
        Lane& lane = lanes_[j];
        if (!lane.running) continue;
        if (const auto verdict = verdict_of(reasons[j], lane.residual, before[j], lane.target, lane.report))
          lane.stop(*verdict);
        else if (at_limit(lane)) lane.stop(StopReason::iteration_limit);
      }
    }
    std::vector<SolveReport> reports;
    for (int j = 0; j < columns_; ++j) {
      if (lanes_[j].b_norm >= 0) give_back(X, first + j, j);
      reports.push_back(std::move(lanes_[j].report));
    }
    return reports;
  }

 private:
  // Device numbers, eight of each: p.q, and {r.z, r.r} of this iteration and the one before, which change places.
  static constexpr int number_count = 5 * lanes;
  double* pq() { return numbers_.data(); }
  double* sums(int turn) { return numbers_.data() + (1 + 2 * turn) * lanes; }
  Quotient alpha(int turn) { return {sums(turn), pq()}; }

  // Vectors of eight lanes that kernels read or write, and single ones: the diagonal.
  void count(Index groups, Index vectors = 0) const {
    device_.profile().count((groups * lanes + vectors) * size_ * Index{sizeof(double)});
  }
  Index diagonals() const { return diagonal_ != nullptr ? 1 : 0; }

  unsigned running() const {
    unsigned mask = 0;
    for (int j = 0; j < columns_; ++j) mask |= unsigned{lanes_[j].running} << j;
    return mask;
  }
  bool at_limit(const Lane& lane) const { return lane.report.iterations >= options_.max_iterations; }

  // Scaled into lane j, unless there is nothing to be solved. A negative b_norm: X is not to be touched.
  void take(const MultiVector& B, const MultiVector& X, int column, int j) {
    Lane& lane = lanes_[j];
    B.get_column(column, column_);
    lane.b_norm = norm2(column_);
    if (!std::isfinite(lane.b_norm)) {
      report_bad_entry(column_, "the right-hand side", lane.report);
      lane.b_norm = -1;
      return lane.stop(StopReason::not_finite);
    }
    if (lane.b_norm == 0) return lane.stop(StopReason::converged);
    lane.power = power_for_squares(lane.b_norm);
    scale(lane.power);
    b_.set_column(j, column_);
    lane.b_norm = norm2(column_);
    lane.target = std::max(options_.relative * lane.b_norm, options_.absolute * lane.power);
    X.get_column(column, column_);
    if (first_not_finite(column_) >= 0) {
      report_bad_entry(column_, "the initial guess", lane.report);
      lane.b_norm = -1;
      return lane.stop(StopReason::not_finite);
    }
    scale(lane.power);
    x_.set_column(j, column_);
    lane.running = true;
  }

  void give_back(MultiVector& X, int column, int j) {
    x_.get_column(j, column_);
    scale(1 / lanes_[j].power);
    X.set_column(column, column_);
  }

  void scale(double factor) {
    if (factor != 1) axpby(factor, column_, 0.0, column_);
  }

  // r = b - A x of all, recomputed
  void true_residuals() {
    if (running() == 0) return;
    A_.apply_block(x_, q_);
    count(3);
    kernels_.residual(device_, size_, b_.group(0), q_.group(0), r_.group(0), sums(0));
    double squares[lanes];
    Communicator(device_).sum(sums(0), squares);
    for (int j = 0; j < columns_; ++j) {
      Lane& lane = lanes_[j];
      if (!lane.running) continue;
      lane.residual = std::sqrt(squares[j]);
      lane.report.true_relative_residual = lane.residual / lane.b_norm;
      if (std::isfinite(lane.residual)) continue;
      r_.get_column(j, column_);
      report_bad_entry(column_, "the residual b - A x", lane.report);
      lane.stop(StopReason::not_finite);
    }
  }

  // Lanes whose numbers are not finite because of the preconditioner.
  void stop_at_bad_preconditioner(const std::array<StopReason, lanes>& reasons) {
    for (int j = 0; j < columns_; ++j) {
      if (!lanes_[j].running || reasons[j] != StopReason::not_finite || M_ == nullptr) continue;
      b_.get_column(j, column_);
      if (product_is_finite(*M_, column_)) continue;
      blame_preconditioner(*M_, lanes_[j].report);
      lanes_[j].running = false;
    }
  }

  // From the residuals in r until every lane has a reason to stop.
  void iterate(unsigned active, std::array<StopReason, lanes>& reasons) {
    for (int j = 0; j < columns_; ++j) {
      if (lanes_[j].running) lanes_[j].report.steps.clear();
      if (lanes_[j].running && at_limit(lanes_[j])) {
        reasons[j] = StopReason::iteration_limit;
        active &= ~(1u << j);
      }
    }
    int now = 0;
    count(1 + diagonals(), diagonals());
    kernels_.start(device_, size_, diagonal_, r_.group(0), sums(now));
    precondition(now);
    p_.values().fill_zero();
    count(1);
    turn_to(0, active, now, now);
    while (active != 0) {
      A_.apply_block(p_, q_);
      count(2);
      vectors_.dots(device_, size_, p_.group(0), q_.group(0), pq());
      const int before = now;
      now = 1 - now;
      count(3, diagonals());
      kernels_.update(device_, size_, active, alpha(before), q_.group(0), diagonal_, r_.group(0), sums(now));
      double numbers[number_count];
      Communicator(device_).sum(numbers_.data(), numbers);
      const unsigned moved = active;
      for (int j = 0; j < columns_; ++j) {
        if ((moved >> j & 1) == 0) continue;
        const auto of = [&](int row) { return numbers[row * lanes + j]; };
        const double rz_before = of(1 + 2 * before), rr = of(2 + 2 * now);
        const auto reason =
            judge(lanes_[j], of(0), rz_before,
                  preconditioner_ == nullptr ? of(1 + 2 * now) : rz_before * (rr / of(2 + 2 * before)), rr);
        if (!reason) continue;
        reasons[j] = *reason;
        active &= ~(1u << j);
      }
      if (active == 0) return take_step(moved, before);
      precondition(now);
      turn_to(moved, active, now, before);
    }
  }

  std::optional<StopReason> judge(Lane& lane, double p_q, double rz_before, double rz_expected, double rr) const {
    if (!std::isfinite(p_q) || !std::isfinite(rr) || !std::isfinite(rz_before)) return StopReason::not_finite;
    if (rz_before == 0) return StopReason::breakdown;
    if (rz_before < 0) return StopReason::indefinite_preconditioner;
    if (p_q <= 0) return StopReason::indefinite_matrix;
    add_step(lane.report, p_q, rz_before, rz_expected);
    return after_iteration(std::sqrt(rr), lane.b_norm, lane.target, options_.max_iterations, lane.report);
  }

  void precondition(int turn) {
    if (preconditioner_ == nullptr) return;
    preconditioner_->apply_block(r_, z_);
    count(2);
    vectors_.dots(device_, size_, r_.group(0), z_.group(0), sums(turn));
  }

  // x += alpha p for the lanes that moved, p = z + beta p for those that go on
  void turn_to(unsigned moved, unsigned active, int now, int before) {
    const MultiVector& z = preconditioner_ != nullptr ? z_ : r_;
    count(5);
    kernels_.direction(device_, size_, moved, alpha(before), active, {sums(now), sums(before)}, z.group(0), p_.group(0),
                       x_.group(0));
  }

  void take_step(unsigned moved, int before) {
    count(3);
    kernels_.step(device_, size_, moved, alpha(before), p_.group(0), x_.group(0));
  }

  const BlockConjugateGradient& options_;
  const LinearOperator& A_;
  const LinearOperator* const M_;  // nullptr: none
  const Device device_;
  const Index size_;
  const int columns_;
  const LaneConjugateGradientKernels& kernels_;
  const MultiVectorKernels& vectors_;
  const LinearOperator* preconditioner_ = nullptr;  // nullptr: none, or a diagonal
  const double* diagonal_ = nullptr;
  MultiVector b_, x_, r_, p_, q_, z_;
  Vector column_, numbers_;
  std::array<Lane, lanes> lanes_;
};

std::vector<SolveReport> solve_at_once(const BlockConjugateGradient& options, const LinearOperator& A,
                                       const MultiVector& B, MultiVector& X, const LinearOperator* preconditioner,
                                       int first, int columns) {
  std::vector<SolveReport> reports = Group(options, A, preconditioner, columns).solve(B, X, first);
  for (SolveReport& report : reports) {
    report.method = fmt::format("conjugate gradients of {} columns at once", columns);
    report.preconditioner = preconditioner == nullptr ? "none" : preconditioner->name();
  }
  return reports;
}

std::vector<SolveReport> solve_alone(const BlockConjugateGradient& options, const LinearOperator& A,
                                     const MultiVector& B, MultiVector& X, const LinearOperator* preconditioner,
                                     int first, int columns) {
  const ConjugateGradient method{options.relative, options.absolute, options.max_iterations};
  Vector b(A.device(), A.rows(), "vectors"), x(A.device(), A.rows(), "vectors");
  std::vector<SolveReport> reports;
  for (int column = first; column < first + columns; ++column) {
    B.get_column(column, b);
    X.get_column(column, x);
    reports.push_back(method.solve(A, b, x, preconditioner));
    X.set_column(column, x);
  }
  return reports;
}

}  // namespace

std::vector<SolveReport> BlockConjugateGradient::solve(const LinearOperator& A, const MultiVector& B, MultiVector& X,
                                                       const LinearOperator* preconditioner) const {
  check_system(A, B.rows(), X.rows(), preconditioner);
  check_same_shape(B, X);
  std::vector<SolveReport> reports;
  for (int first = 0; first < B.columns(); first += lanes) {
    const int columns = std::min(lanes, B.columns() - first);
    std::vector<SolveReport> some = columns < fewest_at_once
                                        ? solve_alone(*this, A, B, X, preconditioner, first, columns)
                                        : solve_at_once(*this, A, B, X, preconditioner, first, columns);
    if (after_columns) after_columns(first, some);
    std::ranges::move(some, std::back_inserter(reports));
  }
  return reports;
}

}  // namespace ritz
