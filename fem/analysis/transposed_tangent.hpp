// The transposed tangent of equations whose tangent is not symmetric, for adjoint solutions. One process assembles and
// transposes it on the host: such tangents are rare, and their adjoint is one solution. Several ranks divide it as the
// tangent: a rank has all cells around its nodes, and so their columns. Private to fem/analysis.
//
//   TransposedTangent transposed(equations, options);
//   transposed.multiply(u, supports, x, y);   SolveReport report = transposed.solve(u, supports, b, x);
#pragma once

#include "fem/analysis/linear_system.hpp"

#include <optional>

namespace ritz {

// A pattern is symmetric: the values change their places.
void transpose(SparseMatrix& K);

class TransposedTangent {
 public:
  // Solutions take the options. part: over ranks, whose equations they are; vectors have
  // owned unknowns.
  TransposedTangent(const Operator& equations, const LinearSolverOptions& options, const OwnField* part = nullptr);

  // y = K(u)^T x, of all unknowns.
  void multiply(const Vector& u, const Vector& x, Vector& y) const;
  // x with K(u)^T x = b, without rows and columns of eliminated unknowns, from x.
  SolveReport solve(const Vector& u, const Constraints& held, const Vector& b, Vector& x);

 private:
  Operator equations_;
  LinearSolverOptions options_;
  const OwnField* part_;  // null: one process
  std::optional<LinearSystem> system_;
};

}  // namespace ritz
