// The matrix of a solution, with its hierarchy or factor, for the next one of the same equations.
#pragma once

#include "fem/operator/operator.hpp"
#include "fem/space/constraints.hpp"
#include "solvers/linear/earlier_solutions.hpp"
#include "solvers/linear/prepared_solver.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ritz {

// Data that one solution leaves for the next of the same equations with other numbers (Operator::set_numbers): the
// matrix, its hierarchy or factor, the lists of the assembly. If the numbers in the matrix and the prescribed unknowns
// are the same, it is reused as it is; else values are recomputed in place. Iterations of positive definite equations
// start from the best combination of earlier solutions (solvers/linear/earlier_solutions.hpp). It must be destroyed
// before the equations.
class StaticReuse {
 public:
  void clear() noexcept;
  int matrices() const { return matrices_; }  // that were assembled
  const PreparedSolver::Counts& solver() const { return prepared_.counts(); }

 private:
  friend class StaticSystem;
  bool fits(const Operator& equations, const Constraints& constraints) const;
  void keep(const Operator& equations, const Constraints& constraints);

  const Operator* equations_ = nullptr;
  std::vector<Integral> numbers_;  // of the equations when the matrix was made
  std::vector<std::uint8_t> mask_;
  std::optional<SparseMatrix> matrix_;
  PreparedSolver prepared_;   // of it
  EarlierSolutions earlier_;  // corrections to the prescribed values, that iterations have found
  bool current_ = false;      // the matrix is assembled and its unknowns eliminated
  int matrices_ = 0;
};

}  // namespace ritz
