// The report of a linear solve. `converged` requires that the residual b - A x, recomputed in double precision after
// the iteration, is below the tolerance; or that it is at rounding level and the last correction small enough. `where`
// then says so, and which error remains.
#pragma once

#include "device/machine.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ritz {

enum class StopReason {
  converged,
  iteration_limit,
  stagnated,                  // the recursive residual says yes, the true one says no, and restarting did not help
  indefinite_matrix,          // p.Ap <= 0
  indefinite_preconditioner,  // r.z <= 0
  breakdown,
  not_finite,                 // NaN or infinity in matrix, right-hand side or iterate
  preconditioner_not_finite,  // NaN or infinity in M v of a finite v
};
const char* name_of(StopReason reason);     // "converged", "iteration limit", ...
const char* advice_for(StopReason reason);  // what a user can do about it

struct SolveReport {
  std::string method, preconditioner;
  std::string choice;                  // why this method: "66777 unknowns are too many to factorise quickly"
  std::vector<std::string> fallbacks;  // methods tried before, and why they were given up, in order
  StopReason reason = StopReason::not_finite;
  int iterations = 0;
  double true_relative_residual = 0;         // ||b - A x||_2 / ||b||_2 (0 when b = 0 and x = 0)
  double error_estimate = -1;                // of ||x - A^-1 b|| / ||x|| in error_norm; negative: not known
  std::string error_norm;                    // "energy": ||v||^2 = v.Av; "Euclidean"
  Index memory_needed = 0, memory_used = 0;  // [bytes] of a factorisation: foreseen and held; 0: none, or not known
  std::vector<double> history;               // relative residual of the recursion, one per iteration
  struct Step {
    double length, product, next_product;
  };                        // of conjugate gradients: alpha, and r.z before and after it
  std::vector<Step> steps;  // since the last restart; error estimates are made of them
  int restarts = 0;         // times that the true residual replaced the one of the recursion
  // "entry 17 of the right-hand side is nan"; empty when nothing is to be said
  std::string where;
  Index entry = -1;             // that entry; -1 when none
  bool met_indefinite = false;  // conjugate gradients found the matrix not definite before another method took over
  bool converged() const { return reason == StopReason::converged; }
};

// Called whenever more of several columns are solved, with the number of the first.
using AfterColumns = std::function<void(int first, const std::vector<SolveReport>& reports)>;

// Asked after each iteration with the iterations done and log10(residual now / residual at the start); true: this
// method is a bad bet, stop here (`iteration_limit`).
using IterationVerdict = std::function<bool(int iterations, double log_reduction)>;

// "conjugate gradients with Jacobi: converged after 12 iterations, residual 3.1e-09"
std::string summary(const SolveReport& report);

// Adds one step. rz is r.z before the step, which completes the step before; rz_expected is r.z after it, until the
// next step gives its true value. So the last residual is not preconditioned, which only an estimate would need.
void add_step(SolveReport& report, double p_q, double rz, double rz_expected);

// ||x - A^-1 b||_A^2 after the last of these steps of conjugate gradients: the Gauss-Radau bound (Meurant and Tichy
// 2013), which is above the truth when the smallest eigenvalue is not below the one taken, 0.9 of the smallest Ritz
// value of the same iteration. Negative: not known (fewer than three steps).
double squared_energy_error(const std::vector<SolveReport::Step>& steps);

// Fills error_estimate from it, relative to a solution whose x.Ax is `energy`; nothing where it is not known, or known
// to be larger.
void estimate_error(SolveReport& report, double energy);

// May a cycle in lower precision be what failed?
bool may_be_rounding(const SolveReport& report);

// Throws Error: Exit::not_converged with reason, place and advice unless the solve has converged.
void throw_unless_converged(const SolveReport& report);

}  // namespace ritz
