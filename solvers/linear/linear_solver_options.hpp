// How a linear system is to be solved, by names that a case file can say, and the combinations that make sense.
//
//   LinearSolverOptions options{.method = LinearMethod::gmres, .preconditioner = PreconditionerKind::multigrid};
#pragma once

#include "device/message_sink.hpp"
#include "solvers/algebra/solve_report.hpp"
#include "solvers/linear/matrix_traits.hpp"
#include "solvers/multigrid/smoothed_aggregation.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

class Ranks;        // device/ranks/ranks.hpp
class SolverCache;  // solvers/linear/solver_cache.hpp

enum class LinearMethod { automatic, conjugate_gradient, flexible_conjugate_gradient, minres, gmres, bicgstab, direct };
enum class PreconditionerKind { automatic, none, jacobi, chebyshev, multigrid };

// "auto", "cg", "flexible_cg", "minres", "gmres", "bicgstab", "direct"; "auto", "none", "jacobi", "chebyshev",
// "multigrid"
const std::vector<std::string>& linear_method_names();
const std::vector<std::string>& preconditioner_names();
const std::string& name_of(LinearMethod method);
const std::string& name_of(PreconditionerKind kind);
// Throw Error: Exit::input with the valid names and the nearest one.
LinearMethod linear_method_named(std::string_view name);
PreconditionerKind preconditioner_named(std::string_view name);

// Properties of the matrix that the caller knows. A matrix that is declared positive definite and is not is an error: a
// model that is not stable, not a system to be solved in another way.
enum class MatrixPromise { none, symmetric, positive_definite };

// A matrix, or elements recomputed at every product; for solvers of equations (solve_static).
enum class OperatorKind { automatic, matrix, matrix_free };

struct LinearSolverOptions {
  LinearMethod method = LinearMethod::automatic;
  PreconditionerKind preconditioner = PreconditionerKind::automatic;
  double relative = 1e-8;  // of ||b||_2, on the true residual
  // of a direct solution that rounding keeps from `relative`: up to it the solution counts, as nothing is nearer
  double rounding_error = 0;
  int max_iterations = 20000;
  int restart = 30;                      // of GMRES
  SmoothedAggregationOptions multigrid;  // coordinates, dimension and nested are filled in by solve_linear
  MatrixPromise promise = MatrixPromise::none;
  OperatorKind operator_kind = OperatorKind::automatic;
  bool slow_multigrid = false;  // it has been tried on this system, without a matrix: a factorisation goes first
  bool one_of_many = false;     // other right-hand sides or numbers follow: load cases, members of a sweep
  Index direct_memory = 0;      // [bytes] that a factorisation may need; 0: what the device has
  // Conjugate gradients that find the matrix indefinite end the solution: the caller has a better way than another
  // method.
  bool ends_when_indefinite = false;
  double direct_operations = 0;  // that a factorisation may need, as its analysis counts them; 0: `automatic` decides
  Ranks* ranks = nullptr;        // that solve together (fem/ranks/own_field.hpp); null: one process
  SolverCache* cache = nullptr;  // of this matrix: what it holds is used, and what is made is kept there
  // called by functions that throw for a failed solve
  std::function<void(const SolveReport&, Index unknowns)> on_failure;
  // Called by solve_linear of several columns, as soon as those from `first` on are solved and are in X.
  AfterColumns after_columns;
  MessageSink say;  // lines worth knowing before long work: the memory that a factor needs
};

// Tolerance of one solution, in place of the options'.
struct LinearTolerance {
  double relative;            // as in LinearSolverOptions
  double rounding_error = 0;  // as there
  bool ends_when_indefinite = false;
};

// Facts of the mesh of the matrix, for solvers.
struct SolverGeometry {
  const Vector* coordinates = nullptr;  // [block row][dimension]
  int dimension = 0;
  MakeNested nested = {};       // called when multigrid is set up
  Index more_for_products = 0;  // [bytes] that multigrid's set-up takes beyond what the matrix shows; over ranks
};

// Contradiction between named options ("direct" with a preconditioner), and the remedy; nullopt: none.
struct Mismatch {
  std::string what, why, fix;
};
std::optional<Mismatch> mismatch(LinearMethod method, PreconditionerKind preconditioner);
// Throws Error: Exit::input: a method was named that this matrix makes senseless, such as "cg" for an unsymmetric one.
void check_method_suits(LinearMethod method, const MatrixTraits& traits);

}  // namespace ritz
