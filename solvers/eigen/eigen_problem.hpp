// Data and operations that both eigenvalue methods share: start vectors, scale, residuals.
#pragma once

#include "solvers/eigen/eigen_solver.hpp"
#include "solvers/eigen/orthonormal_block.hpp"

namespace ritz {

struct EigenProblem {
  const SparseMatrix& K;
  const SparseMatrix& M;
  const EigenOptions& options;
  const SolverGeometry& geometry;
  Vector stiffness;      // diagonal of K
  Index mass_count = 0;  // unknowns with mass: no more eigenvalues than these
  double low_guess = 0;  // roughly the lowest eigenvalue of a compact body that is not zero

  EigenProblem(const SparseMatrix& K, const SparseMatrix& M, const EigenOptions& options,
               const SolverGeometry& geometry);

  // After each iteration: the wanted eigenvalues that have converged, and the largest residual of the others.
  void tell(int converged, int wanted, int iteration, double worst, double target) const;
  MultiVector random_block(int columns, int seed) const;
  // Sorts by value, sets values, vectors (made M-orthonormal), residuals and rounding.
  void measure(MultiVector X, EigenSolution& solution) const;
  bool is_accurate(const EigenSolution& solution, std::size_t mode) const {
    return solution.residuals[mode] <= options.relative || solution.residuals[mode] <= solution.rounding[mode];
  }
};

EigenSolution solve_by_lanczos(const EigenProblem& problem);
EigenSolution solve_by_lobpcg(const EigenProblem& problem);

}  // namespace ritz
