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

std::optional<StopReason> judge(Lane& lane, double p_q, double rz_before, double rz_expected, double rr,
                                int max_iterations) {
  if (!std::isfinite(p_q) || !std::isfinite(rr) || !std::isfinite(rz_before)) return StopReason::not_finite;
  if (rz_before == 0) return StopReason::breakdown;
  if (rz_before < 0) return StopReason::indefinite_preconditioner;
  if (p_q <= 0) return StopReason::indefinite_matrix;
  add_step(lane.report, p_q, rz_before, rz_expected);
  return after_iteration(std::sqrt(rr), lane.b_norm, lane.target, max_iterations, lane.report);
}

// The vectors of up to eight columns, and the steps of the method on them. Numbers of a turn: sums of this iteration
// and of the one before change places.
class LaneVectors {
 public:
  static constexpr int number_count = 5 * lanes;
  using Numbers = std::array<double, number_count>;
  // Rows of eight in Numbers: p.q, then {r.z, r.r} of each turn.
  static constexpr int row_of_pq = 0;
  static constexpr int row_of_rz(int turn) { return 1 + 2 * turn; }
  static constexpr int row_of_rr(int turn) { return 2 + 2 * turn; }

  LaneVectors(const LinearOperator& A, const LinearOperator* preconditioner, int columns)
      : A_(A),
        device_(A.device()),
        size_(A.rows()),
        kernels_(kernels<LaneConjugateGradientKernels>(device_, solver_kernels, "conjugate gradient lanes")),
        vectors_(kernels<MultiVectorKernels>(device_, solver_kernels, "multi vector")),
        numbers_(device_, number_count, "vectors") {
    if (preconditioner != nullptr && preconditioner->diagonal_only() != nullptr)
      diagonal_ = preconditioner->diagonal_only()->data();
    else preconditioner_ = preconditioner;
    for (MultiVector* v : {&b, &x, &r, &p_, &q_}) *v = MultiVector(device_, size_, columns);
    if (preconditioner_ != nullptr) z_ = MultiVector(device_, size_, columns);
  }

  MultiVector b, x, r;

  bool is_preconditioned() const { return preconditioner_ != nullptr; }  // by more than a diagonal

  // r = b - A x of all, recomputed. Returns r.r.
  std::array<double, lanes> true_residuals() {
    A_.apply_block(x, q_);
    count(3);
    kernels_.residual(device_, size_, b.group(0), q_.group(0), r.group(0), sums(0));
    std::array<double, lanes> squares;
    Communicator(device_).sum(sums(0), squares);
    return squares;
  }

  // From the residuals in r: p = z.
  void start(unsigned active) {
    count(1 + diagonals(), diagonals());
    kernels_.start(device_, size_, diagonal_, r.group(0), sums(0));
    precondition(0);
    p_.values().fill_zero();
    count(1);
    turn_to(0, active, 0, 0);
  }

  // q = A p, r -= alpha q of the active lanes.
  Numbers advance(unsigned active, int now, int before) {
    A_.apply_block(p_, q_);
    count(2);
    vectors_.dots(device_, size_, p_.group(0), q_.group(0), pq());
    count(3, diagonals());
    kernels_.update(device_, size_, active, alpha(before), q_.group(0), diagonal_, r.group(0), sums(now));
    Numbers numbers;
    Communicator(device_).sum(numbers_.data(), numbers);
    return numbers;
  }

  void precondition(int turn) {
    if (preconditioner_ == nullptr) return;
    preconditioner_->apply_block(r, z_);
    count(2);
    vectors_.dots(device_, size_, r.group(0), z_.group(0), sums(turn));
  }
  // x += alpha p for the lanes that moved, p = z + beta p for those that continue
  void turn_to(unsigned moved, unsigned active, int now, int before) {
    const MultiVector& z = preconditioner_ != nullptr ? z_ : r;
    count(5);
    kernels_.direction(device_, size_, moved, alpha(before), active, {sums(now), sums(before)}, z.group(0), p_.group(0),
                       x.group(0));
  }
  void take_step(unsigned moved, int before) {
    count(3);
    kernels_.step(device_, size_, moved, alpha(before), p_.group(0), x.group(0));
  }

 private:
  double* pq() { return numbers_.data(); }
  double* sums(int turn) { return numbers_.data() + row_of_rz(turn) * lanes; }
  Quotient alpha(int turn) { return {sums(turn), pq()}; }
  // Vectors of eight lanes that kernels read or write, and single ones: the diagonal.
  void count(Index groups, Index vectors = 0) const {
    device_.profile().count((groups * lanes + vectors) * size_ * Index{sizeof(double)});
  }
  Index diagonals() const { return diagonal_ != nullptr ? 1 : 0; }

  const LinearOperator& A_;
  const Device device_;
  const Index size_;
  const LaneConjugateGradientKernels& kernels_;
  const MultiVectorKernels& vectors_;
  const LinearOperator* preconditioner_ = nullptr;  // nullptr: none, or a diagonal
  const double* diagonal_ = nullptr;
  MultiVector p_, q_, z_;
  Vector numbers_;
};

// Up to eight columns, each with its own end.
class Group {
 public:
  Group(const BlockConjugateGradient& options, const LinearOperator& A, const LinearOperator* preconditioner,
        int columns)
      : options_(options),
        M_(preconditioner),
        columns_(columns),
        of_(A, preconditioner, columns),
        column_(A.device(), A.rows(), "vectors") {}

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
    of_.b.set_column(j, column_);
    lane.b_norm = norm2(column_);
    lane.target = std::max(options_.relative * lane.b_norm, options_.absolute * lane.power);
    X.get_column(column, column_);
    if (first_not_finite(column_) >= 0) {
      report_bad_entry(column_, "the initial guess", lane.report);
      lane.b_norm = -1;
      return lane.stop(StopReason::not_finite);
    }
    scale(lane.power);
    of_.x.set_column(j, column_);
    lane.running = true;
  }

  void give_back(MultiVector& X, int column, int j) {
    of_.x.get_column(j, column_);
    scale(1 / lanes_[j].power);
    X.set_column(column, column_);
  }
  void scale(double factor) {
    if (factor != 1) axpby(factor, column_, 0.0, column_);
  }

  // r = b - A x of all, recomputed
  void true_residuals() {
    if (running() == 0) return;
    const std::array<double, lanes> squares = of_.true_residuals();
    for (int j = 0; j < columns_; ++j) {
      Lane& lane = lanes_[j];
      if (!lane.running) continue;
      lane.residual = std::sqrt(squares[j]);
      lane.report.true_relative_residual = lane.residual / lane.b_norm;
      if (std::isfinite(lane.residual)) continue;
      of_.r.get_column(j, column_);
      report_bad_entry(column_, "the residual b - A x", lane.report);
      lane.stop(StopReason::not_finite);
    }
  }
  // Lanes whose numbers are not finite because of the preconditioner.
  void stop_at_bad_preconditioner(const std::array<StopReason, lanes>& reasons) {
    for (int j = 0; j < columns_; ++j) {
      if (!lanes_[j].running || reasons[j] != StopReason::not_finite || M_ == nullptr) continue;
      of_.b.get_column(j, column_);
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
    of_.start(active);
    for (int now = 0; active != 0;) {
      const int before = now;
      now = 1 - now;
      const LaneVectors::Numbers numbers = of_.advance(active, now, before);
      const unsigned moved = active;
      for (int j = 0; j < columns_; ++j) {
        if ((moved >> j & 1) == 0) continue;
        const auto in_row = [&](int row) { return numbers[static_cast<std::size_t>(row * lanes + j)]; };
        const double rz_before = in_row(LaneVectors::row_of_rz(before)), rr = in_row(LaneVectors::row_of_rr(now));
        const double rz_expected = of_.is_preconditioned() ? rz_before * (rr / in_row(LaneVectors::row_of_rr(before)))
                                                           : in_row(LaneVectors::row_of_rz(now));
        const auto reason =
            judge(lanes_[j], in_row(LaneVectors::row_of_pq), rz_before, rz_expected, rr, options_.max_iterations);
        if (!reason) continue;
        reasons[j] = *reason;
        active &= ~(1u << j);
      }
      if (active == 0) return of_.take_step(moved, before);
      of_.precondition(now);
      of_.turn_to(moved, active, now, before);
    }
  }

  const BlockConjugateGradient& options_;
  const LinearOperator* const M_;  // nullptr: none
  const int columns_;
  LaneVectors of_;
  Vector column_;
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
