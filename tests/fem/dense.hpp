// Small dense matrices: what tests need to know of eigenvalues and of solutions, in a few lines.
#pragma once

#include "fem/space/constraints.hpp"
#include "tests/fem/models.hpp"

namespace ritz::test {

struct Dense {
  std::size_t n = 0;
  std::vector<double> entries;  // [row][column]
  explicit Dense(std::size_t size = 0) : n(size), entries(size * size, 0.0) {}
  double& operator()(std::size_t i, std::size_t j) { return entries[i * n + j]; }
  double operator()(std::size_t i, std::size_t j) const { return entries[i * n + j]; }
};

// In the order of the mesh: row = mesh node * components + component.
Dense dense_on_mesh(const DiscreteProblem& model, const SparseMatrix& matrix);
Dense dense(const HostMatrix& matrix);
// T of u = T v + g, with a column for each unknown, zero for those that are eliminated.
Dense transformation(const Constraints& fixed);
double largest_entry(const Dense& A);
double largest_difference(const Dense& A, const Dense& B);
std::vector<double> product(const Dense& A, std::span<const double> x);
Dense product(const Dense& A, const Dense& B, bool transposed);  // A B, or A^T B

// Number of eigenvalues of the symmetric A below `shift`: negative pivots of A - shift I (Sylvester's law of inertia).
int eigenvalues_below(const Dense& A, double shift);

// Gaussian elimination with row pivoting.
std::vector<double> solve(Dense A, std::vector<double> b);

}  // namespace ritz::test
