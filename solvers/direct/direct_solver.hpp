// Sparse direct solution: factorise once, solve for many right-hand sides. MUMPS on a CPU and over ranks, which call
// every function together; cuDSS, or else cuSOLVER, on a GPU. The true residual is
// recomputed after every solve, and reduced by refinement where it can be.
//
//   DirectSolver solver(K, DirectSolver::Kind::positive_definite);   SolveReport report = solver.solve(b, x);
#pragma once

#include "device/message_sink.hpp"
#include "solvers/algebra/multi_vector.hpp"
#include "solvers/algebra/solve_report.hpp"
#include "solvers/direct/direct_factor.hpp"
#include "solvers/direct/direct_input.hpp"

#include <functional>
#include <optional>

namespace ritz {

struct DirectOptions {
  DirectOrdering ordering = DirectOrdering::automatic;
  const Vector* coordinates = nullptr;  // [block row][dimension] positions of the nodes of the block rows here
  int dimension = 0;
  Index memory_limit = 0;       // [bytes] that the factor may need in this process; 0: what the device has
  double operations_limit = 0;  // of the factorisation, counted by the analysis; 0: none
  MessageSink say = {};         // one line between analysis and factorisation: size, memory needed
};

class DirectSolver {
 public:
  using Kind = DirectKind;

  // Analyses and factorises; A must live, with its values unchanged, as long as this. Throws Error:
  // Exit::model: not finite, singular, or not positive definite as promised (naming rows where the library does);
  // Exit::resources: the memory needed, stated by the analysis, is not there, or a limit of the options is exceeded;
  // Exit::environment: this build has no direct solver for the device.
  DirectSolver(DirectInput A, Kind kind, const DirectOptions& options = {});

  // After A's values have changed: a new factor with the old analysis. Throws as the constructor does.
  void refactorise() { refactorise(A_); }
  void refactorise(DirectInput A);  // of the same pattern, in place of the matrix before
  // Over ranks: gives the factor back, and nothing else may be called. What is not ended stays in memory until the
  // process ends. A constructor that throws has ended it.
  void end();

  // x: becomes the solution, its contents do not matter. Converged when the recomputed ||b - A x|| <= relative ||b||;
  // also when the residual is no more than what rounding x to double precision makes, and one more correction changes x
  // by less than `relative` or `rounding_error`: on slender bodies no vector in double precision is nearer.
  // report.where says so.
  SolveReport solve(const Vector& b, Vector& x);
  // Several right-hand sides together, one report for each: the factor is read once per few columns.
  std::vector<SolveReport> solve(const MultiVector& B, MultiVector& X);

  // Number of negative pivots of a symmetric factor, which is the number of A's negative eigenvalues (Sylvester). If a
  // GPU's library does not report it (cuSOLVER), a factor by MUMPS on the CPU does. Throws Error: Exit::environment
  // when the factor is not symmetric, or when this build lacks MUMPS.
  Index negative_pivots() const;
  bool knows_inertia() const;  // of its own

  Index memory_bytes() const;  // of the factor in this process; 0 when the library does not report it
  Index memory_needed() const { return memory_needed_; }  // predicted by the analysis, before the factorisation
  Index factor_entries() const;                           // predicted by the analysis; 0: not known
  double operations() const;  // of the factorisation, predicted by the analysis; 0: not known
  struct Needs {
    Index memory = 0;       // [bytes] 0: not known
    double operations = 0;  // of the factorisation; 0: not known
  };
  static Needs needs(DirectInput A, Kind kind, const DirectOptions& options = {});  // analyses
  const std::string& name() const { return name_; }
  double analysis_seconds() const { return analysis_seconds_; }
  double factor_seconds() const { return factor_seconds_; }

  double relative = 1e-10;
  double rounding_error = 0;  // up to it a solution counts that rounding keeps from `relative`
  int max_refinements = 3;
  bool estimate_error = false;  // costs one more solution

 private:
  SolveReport new_report() const;
  void check_limits(const DirectOptions& options) const;
  void factorise();
  void check_regular();  // throws Error: Exit::model where the matrix is singular
  void substitute(const Vector& B, Vector& X, int columns);
  Index factor_bytes() const;
  double residual_norm(const Vector& b, const Vector& x);  // ||b - A x||, and the residual in residual_
  void refine(const Vector& b, double b_norm, Vector& x, SolveReport& report);
  void refine(const MultiVector& B, const std::vector<double>& norms, MultiVector& X,
              std::vector<SolveReport>& reports);
  void judge(const Vector& b, double b_norm, const Vector& x, SolveReport& report);  // of the residual in residual_
  void add_error_estimate(const Vector& b, const Vector& x, double part, SolveReport& report);
  std::optional<SolveReport> trivial(const Vector& b, double b_norm, Vector& x) const;

  DirectInput A_;
  Kind kind_;
  std::unique_ptr<DirectFactor> factor_;
  std::string name_;
  Vector residual_, correction_;
  Index memory_needed_ = 0;
  double analysis_seconds_ = 0, factor_seconds_ = 0;
};

}  // namespace ritz
