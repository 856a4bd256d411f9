// The factors lambda at which K + lambda G is singular, nearest to zero: K symmetric and positive definite, G symmetric
// and of any sign. Linear buckling, with the stiffness K and the geometric stiffness G of a load.
//
//   CriticalFactors s = critical_factors(K, G, {.count = 3}, geometry);   s.factors[0], s.vectors
//
// G x = nu K x has nu = -1 / lambda, so that the lowest nu are the smallest positive factors: the solvers of
// eigen_solver.hpp find them, with K in the place of the mass. A few iterations with K^-1, a factor or multigrid, find
// the ends of nu of either sign first. Then Lanczos factorises K + lambda G a little below the first factor, where it
// is still definite; LOBPCG continues with K^-1.
#pragma once

#include "device/function_ref.hpp"
#include "solvers/eigen/eigen_solver.hpp"

namespace ritz {

struct CriticalFactors {
  std::vector<double> factors;  // positive, ascending: as many as were asked for, or as there are
  // The negative factor nearest to zero, roughly: K - |lambda| G is singular. 0: none is nearer than a million times
  // the first positive one.
  double negative = 0;
  // vectors[j] belongs to factors[j], x^T K x = 1; residuals ||K x + lambda G x|| / ||K x||
  EigenSolution eigen;
};

// Matrices of one process, or those whose rows are divided among ranks. All outlive the search.
struct CriticalMatrices {
  const LinearOperator& K;
  const LinearOperator& G;
  Vector stiffness, geometric;                               // their diagonals
  int block = 1;                                             // unknowns of a node
  DirectInput factorised;                                    // K
  ShiftedMatrix shifted;                                     // makes G - shift K; the one before is gone
  FunctionRef<std::unique_ptr<LinearOperator>()> multigrid;  // makes an approximation of K^-1
};

// options.band, zero_count, below and ranks are not used. Throws Error: Exit::model where G is zero or K is not
// positive definite; what solve_eigen throws.
CriticalFactors critical_factors(const CriticalMatrices& matrices, EigenOptions options,
                                 const SolverGeometry& geometry = {});
CriticalFactors critical_factors(const SparseMatrix& K, const SparseMatrix& G, const EigenOptions& options,
                                 const SolverGeometry& geometry = {});

}  // namespace ritz
