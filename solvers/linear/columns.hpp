// Right-hand sides and where their solutions go: one vector, or several columns that are solved together.
#pragma once

#include "solvers/algebra/multi_vector.hpp"
#include "solvers/algebra/solve_report.hpp"
#include "solvers/algebra/linear_operator.hpp"

#include <string>
#include <vector>

namespace ritz {

using Reports = std::vector<SolveReport>;  // [column]

class Columns {
 public:
  Columns(const Vector& b, Vector& x) : b_(&b), x_(&x) {}
  Columns(const MultiVector& B, MultiVector& X) : B_(&B), X_(&X) {}

  bool together() const { return B_ != nullptr; }
  int count() const { return together() ? B_->columns() : 1; }
  const Vector& b() const { return *b_; }
  Vector& x() const { return *x_; }
  const MultiVector& B() const { return *B_; }
  MultiVector& X() const { return *X_; }

  void check_sizes(const LinearOperator& A) const;
  // Norms and products for each column: ||b||, x.b, ||b - A x||.
  std::vector<double> load_norms() const;
  std::vector<double> energies() const;
  std::vector<double> residual_norms(const LinearOperator& A) const;

  void clear() const;
  // A guess that is worse than none would cost the digits by which it is too large.
  void forget_bad_guesses(const Reports& reports) const;
  // Whatever an iteration had got to when memory ran out.
  void forget_guesses() const;

 private:
  const Vector* b_ = nullptr;
  Vector* x_ = nullptr;
  const MultiVector* B_ = nullptr;
  MultiVector* X_ = nullptr;
};

bool all_converged(const Reports& reports);
// The one that speaks for all: the first that has not converged.
const SolveReport& worst(const Reports& reports);
// Columns that had converged keep their reports; the others carry over what they have cost, and why they were tried
// again.
Reports continued(const Reports& before, Reports after, const std::string& why);

}  // namespace ritz
