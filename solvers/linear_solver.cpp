#include "solvers/linear_solver.hpp"

#include "device/error.hpp"
#include "solvers/chebyshev.hpp"
#include "solvers/conjugate_gradient.hpp"
#include "solvers/direct_solver.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/vectors.hpp"

#include <fmt/format.h>
#include <memory>

namespace ritz {
namespace {

// Where sparse factorisation stops being the faster way, measured on two cores: its cost grows with n^2 in three
// dimensions and with n^1.5 in two.
Index direct_limit(int dimension) { return dimension == 3 ? 20000 : 200000; }

std::unique_ptr<LinearOperator> make_preconditioner(const SparseMatrix& A, PreconditionerKind kind,
                                                    const SmoothedAggregationOptions& multigrid) {
  switch (kind) {
    case PreconditionerKind::none: return nullptr;
    case PreconditionerKind::jacobi: return std::make_unique<JacobiPreconditioner>(A);
    case PreconditionerKind::chebyshev: return std::make_unique<ChebyshevPreconditioner>(A);
    default: return std::make_unique<SmoothedAggregation>(A, multigrid);
  }
}

SolveReport solve_directly(const SparseMatrix& A, const Vector& b, Vector& x, double relative) {
  Profile& profile = A.device().profile();
  std::unique_ptr<DirectSolver> solver;
  {
    auto phase = profile.phase("factorisation");
    solver = std::make_unique<DirectSolver>(A, DirectSolver::Kind::positive_definite);
    solver->relative = relative;
  }
  auto phase = profile.phase("substitution");
  return solver->solve(b, x);
}

SolveReport solve_by_iteration(const SparseMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options,
                               PreconditionerKind kind, const SolverGeometry& geometry) {
  const ConjugateGradient cg{.relative = options.relative, .max_iterations = options.max_iterations};
  Profile& profile = A.device().profile();
  SmoothedAggregationOptions multigrid = options.multigrid;
  multigrid.coordinates = geometry.coordinates;
  multigrid.dimension = geometry.dimension;
  const auto attempt = [&] {
    std::unique_ptr<LinearOperator> preconditioner;
    {
      auto phase = profile.phase("set-up");
      preconditioner = make_preconditioner(A, kind, multigrid);
    }
    auto phase = profile.phase("iteration");
    return cg.solve(A, b, x, preconditioner.get());
  };
  SolveReport report = attempt();
  // Rounding in a single-precision cycle can spoil the last digits or even the definiteness: once more in double.
  const bool rounding = report.reason == StopReason::stagnated || report.reason == StopReason::indefinite_preconditioner ||
                        report.reason == StopReason::not_finite;
  if (kind == PreconditionerKind::multigrid && multigrid.single_precision && rounding) {
    const int spent = report.iterations;
    if (first_not_finite(x) >= 0) x.fill_zero();
    multigrid.single_precision = false;
    report = attempt();
    report.iterations += spent;
    const std::string more = report.where.empty() ? "" : "; " + report.where;
    report.where = "single precision was not enough for the multigrid cycle: repeated in double" + more;
  }
  return report;
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
  if (choice.preconditioner == PreconditionerKind::automatic) choice.preconditioner = PreconditionerKind::multigrid;
  return choice;
}

SolveReport solve_linear(const SparseMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options,
                         const SolverGeometry& geometry) {
  MethodChoice choice = choose_method(A, options, geometry.dimension);
  if (choice.method == LinearMethod::direct) {
    try {
      SolveReport report = solve_directly(A, b, x, options.relative);
      report.choice = choice.why;
      return report;
    } catch (const Error& error) {
      // Nobody asked for it by name, and iterations need neither the library nor the memory.
      const bool can_step_down = error.exit() == Exit::environment || error.exit() == Exit::resources;
      if (options.method == LinearMethod::direct || !can_step_down) throw;
      choice.why = "not factorised: " + error.message();
    }
  }
  SolveReport report = solve_by_iteration(A, b, x, options, choice.preconditioner, geometry);
  report.choice = choice.why;
  return report;
}

}  // namespace ritz
