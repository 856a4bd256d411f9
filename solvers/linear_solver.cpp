#include "solvers/linear_solver.hpp"

#include "device/error.hpp"
#include "solvers/chebyshev.hpp"
#include "solvers/conjugate_gradient.hpp"
#include "solvers/direct_solver.hpp"
#include "solvers/jacobi.hpp"

#include <fmt/format.h>
#include <memory>

namespace ritz {
namespace {

// Where sparse factorisation stops being the faster way, measured on two cores: its cost grows with n^2 in three
// dimensions and with n^1.5 in two.
Index direct_limit(int dimension) { return dimension == 3 ? 20000 : 200000; }

std::unique_ptr<LinearOperator> make_preconditioner(const SparseMatrix& A, PreconditionerKind kind) {
  switch (kind) {
    case PreconditionerKind::none: return nullptr;
    case PreconditionerKind::jacobi: return std::make_unique<JacobiPreconditioner>(A);
    default: return std::make_unique<ChebyshevPreconditioner>(A);
  }
}

}  // namespace

MethodChoice choose_method(const SparseMatrix& A, const LinearSolverOptions& options, int dimension) {
  MethodChoice choice{options.method, options.preconditioner, "as asked"};
  if (choice.method == LinearMethod::automatic) {
    const bool small = A.rows() <= direct_limit(dimension);
    choice.method = small ? LinearMethod::direct : LinearMethod::conjugate_gradient;
    choice.why = small ? fmt::format("{} unknowns are few enough to factorise", A.rows())
                       : fmt::format("{} unknowns are too many to factorise quickly", A.rows());
  }
  if (choice.preconditioner == PreconditionerKind::automatic) choice.preconditioner = PreconditionerKind::chebyshev;
  return choice;
}

SolveReport solve_linear(const SparseMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options,
                         const SolverGeometry& geometry) {
  const MethodChoice choice = choose_method(A, options, geometry.dimension);
  if (choice.method == LinearMethod::direct) {
    try {
      return DirectSolver(A, DirectSolver::Kind::positive_definite).solve(b, x);
    } catch (const Error& error) {
      // Nobody asked for it by name, and iterations need neither the library nor the memory.
      const bool can_step_down = error.exit() == Exit::environment || error.exit() == Exit::resources;
      if (options.method == LinearMethod::direct || !can_step_down) throw;
    }
  }
  const std::unique_ptr<LinearOperator> preconditioner = make_preconditioner(A, choice.preconditioner);
  return ConjugateGradient{.relative = options.relative, .max_iterations = options.max_iterations}.solve(A, b, x, preconditioner.get());
}

}  // namespace ritz
