// y = A x, whatever A is: a matrix, a preconditioner, a matrix-free operator. The one abstract base of the solvers.
#pragma once

#include "solvers/algebra/multi_vector.hpp"

#include <string>

namespace ritz {

class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  virtual const Device& device() const = 0;
  virtual Index rows() const = 0;  // scalar unknowns that this rank owns: the size of its vectors
  virtual Index columns() const { return rows(); }
  Index total_rows() const;  // of all ranks: what reports say, and what decides on methods
  virtual void apply(const Vector& x, Vector& y) const = 0;  // y = A x; x and y differ

  // Y = A X for several vectors; X and Y differ and have the same columns. To override where it saves reads of A; the
  // default goes column by column.
  virtual void apply_block(const MultiVector& X, MultiVector& Y) const;
  // y = A x, and *xy = x.y in device memory: to override where it saves a pass over x and y.
  virtual void apply_dot(const Vector& x, Vector& y, double* xy) const;
  // The argument's place in a preconditioner that works in single precision; nullptr for all others. A solver that
  // writes it there as it computes it saves a pass, and calls apply_single.
  virtual float* single_argument() const { return nullptr; }
  // y = A x with x in single_argument() already. dots = {-q.y, x.y} in device memory, or {x.y} without q. Only where
  // single_argument() is not nullptr.
  virtual void apply_single(const Vector& x, Vector& y, const Vector* q, double* dots) const;
  // The diagonal of an operator that is nothing but one, so that solvers can fuse it; nullptr for all others.
  virtual const Vector* diagonal_only() const { return nullptr; }
  virtual std::string name() const { return "operator"; }  // for reports
};

// Throws Error: Exit::internal unless Y = A X can be formed.
void check_block(const LinearOperator& A, const MultiVector& X, const MultiVector& Y);

}  // namespace ritz
