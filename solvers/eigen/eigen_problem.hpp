// Data and operations that both eigenvalue methods share: start vectors, scale, residuals.
#pragma once

#include "solvers/algebra/dense_symmetric.hpp"
#include "solvers/eigen/eigen_solver.hpp"
#include "solvers/eigen/orthonormal_block.hpp"

namespace ritz {

// Eigenvalues of an indefinite K are zero where they are smaller than this part of EigenOptions::below.
inline constexpr double negligible = 1e-6;

struct EigenProblem {
  const LinearOperator& K;
  const LinearOperator& M;
  const EigenOptions& options;
  Vector stiffness;                // diagonal of K
  Vector mass;                     // diagonal of M, where K may be indefinite: products with M round more, then
  bool in_lanes;                   // as EigenOperators has it
  const AttachedMotions* motions;  // likewise
  Index mass_count = 0;            // unknowns with mass: no more eigenvalues than these
  double low_guess = 0;            // roughly the lowest eigenvalue of a compact body that is not zero

  EigenProblem(EigenOperators operators, const EigenOptions& options, int dimension);

  // After each iteration: the wanted eigenvalues that have converged, and the largest residual of the others.
  void tell(int converged, int wanted, int iteration, double worst, double target) const;
  MultiVector random_block(int columns, int seed) const;
  // Sorts by value, sets values, vectors (made M-orthonormal), residuals and rounding.
  void measure(VectorPieces X, EigenSolution& solution) const;
  // The size of rounding errors in K x - value M x; `work` is overwritten.
  double rounding(const Vector& x, double value, Vector& work) const;
  bool is_accurate(const EigenSolution& solution, std::size_t mode) const {
    return solution.residuals[mode] <= options.relative || solution.residuals[mode] <= solution.rounding[mode];
  }
};

// Replaces X, orthonormal in M, by its Ritz vectors, and returns their values, ascending.
std::vector<double> to_ritz_vectors(const LinearOperator& K, VectorPieces& X);
// The first `count` eigenvectors as columns: [size][count].
SmallMatrix lowest_vectors(const SymmetricEigen& eigen, int size, int count);

// The problem of these matrices with these motions.
EigenSolution solve_by_lanczos(const EigenProblem& problem, const ShiftedMatrix& shifted,
                               const SolverGeometry& geometry, const AttachedMotions& motions);
EigenSolution solve_by_lobpcg(const EigenProblem& problem, const ShiftedPreconditioner& preconditioner);

}  // namespace ritz
