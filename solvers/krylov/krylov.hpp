// The frame around every Krylov method: checks of the input, scaling, the true residual, honest stopping. A method
// only defines its iteration, from the true residual on, until its own residual reaches the target or something stops
// it.
//
//   KrylovRun run({relative, absolute, max_iterations}, A, b, x, M);
//   while (run.goes_on()) run.judge(iterate(run));
//   return run.finish("MINRES");
#pragma once

#include "solvers/algebra/linear_operator.hpp"
#include "solvers/algebra/solve_report.hpp"

#include <optional>
#include <string>

namespace ritz {

struct KrylovLimits {
  double relative, absolute;  // the residual must be below the larger of relative ||b||_2 and absolute
  int max_iterations;
  IterationVerdict give_up = {};  // empty: no other criterion
};

// One solve and the data of its iteration. x holds the initial guess and becomes the solution; b is scaled to order one
// before where its squares would leave double precision. References are kept until finish().
class KrylovRun {
 public:
  KrylovRun(const KrylovLimits& limits, const LinearOperator& A, const Vector& b, Vector& x,
            const LinearOperator* preconditioner);
  KrylovRun(const KrylovRun&) = delete;  // b may be a vector in here
  KrylovRun& operator=(const KrylovRun&) = delete;

  const LinearOperator& A;
  const LinearOperator* const M;  // nullptr: none
  Vector& x;
  Vector r;  // b - A x; the iteration may change it
  Vector q;  // for the iteration's products with A
  const Device device;
  const Index size;
  SolveReport report;

  // Is an iteration from the present r = b - A x on needed?
  bool goes_on();
  // An iteration returned `reason`: `converged` when its own residual says so. Where the true residual disagrees, or
  // after a breakdown, the run goes on from that, for as long as it falls to half; else it is over.
  void judge(StopReason reason);
  // The report, when the run is over; frees the vectors.
  SolveReport finish(const std::string& method);

  double target() const { return target_; }
  // r = b - A x, recomputed in double precision; returns its norm. One product, one read of a number.
  double true_residual();
  // An iteration is done, and the method's own residual has this norm. A reason: stop.
  std::optional<StopReason> after_iteration(double residual);
  // Is the next iteration launched before the numbers of this one are read? Where the device works while the host waits
  // (on a CPU nothing would run meanwhile), and the residuals so far let expect that this iteration is not the last.
  bool launches_ahead() const;
  // Vectors that kernels read or write, for the profile.
  void count(Index vectors) const { device.profile().count(vectors * size * Index{sizeof(double)}); }
  // z = M r, or M's diagonal times r; where there is no M, z = r is not copied: returns r.
  const Vector& preconditioned(const Vector& v, Vector& z) const;

 private:
  void stop(StopReason reason);
  void stop_at_bad_entry(const Vector& v, const char* what);
  void scale();
  void start();    // the first residual
  void measure();  // the true residual

  const Vector* b_;
  KrylovLimits limits_;
  double b_norm_, target_ = 0;
  double power_ = 1;                          // of the scale
  Vector scaled_;                             // b, where there is one
  double residual_ = 0, first_residual_ = 0;  // the latter relative, before the first iteration
  bool over_ = false;
  Vector square_;
};

// ||A (d x)|| with d a fixed pattern of signs and sizes about half a unit in the last place: the residual that rounding
// x causes by itself. Overwrites the other two vectors.
double rounding_residual(const LinearOperator& A, const Vector& x, Vector& rounded, Vector& product);
// Sums of a row's products round as well: a residual of a few times that is one of rounding.
constexpr double residual_of_rounding = 16;
std::string rounding_text(double relative);  // of rounding alone, relative to the right-hand side
// Limit relative to the right-hand side. Above it a solution does not count, however accurate it is: for a singular
// matrix it is as large as rounding allows, and forces derived from it are wrong by this much.
constexpr double largest_residual_of_rounding = 1e-3;

// Shared with block methods: the power of two that brings a norm near one; 1 where squares are in range anyway.
double power_for_squares(double norm);
// An iteration is done, and the method's own residual has this norm. A reason: stop.
std::optional<StopReason> after_iteration(double residual, double b_norm, double target, int max_iterations,
                                          SolveReport& report);
// Judges, by the true residual, an iteration that stopped for `reason` and began at the residual `before`; nullopt:
// restart from here.
std::optional<StopReason> verdict_of(StopReason reason, double residual, double before, double target,
                                     SolveReport& report);
// Fills `where` and `entry`: "entry 17 of the right-hand side is nan".
void report_bad_entry(const Vector& v, const char* what, SolveReport& report);
// M v is finite, on all ranks. After numbers of an iteration that are not: is it the preconditioner? One application,
// and none in solves without a fault.
bool product_is_finite(const LinearOperator& M, const Vector& v);
// The reason `preconditioner_not_finite`, with the name.
void blame_preconditioner(const LinearOperator& M, SolveReport& report);
void check_system(const LinearOperator& A, Index b_rows, Index x_rows, const LinearOperator* preconditioner);

}  // namespace ritz
