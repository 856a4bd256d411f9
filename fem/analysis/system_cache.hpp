// The matrix of a solution, with its hierarchy or factor, for the next one of the same equations.
#pragma once

#include "fem/analysis/linear_system.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ritz {

// Data that one solution leaves for the next of the same equations with other numbers (OperatorInputs::set_numbers):
// the matrix, its hierarchy or factor, the lists of the assembly. If the numbers in the matrix and the eliminated
// unknowns are the same, it is reused as it is; else values are recomputed in place. Iterations of positive definite
// equations start from the best combination of earlier solutions (solvers/linear/projected_guess.hpp). It must be
// destroyed before the equations.
class SystemCache {
 public:
  void clear() noexcept;
  int matrices() const { return matrices_; }  // that were assembled
  SolverCache::Counts solver() const;         // of all systems

 private:
  friend class StaticSystem;
  bool fits(const Operator& equations, const Constraints& constraints) const;
  // Before other values go into the matrix. False where it had other prescribed unknowns.
  bool refill(const Operator& equations, const Constraints& constraints, const LinearSolverOptions& options);
  void keep(const Operator& equations, const Constraints& constraints);

  const Operator* equations_ = nullptr;
  std::vector<Integral> numbers_;  // of the equations when the matrix was made
  std::vector<std::uint8_t> mask_;
  DependentRows dependent_;
  std::optional<LinearSystem> system_;
  SolverCache::Counts counts_;  // of those before it
  bool current_ = false;        // its matrix is assembled
  int matrices_ = 0;
};

}  // namespace ritz
