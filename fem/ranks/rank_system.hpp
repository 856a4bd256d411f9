// The share of one rank in a linear system that ranks solve together: the rows of its nodes, and what preconditions
// them. All ranks make theirs and call each function together.
//
//   RankSystem system(equations, std::move(supports), options, calls);
//   system.assemble(tangent, u, questions);   SolveReport report = system.solve(b, x, {.relative = 1e-8});
#pragma once

#include "device/ranks/ranks.hpp"
#include "fem/ranks/part_equations.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"
#include "fem/operator/divided_field.hpp"
#include "fem/preconditioners/over_ranks.hpp"
#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/algebra/rank_rows.hpp"
#include "solvers/eigen/critical_factors.hpp"
#include "solvers/linear/columns.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/linear/solver_cache.hpp"
#include "solvers/multigrid/nested_levels.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

enum class Tangent : std::uint8_t { itself, transposed };

// The equations at the time that the tangent is of.
struct TangentPlace {
  EquationsPlace at = {};
  bool anew = false;               // preconditioners of tangents before are of no use
  Tangent kind = Tangent::itself;  // transposed: with a matrix alone
};

// Calls of all ranks together while they make a preconditioner without a matrix (fem/operator/divided_field.hpp).
struct RankCalls {
  std::function<DependentNodeRows(int order, const Ghosts& nodes)> relations;
  std::function<NestedLevels(const std::vector<Index>& first)> nesting;
};

// The lowest modes of a stiffness and masses, each a sum of integrals: the stiffness at a state, masses at zero.
struct ModesWanted {
  std::vector<double> stiffness = {}, masses = {};  // [integral among all] factors
  const Vector* state = nullptr;                    // u of the whole space; null: zero. Needs a matrix.
  EigenOptions options = {};
  AttachedMotions motions = {};  // U [owned unknown]; masses alone
};

// The factors at which the stiffness and so many times the geometric stiffness are singular, both sums of integrals at
// a state.
struct FactorsWanted {
  std::vector<double> stiffness = {}, geometric = {};  // [integral among all] factors
  const Vector& state;                                 // u of the whole space
  EigenOptions options = {};
};

class RankSystem {
 public:
  // Without a matrix where options.operator_kind says so; then the calls are needed.
  RankSystem(std::shared_ptr<PartEquations> equations, PartSupports supports, const LinearSolverOptions& options,
             RankCalls calls);

  Index owned() const { return ghosts_->owned(); }  // nodes
  int components() const { return space().components(); }
  const std::vector<Index>& first() const { return ghosts_->first(); }  // [rank + 1] nodes
  RankRows rows() const;                                                // unknowns

  // u: of the whole space; empty where it is zero, or equations are linear.
  void assemble(const TangentPlace& place, const Vector& u);

  // Nested levels of the part, before the first solution.
  void set_nested(NestedLevels nested) { nested_ = std::move(nested); }

  // b, x [owned node][component], from x. The report is that of all ranks. By the method of the options; `automatic`
  // takes conjugate gradients where the matrix may be definite, as their bits repeat themselves, a factor after them,
  // and other iterations where there is none. Throws what DirectSolver does, an AgreedError.
  SolveReport solve(const Vector& b, Vector& x, const LinearTolerance& tolerance);
  // Several columns by one factor.
  std::vector<SolveReport> solve(const MultiVector& B, MultiVector& X, const LinearTolerance& tolerance);
  // Before the destructor, on all ranks, unless a rank is lost: gives the factor back.
  void end();

  EigenSolution modes(const ModesWanted& wanted);                 // vectors are those of owned unknowns
  CriticalFactors critical_factors(const FactorsWanted& wanted);  // likewise; with a matrix

  std::string description() const;  // what each rank has
  std::string exchanges() const;    // what this rank has sent, after the first solution
  std::string memory() const;       // of arrays on each rank, at their peaks and now
  std::string seconds() const;      // of each rank in its phases so far
  const Device& device() const { return space().device(); }

 private:
  void linearise_without_matrix(const TangentPlace& at, const Vector& point);
  std::vector<SolveReport> solve_by_plan(const Columns& columns, const LinearTolerance& tolerance);
  SolveReport solve_without_matrix(const Vector& b, Vector& x, const LinearTolerance& tolerance);
  EigenSolution modes_by_iteration(const ModesWanted& wanted, const DividedMatrix& masses) const;
  EigenSolution modes_without_matrix(const ModesWanted& wanted);
  Operator sum_of(const std::vector<double>& factors) const;
  // Do products without a matrix know equations between unknowns?
  bool acts_on_related() const { return supports_.related && options_.operator_kind == OperatorKind::matrix_free; }
  const FunctionSpace& space() const { return equations_->part().space(); }
  void check_room();                       // throws an AgreedError
  enum class Pivot { of_diagonal, zero };  // of eliminated unknowns
  std::unique_ptr<DividedMatrix> matrix(const TangentPlace& at, const Vector& point, Pivot pivot);
  SparseMatrix part_matrix(const TangentPlace& at, const Vector& point);
  SmoothedAggregationOptions multigrid_options() const;
  std::unique_ptr<LinearOperator> preconditioner(const DividedMatrix& A, PreconditionerKind kind) const;
  // The same on all ranks: a shortage that one of them predicts.
  struct Room {
    const char *what, *from;  // for messages
    Index plenty;             // [bytes] available beyond which nothing is predicted
    std::function<Index()> needed;
  };
  std::optional<Error> shortage_of(const Room& room) const;
  HierarchyNeeds multigrid_needs() const;  // of this rank
  PreconditionerKind preconditioner_of_modes(const Room& room, std::vector<std::string>& fallbacks) const;
  EigenSolution modes_by_factor(const ModesWanted& wanted, const DividedMatrix& masses) const;

  std::shared_ptr<PartEquations> equations_;
  Ranks& ranks_;
  LinearSolverOptions options_;
  PartSupports supports_;
  std::shared_ptr<const Ghosts> ghosts_;
  Constraints held_;
  DividedField field_;  // as the next: without a matrix
  std::optional<MatrixFreeSolver> without_matrix_;
  NestedLevels nested_;
  std::unique_ptr<DividedMatrix> A_;
  SolverCache cache_;              // of A_
  bool room_is_checked_ = false;   // for the matrix
  ExchangeCounts first_solution_;  // sent, with set-up and sums
};

}  // namespace ritz
