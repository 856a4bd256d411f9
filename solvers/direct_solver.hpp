// Sparse direct solution: factorise once, solve for many right-hand sides. MUMPS on a CPU; cuDSS, or else cuSOLVER, on a
// GPU. The true residual is recomputed after every solve, and reduced by refinement where it can be.
//
//   DirectSolver solver(K, DirectSolver::Kind::positive_definite);   SolveReport report = solver.solve(b, x);
#pragma once

#include "solvers/direct_factor.hpp"
#include "solvers/solve_report.hpp"

namespace ritz {

class DirectSolver {
 public:
  using Kind = DirectKind;

  // Analyses and factorises; A must live, with its values unchanged, as long as this. Throws Error:
  // Exit::model: not finite, singular, or not positive definite as promised (naming rows where the library does);
  // Exit::resources: the memory needed, stated by the analysis, is not there;
  // Exit::environment: this build has no direct solver for the device.
  DirectSolver(const SparseMatrix& A, Kind kind);

  // x: becomes the solution, its contents do not matter. Converged when the recomputed ||b - A x|| <= relative ||b||.
  SolveReport solve(const Vector& b, Vector& x);

  Index memory_bytes() const;                       // of the factor; 0 when the library does not say
  static Index memory_needed(const SparseMatrix& A, Kind kind);  // from the analysis alone; 0: not known
  const std::string& name() const { return name_; }

  double relative = 1e-10;
  int max_refinements = 3;

 private:
  double residual_norm(const Vector& b, const Vector& x);  // ||b - A x||, and the residual in residual_

  const SparseMatrix& A_;
  std::unique_ptr<DirectFactor> factor_;
  std::string name_;
  Vector residual_, correction_;
};

}  // namespace ritz
