// Small dense matrices: what tests need to know of eigenvalues and of solutions, in a few lines.
#pragma once

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
double largest_entry(const Dense& A);
double largest_difference(const Dense& A, const Dense& B);
std::vector<double> product(const Dense& A, std::span<const double> x);

// Number of eigenvalues of the symmetric A below `shift`: negative pivots of A - shift I (Sylvester's law of inertia).
int eigenvalues_below(const Dense& A, double shift);

// Gaussian elimination with row pivoting.
std::vector<double> solve(Dense A, std::vector<double> b);

}  // namespace ritz::test
