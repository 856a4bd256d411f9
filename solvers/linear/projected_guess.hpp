// Initial guess of an iteration, projected from earlier solutions of systems like this one: members of a sweep, steps
// that follow each other.
//
//   const double left = guess.start(A, b, x);    // x: the best that they combine to, and ||b - A x|| / ||b||
//   ... iterate from x ...   guess.add(x);
#pragma once

#include "solvers/algebra/linear_operator.hpp"
#include "solvers/algebra/multi_vector.hpp"

#include <optional>

namespace ritz {

class ProjectedGuess {
 public:
  static constexpr int most = MultiVector::lanes;

  // The combination of the earlier solutions that is nearest to A^-1 b in the energy norm, for symmetric positive
  // definite A: a projection onto their span (Fischer, Comput. Methods Appl. Mech. Eng. 163, 1998). One pass over the
  // matrix for all of them. Without earlier solutions, if the combination leaves more than b itself, or if memory is
  // short: x = 0, and 1.
  double start(const LinearOperator& A, const Vector& b, Vector& x);
  // Takes the place of the oldest. Nothing is kept where memory is short.
  void add(const Vector& x);
  void clear() noexcept;

 private:
  double combine(const LinearOperator& A, const Vector& b, Vector& x) const;

  std::optional<MultiVector> solutions_;
  int count_ = 0, next_ = 0;
};

}  // namespace ritz
