#include "solvers/linear_solver.hpp"

#include "device/error.hpp"
#include "solvers/chebyshev.hpp"
#include "solvers/conjugate_gradient.hpp"
#include "solvers/direct_solver.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/vectors.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>

namespace ritz {
namespace {

// Where sparse factorisation stops being the faster way, measured on two cores: its cost grows with n^2 in three
// dimensions and with n^1.5 in two.
Index direct_limit(int dimension) { return dimension == 3 ? 20000 : 200000; }

void add_remark(SolveReport& report, const std::string& remark) { report.where += (report.where.empty() ? "" : "; ") + remark; }

std::unique_ptr<LinearOperator> make_preconditioner(const SparseMatrix& A, PreconditionerKind kind,
                                                    const SmoothedAggregationOptions& multigrid) {
  switch (kind) {
    case PreconditionerKind::none: return nullptr;
    case PreconditionerKind::jacobi: return std::make_unique<JacobiPreconditioner>(A);
    case PreconditionerKind::chebyshev: return std::make_unique<ChebyshevPreconditioner>(A);
    default: return std::make_unique<SmoothedAggregation>(A, multigrid);
  }
}

DirectKind direct_kind(const MatrixTraits& traits, MatrixPromise promise) {
  if (!traits.symmetric) return DirectKind::general;
  return promise == MatrixPromise::positive_definite ? DirectKind::positive_definite : DirectKind::symmetric;
}

SolveReport solve_directly(const SparseMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options, DirectKind kind,
                           const SolverGeometry& geometry) {
  Profile& profile = A.device().profile();
  std::unique_ptr<DirectSolver> solver;
  {
    auto phase = profile.phase("factorisation");
    solver = std::make_unique<DirectSolver>(
        A, kind, DirectOptions{.coordinates = geometry.coordinates, .dimension = geometry.dimension, .say = options.say});
    solver->relative = options.relative;
    solver->estimate_error = true;
  }
  auto phase = profile.phase("substitution");
  SolveReport report = solver->solve(b, x);
  if (kind == DirectKind::symmetric && solver->knows_inertia() && solver->negative_pivots() > 0)
    add_remark(report, fmt::format("the matrix has {} negative eigenvalue{}", solver->negative_pivots(),
                                   solver->negative_pivots() == 1 ? "" : "s"));
  return report;
}

// Relative to the solution, both in the energy norm: x.Ax = x.b once r is small.
void estimate_error(const Vector& b, const Vector& x, SolveReport& report) {
  const double squared = squared_energy_error(report.steps), x_energy = report.converged() ? dot(x, b) : 0;
  if (squared < 0 || !(x_energy > 0) || !std::isfinite(x_energy)) return;
  report.error_estimate = std::sqrt(squared / x_energy);
  report.error_norm = "energy";
}

// Preconditioners that need a positive definite matrix say so when they are made.
SolveReport refused_by_preconditioner(const SparseMatrix& A, const Vector& b, const Vector& x, const Error& error) {
  Vector r(A.device(), A.rows(), "vectors");
  A.apply(x, r);
  axpby(1.0, b, -1.0, r);
  SolveReport report;
  report.method = "conjugate gradients";
  report.reason = StopReason::indefinite_matrix;
  report.where = error.message();
  report.true_relative_residual = norm2(r) / norm2(b);
  return report;
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
    try {
      auto phase = profile.phase("set-up");
      preconditioner = make_preconditioner(A, kind, multigrid);
    } catch (const Error& error) {
      if (error.exit() != Exit::model && error.exit() != Exit::not_converged) throw;
      return refused_by_preconditioner(A, b, x, error);
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

MatrixTraits traits_of(const SparseMatrix& A, MatrixPromise promise) {
  if (promise == MatrixPromise::none) return inspect(A);
  MatrixTraits traits;
  traits.finite = first_not_finite(A.values()) < 0;
  if (promise == MatrixPromise::symmetric) traits.positive_diagonal = all_positive(A.diagonal());
  return traits;
}

SolveReport matrix_not_finite(const SparseMatrix& A) {
  const MatrixEntry bad = first_not_finite(A);
  SolveReport report;
  report.method = "none";
  report.true_relative_residual = std::numeric_limits<double>::quiet_NaN();
  report.entry = bad.row;
  report.where = fmt::format("row {}, column {} of the matrix is {}", bad.row, bad.column, bad.value);
  return report;
}

SolveReport zero_solution(Vector& x) {
  x.fill_zero();
  SolveReport report;
  report.method = "none";
  report.choice = "the right-hand side is zero";
  report.reason = StopReason::converged;
  report.error_estimate = 0;
  return report;
}

}  // namespace

MethodChoice choose_method(Index unknowns, const MatrixTraits& traits, const LinearSolverOptions& options, int dimension) {
  MethodChoice choice{options.method, options.preconditioner, "as asked"};
  if (choice.method == LinearMethod::automatic) {
    const bool small = unknowns <= direct_limit(dimension), definite = traits.symmetric && traits.positive_diagonal;
    choice.method = small || !definite ? LinearMethod::direct : LinearMethod::conjugate_gradient;
    choice.why = !traits.symmetric              ? "the matrix is not symmetric"
                 : !traits.positive_diagonal    ? "the matrix is not positive definite: a diagonal entry is not positive"
                 : small                        ? fmt::format("{} unknowns are few enough to factorise", unknowns)
                                                : fmt::format("{} unknowns are too many to factorise quickly", unknowns);
  }
  if (choice.preconditioner == PreconditionerKind::automatic)
    choice.preconditioner = traits.positive_diagonal ? PreconditionerKind::multigrid : PreconditionerKind::none;
  return choice;
}

SolveReport solve_linear(const SparseMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options,
                         const SolverGeometry& geometry) {
  if (b.size() != A.rows()) throw_size_mismatch(A.rows(), b.size());
  if (x.size() != A.rows()) throw_size_mismatch(A.rows(), x.size());
  const MatrixTraits traits = traits_of(A, options.promise);
  if (!traits.finite) return matrix_not_finite(A);
  MethodChoice choice = choose_method(A.rows(), traits, options, geometry.dimension);
  const auto directly = [&](DirectKind kind) { return solve_directly(A, b, x, options, kind, geometry); };
  if (norm2(b) == 0) return zero_solution(x);  // also of a singular matrix
  SolveReport report;
  const bool definite = traits.symmetric && traits.positive_diagonal;
  if (choice.method == LinearMethod::direct) {
    try {
      report = directly(direct_kind(traits, options.promise));
      report.choice = choice.why;
      return report;
    } catch (const Error& error) {
      // Nobody asked for it by name, and iterations need neither the library nor the memory.
      const bool can_step_down = error.exit() == Exit::environment || error.exit() == Exit::resources;
      if (options.method == LinearMethod::direct || !can_step_down || !definite) throw;
      choice.why = "not factorised: " + error.message();
    }
  }
  report = solve_by_iteration(A, b, x, options, choice.preconditioner, geometry);
  estimate_error(b, x, report);
  report.choice = choice.why;
  if (!traits.symmetric) add_remark(report, "the matrix is not symmetric, which conjugate gradients rely on");
  const bool turned_out_indefinite =
      report.reason == StopReason::indefinite_matrix || report.reason == StopReason::indefinite_preconditioner;
  if (turned_out_indefinite && options.method == LinearMethod::automatic && options.promise != MatrixPromise::positive_definite) {
    report = directly(DirectKind::symmetric);
    report.choice = "conjugate gradients found the matrix indefinite";
  }
  return report;
}

}  // namespace ritz
