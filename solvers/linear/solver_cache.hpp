// Solver of one matrix that solve_linear() keeps for the next call: a factor with its analysis, or a hierarchy. The
// owner of the matrix owns it, and reports when its values have changed; then the analysis and the aggregates stay, and
// only numbers are recomputed. A multigrid cycle of other values is still a preconditioner: it is used as long as
// iterations gain nearly as many digits with it as they did when it was new.
//
//   SolverCache cache;                               // dies before K
//   solve_linear(K, b, x, {.cache = &cache});        // factorises
//   solve_linear(K, c, y, {.cache = &cache});        // substitutes
//   equations.assemble(u, K);   cache.values_changed();
#pragma once

#include "solvers/direct/direct_solver.hpp"
#include "solvers/linear/chosen_preconditioner.hpp"
#include "solvers/linear/method_choice.hpp"
#include "solvers/linear/preconditioner_reuse.hpp"
#include "solvers/linear/solver_plan.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace ritz {

class SolverCache {
 public:
  // `alike`: by other numbers in the same equations; else nothing is used on.
  void values_changed(bool alike = false);
  void clear() noexcept;  // gives all of it back: before the matrix goes, or when memory is short
  void forget_preconditioners() noexcept { hierarchies_.clear(); }
  // Another matrix of the same pattern takes the place of this one, which goes; the analysis stays.
  void matrix_replaced();
  void end();  // over ranks, in place of clear(): gives the factor back
  bool holds_factor() const { return factor_.has_value(); }
  Index factor_bytes() const { return factor_ ? factor_->solver->memory_bytes() : 0; }

  // Existing solvers that fit, with the matrix's present values, else new ones. They throw the errors of the
  // constructors, and then nothing of the kind is kept. Matrix: SparseMatrix, or DividedMatrix over ranks, which call
  // every function together.
  DirectSolver& direct(DirectInput A, DirectKind kind, const DirectOptions& options);
  template <class Matrix>
  const ChosenPreconditioner& preconditioner(const Matrix& A, PreconditionerKind kind, PreconditionerBasis basis,
                                             const SmoothedAggregationOptions& multigrid);

  // Iterations that one of other values is given to gain that many digits; 0: it is of the matrix at hand.
  int patience(const ChosenPreconditioner& used, double digits) const;
  // Judges an iteration with that preconditioner. False: it is one of other values, and the iteration failed; the next
  // call makes one for the present matrix.
  bool judge(const ChosenPreconditioner& used, const std::vector<SolveReport>& reports);

  bool holds(PreconditionerKind kind) const;

  // The cycle that the last solution over ranks came to: the next one begins with it.
  void keep(const Cycle& cycle) { cycle_ = cycle; }
  const std::optional<Cycle>& cycle() const { return cycle_; }

  // The method that solved the last time is tried first.
  void remember(const MethodChoice& choice) { last_ = choice; }
  void put_first(std::vector<MethodChoice>& plan) const;

  struct Counts {
    int analyses = 0, factorisations = 0, set_ups = 0, refreshes = 0;  // factorisations: by an analysis that was there
    int used_on = 0;                                                   // hierarchies, for other values
    Counts operator+(const Counts& other) const;
  };
  const Counts& counts() const { return counts_; }

 private:
  struct Factor {
    DirectKind kind;
    std::unique_ptr<DirectSolver> solver;
    bool current;
  };
  struct Hierarchy {
    PreconditionerKind kind;
    PreconditionerBasis basis;
    bool single_precision, half_storage, sure_bounds;
    std::unique_ptr<ChosenPreconditioner> preconditioner;
    PreconditionerReuse use = {};
  };
  std::optional<Factor> factor_;
  std::vector<Hierarchy> hierarchies_;  // one of each kind, basis and precision that was asked for
  std::optional<MethodChoice> last_;
  std::optional<Cycle> cycle_;
  Counts counts_;
};

}  // namespace ritz
