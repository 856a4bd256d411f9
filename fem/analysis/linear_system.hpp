// The tangent of equations at u with its prescribed unknowns eliminated, as a matrix or without one, and the factor or
// hierarchy that solves it. Static analyses, Newton's method and time integration all solve through it.
//
//   LinearSystem system(equations, options, LinearSystem::Keeps::solver);
//   system.linearise(u, constraints);            // again when u, numbers or prescribed unknowns have changed
//   system.multiply(gap, y);                     // the whole tangent, where it is needed
//   SolveReport report = system.solve(b, x);     // from x
//
// By default the system decides whether it has a matrix (fem/multigrid/matrix_free_solver.hpp). One without a matrix
// changes to one, for good, if an iteration fails or becomes slower than a factorisation; if memory has no room for the
// matrix it continues without.
#pragma once

#include "fem/analysis/beside_tangent.hpp"
#include "fem/analysis/ground_correction.hpp"
#include "fem/analysis/tangent_system.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"
#include "fem/operator/operator.hpp"
#include "fem/ranks/rank_matrices.hpp"
#include "fem/space/constraints.hpp"
#include "solvers/linear/columns.hpp"
#include "solvers/linear/projected_guess.hpp"
#include "solvers/linear/linear_solver.hpp"
#include "solvers/linear/solver_cache.hpp"

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

class LinearSystem final : public TangentSystem {
 public:
  // From one solve to the next: nothing but the matrix; factor and hierarchies, and the lists of the assembly;
  // solutions too, which give later ones their initial guess where the system is promised positive definite.
  enum class Keeps { nothing, solver, solver_and_solutions };
  enum class Tangent : std::uint8_t { itself, transposed };

  // Makes the matrix, where there is one, without its values. part: over ranks, where the
  // equations are those of this part and vectors have owned unknowns; it has a matrix where one process has one. A
  // transposed tangent needs a matrix: OperatorKind::matrix of the options.
  LinearSystem(const Operator& equations, const LinearSolverOptions& options, Keeps keeps,
               const OwnField* part = nullptr, Tangent tangent = Tangent::itself);
  ~LinearSystem() override;
  LinearSystem(const LinearSystem&) = delete;  // solvers refer to the matrix in here
  LinearSystem& operator=(const LinearSystem&) = delete;

  void set_options(const LinearSolverOptions& options) override;  // which way is taken stays decided

  void begin(const std::string& stage = {}) override;

  // The tangent at u. Factors and hierarchies of the tangent before serve on, or give their analysis and aggregates to
  // the new ones; not so where `alike` is false, as other unknowns are prescribed.
  void linearise(const Vector& u, const Constraints& constraints, bool alike = true);
  void hold(const Supports& constraints) override;  // of linearise(u)
  void linearise(const Vector& u) override { linearise(u, *constraints_); }

  void set_beside(std::shared_ptr<const Attached> attached, double stiffness, double mass) override;
  void set_ground(GroundMotions motions) override;

  void multiply(const Vector& x, Vector& y) const override;
  SolveReport solve(const Vector& b, Vector& x, const std::optional<LinearTolerance>& tolerance = {}) override;
  std::vector<SolveReport> solve(const MultiVector& B, MultiVector& X, const AfterColumns& after_columns = {}) override;

  bool has_matrix() const override { return K_ || part_ != nullptr; }
  const std::string& turned() const override { return turned_; }
  const SolverCache::Counts& counts() const { return cache_->counts(); }  // of a system that keeps its solver

 private:
  void assemble(const Vector& u);
  void linearise_part(const Vector& u, bool alike);
  void end_part() noexcept;
  std::vector<SolveReport> solve_part(const Columns& columns, LinearSolverOptions options);
  void act(const Vector& x, Vector& y) const;  // the tangent, by elements
  void eliminate();
  SolveReport solve_tangent(const Vector& b, Vector& x, const std::optional<LinearTolerance>& tolerance);
  std::vector<SolveReport> solve_tangents(std::span<const Vector* const> b, std::span<Vector* const> x,
                                          const LinearTolerance& tolerance);
  SolveReport solve_uncorrected(const Vector& b, Vector& x, const std::optional<LinearTolerance>& tolerance);
  void correct(const SolveReport& report, const Vector& b, Vector& x);
  void multiply_alone(const Vector& x, Vector& y) const;
  SolveReport solve_without_matrix(const Vector& b, Vector& x, const LinearSolverOptions& options);
  SolveReport turn_to_matrix(const std::string& reason, const std::optional<Error>& failure, const Vector& b, Vector& x,
                             const LinearSolverOptions& options);

  Operator equations_;
  FunctionSpace space_;
  LinearSolverOptions options_;
  const Keeps keeps_;
  const OwnField* part_;  // null: one process
  const Tangent tangent_;
  std::optional<Constraints> constraints_;
  std::optional<SparseMatrix> K_;
  bool eliminated_ = false;
  std::optional<RankMatrices> of_part_;
  std::unique_ptr<const DividedMatrix> rows_;  // of the part: instead of K_
  Vector point_;                               // over ranks; empty where it does not matter
  ExchangeCounts first_solution_;              // sent by this rank
  int unwinding_ = std::uncaught_exceptions();
  std::optional<MatrixFreeSolver> without_matrix_;
  std::optional<SolverCache> cache_;  // of K_ or the rows
  ProjectedGuess guess_;
  std::optional<GroundCorrection> ground_;
  BesideTangent beside_;
  std::string stage_, turned_;
  bool no_room_ = false;  // for a matrix
};

// Throws Error: Exit::resources, before any of it is taken, where the matrix, its pattern and four vectors do not fit.
void check_room_for_matrix(const FunctionSpace& space);

}  // namespace ritz
