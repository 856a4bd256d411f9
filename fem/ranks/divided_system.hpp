// A linear system of equations that the ranks of a job solve together: each rank assembles the rows of its nodes from
// all cells around them (fem/ranks/divided_equations.hpp), and conjugate gradients or a factorisation go over the
// ranks. All ranks make theirs and call each function together; vectors hold the unknowns that a rank owns.
//
//   DividedSystem system(part, options);                                   // fem/ranks/field_of_rank.hpp
//   system.linearise(u);   SolveReport report = system.solve(b, x, {.relative = 1e-8});
//   EigenSolution modes = system.modes(masses, options, {});
#pragma once

#include "fem/multigrid/matrix_free_solver.hpp"
#include "fem/operator/divided_field.hpp"
#include "fem/ranks/coarser_fields.hpp"
#include "fem/ranks/field_of_rank.hpp"
#include "fem/ranks/rank_needs.hpp"
#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/eigen/critical_factors.hpp"
#include "solvers/linear/columns.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/linear/solver_cache.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"
#include "solvers/multigrid/nested_levels.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

enum class Tangent : std::uint8_t { itself, transposed };

class DividedSystem {
 public:
  // A system of the equations of the part, to which it refers. It has a matrix where a system of one process has one
  // (without_matrix()).
  DividedSystem(const FieldOfRank& part, const LinearSolverOptions& options);
  ~DividedSystem();
  DividedSystem(const DividedSystem&) = delete;
  DividedSystem& operator=(const DividedSystem&) = delete;

  // The tangent at u, empty for zero, with the factors and at the time of the equations. A transposed one needs a
  // matrix: OperatorKind::matrix of the options.
  void linearise(const Vector& u, Tangent kind = Tangent::itself);
  const Vector& point() const { return point_; }  // u, or empty where it does not matter
  void begin() { begins_ = true; }                // as in LinearSystem

  // From x. The report is that of all ranks. By the method of the options;
  // `automatic` takes conjugate gradients where the matrix may be definite, as their bits repeat themselves, a factor
  // after them, and other iterations where there is none. Throws what DirectSolver does, an AgreedError.
  SolveReport solve(const Vector& b, Vector& x, const LinearTolerance& tolerance);
  // Columns by one factor, where the method is direct.
  std::vector<SolveReport> solve(const MultiVector& B, MultiVector& X, const LinearTolerance& tolerance);
  bool solves_together() const { return options_.method == LinearMethod::direct; }

  // The lowest modes, or those of a band, by LOBPCG or Lanczos, of the equations at a state (null: zero; else a matrix
  // is needed) and masses at zero, both of the part; motions have masses alone.
  EigenSolution modes(const Operator& masses, const EigenOptions& options, const AttachedMotions& motions,
                      const Vector* state = nullptr);
  // The factors at which the equations and so many times the geometric stiffness are singular, both at a state.
  CriticalFactors critical_factors(const Operator& geometric, const Vector& state, const EigenOptions& options);

 private:
  using Preconditioner = std::unique_ptr<LinearOperator>;
  enum class Pivot { of_diagonal, zero };  // of eliminated unknowns
  // A shortage that one rank predicts.
  struct Room {
    const char *what, *from;  // for messages
    Index plenty;             // [bytes] available beyond which nothing is predicted
    std::function<Index()> needed;
  };

  const DividedSpace& part() const { return part_.space(); }
  const FunctionSpace& space() const { return part().space(); }
  const Ghosts& ghosts() const { return *part().ghosts(); }
  const Device& device() const { return space().device(); }
  int components() const { return space().components(); }
  bool has_matrix() const { return options_.operator_kind == OperatorKind::matrix; }
  void say(const std::string& line) const;

  NestedLevels nesting_of_corners(const std::vector<Index>& first);
  void find_nested_levels();

  void assemble(const Vector& u, Tangent kind = Tangent::itself);
  void check_room();  // throws an AgreedError
  std::unique_ptr<DividedMatrix> matrix(const Operator& own, const Vector& point, Pivot pivot,
                                        Tangent kind = Tangent::itself);
  SolverGeometry geometry() const;

  std::vector<SolveReport> solve_by_plan(const Columns& columns, const LinearTolerance& tolerance);
  SolveReport solve_without_matrix(const Vector& b, Vector& x, const LinearTolerance& tolerance);

  EigenSolution modes_of_rows(const Operator& masses, const EigenOptions& options, const AttachedMotions& motions);
  EigenSolution modes_by_iteration(const DividedMatrix& masses, const EigenOptions& options,
                                   const AttachedMotions& motions) const;
  EigenSolution modes_without_matrix(const Operator& masses, const EigenOptions& options,
                                     const AttachedMotions& motions) const;
  std::optional<Error> shortage_of(const Room& room) const;
  SmoothedAggregationOptions multigrid_options() const;
  HierarchyNeeds multigrid_needs() const;  // of this rank
  Preconditioner preconditioner(const DividedMatrix& A, PreconditionerKind kind) const;
  PreconditionerKind preconditioner_of_modes(const Room& room, std::vector<std::string>& fallbacks) const;

  std::string description() const;  // what each rank has
  std::string exchanges() const;    // what this rank has sent, after the first solution
  std::string memory() const;       // of arrays on each rank, at their peaks and now
  void report_once();

  const FieldOfRank& part_;
  Ranks& ranks_;
  LinearSolverOptions options_;
  const bool related_;                           // have unknowns of the whole space equations between them?
  const bool linear_;                            // are all forms?
  bool nests_;                                   // are nested levels to be looked for?
  std::unique_ptr<WholeCoarserFields> coarser_;  // where equations join unknowns, without a matrix
  PartSupports supports_;                        // of a matrix
  DividedField field_;                           // as the next: without a matrix
  std::optional<MatrixFreeSolver> without_matrix_;
  NestedLevels nested_;
  Vector point_;
  std::unique_ptr<DividedMatrix> A_;
  SolverCache cache_;              // of A_
  ExchangeCounts first_solution_;  // sent, with set-up and sums
  bool room_is_checked_ = false;   // for the matrix
  bool begins_ = false, is_reported_ = false;
  int unwinding_ = std::uncaught_exceptions();
};

}  // namespace ritz
