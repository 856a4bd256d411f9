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

// Matrix: SparseMatrix, or DividedMatrix over ranks, which call it together. options.band, zero_count, below and ranks
// are not used. Throws Error: Exit::model where G is zero or K is not positive definite; what solve_eigen throws.
template <class Matrix>
CriticalFactors critical_factors(const Matrix& K, const Matrix& G, EigenOptions options,
                                 const SolverGeometry& geometry = {});

}  // namespace ritz
