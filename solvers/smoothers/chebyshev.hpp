// A polynomial in D^-1 A as a preconditioner: degree steps of the Chebyshev iteration from zero. Symmetric, positive
// definite, needs only products with A and the diagonal D, and no sums: the same on every device.
//
//   ChebyshevPreconditioner chebyshev(K, {.degree = 4});   ConjugateGradient{}.solve(K, b, x, &chebyshev);
#pragma once

#include "solvers/algebra/sparse_matrix.hpp"

#include <vector>

namespace ritz {

struct ChebyshevKernels;

struct ChebyshevOptions {
  int degree = 4;           // products with A per application: degree - 1
  double ratio = 30;        // the polynomial is small on [largest / ratio, largest] eigenvalue of D^-1 A
  int estimate_steps = 12;  // Lanczos steps for that eigenvalue
};

// Estimates from below of the largest eigenvalue of D^-1 A: the largest Ritz value after some steps of Lanczos, read
// off the coefficients of conjugate gradients preconditioned by D (Saad, Iterative Methods for Sparse Linear Systems,
// 2003, 6.7.3), from the fixed vector of fill_start_vector. A and D must live longer than this.
class LargestEigenvalue {
 public:
  LargestEigenvalue(const LinearOperator& A, const Vector& inverse_diagonal);
  // The bound after so many steps in total: calls continue after the last one. Throws Error: Exit::not_converged when A
  // is not positive definite.
  double after(int steps);
  // How far from the last estimate an eigenvalue is at most: the residual of its Ritz vector. Small once the estimate
  // has settled.
  double residual() const;
  // A number that the largest eigenvalue hardly exceeds, after so many steps in total: 1.1 times the estimate, or its
  // sum with the residual where that is more. Few nodes with poor or yielding cells around them may have the largest
  // eigenvalues; few steps do not find them, and show this by their residual.
  double bound(int steps);

 private:
  void reserve(int steps);

  const LinearOperator& A_;
  const Vector& inverse_diagonal_;
  Vector r_, z_, p_, q_;
  Vector numbers_;  // r.z, then p.q and r.z of each step
  int steps_ = 0;   // that are done
  std::vector<double> alphas_, betas_;
};

inline double largest_eigenvalue(const LinearOperator& A, const Vector& inverse_diagonal, int steps = 12) {
  return LargestEigenvalue(A, inverse_diagonal).after(steps);
}

constexpr int sure_estimate_steps = 40;  // where the bound of fewer steps was too low

inline ChebyshevOptions chebyshev_options(bool sure_bounds) {
  ChebyshevOptions options;
  if (sure_bounds) options.estimate_steps = sure_estimate_steps;
  return options;
}

class ChebyshevPreconditioner final : public LinearOperator {
 public:
  explicit ChebyshevPreconditioner(const SparseMatrix& A, const ChebyshevOptions& options = {});
  // Any operator whose diagonal is known. A must live longer than this.
  ChebyshevPreconditioner(const LinearOperator& A, Vector diagonal, const ChebyshevOptions& options = {});

  const Device& device() const override { return A_.device(); }
  Index rows() const override { return A_.rows(); }
  void apply(const Vector& x, Vector& y) const override;  // not from two threads at once: it has one workspace
  void apply_block(const MultiVector& X, MultiVector& Y) const override;
  std::string name() const override;
  double eigenvalue_bound() const { return bound_; }

 private:
  template <class Product>
  void iterate(const ChebyshevKernels& kernels, const double* x, double* d, double* r, double* y,
               const Product& product) const;

  const LinearOperator& A_;
  ChebyshevOptions options_;
  Vector inverse_diagonal_;
  double bound_;
  mutable Vector direction_, product_, residual_;
  mutable MultiVector directions_, products_, residuals_;  // for one group; allocated at the first use
};

}  // namespace ritz
