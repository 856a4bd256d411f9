#include "solvers/linear_solver.hpp"

#include "device/error.hpp"
#include "solvers/block_conjugate_gradient.hpp"
#include "solvers/chebyshev.hpp"
#include "solvers/conjugate_gradient.hpp"
#include "solvers/direct_solver.hpp"
#include "solvers/jacobi.hpp"
#include "solvers/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <limits>
#include <memory>

namespace ritz {
namespace {

using Reports = std::vector<SolveReport>;  // [column]

// Right-hand sides and where their solutions go: one, or several that are solved together.
struct One {
  const Vector& b;
  Vector& x;
};
struct Many {
  const MultiVector& B;
  MultiVector& X;
};
template <class T>
concept Columns = std::same_as<T, One> || std::same_as<T, Many>;

std::vector<double> load_norms(const One& columns) { return {norm2(columns.b)}; }
std::vector<double> load_norms(const Many& columns) { return column_norms(columns.B); }
std::vector<double> energies(const One& columns) { return {dot(columns.x, columns.b)}; }
std::vector<double> energies(const Many& columns) { return column_dots(columns.X, columns.B); }

void clear(const One& columns) { columns.x.fill_zero(); }
void clear(const Many& columns) { columns.X.values().fill_zero(); }

Reports solve(DirectSolver& solver, const One& columns) { return {solver.solve(columns.b, columns.x)}; }
Reports solve(DirectSolver& solver, const Many& columns) { return solver.solve(columns.B, columns.X); }

Reports iterate(const SparseMatrix& A, const One& columns, const LinearSolverOptions& options, const LinearOperator* M) {
  const ConjugateGradient cg{.relative = options.relative, .max_iterations = options.max_iterations};
  return {cg.solve(A, columns.b, columns.x, M)};
}
Reports iterate(const SparseMatrix& A, const Many& columns, const LinearSolverOptions& options, const LinearOperator* M) {
  const BlockConjugateGradient cg{.relative = options.relative, .max_iterations = options.max_iterations};
  return cg.solve(A, columns.B, columns.X, M);
}

// ||b - A x|| of each
std::vector<double> residual_norms(const SparseMatrix& A, const One& columns) {
  Vector r(A.device(), A.rows(), "vectors");
  A.apply(columns.x, r);
  axpby(1.0, columns.b, -1.0, r);
  return {norm2(r)};
}
std::vector<double> residual_norms(const SparseMatrix& A, const Many& columns) {
  MultiVector R(A.device(), A.rows(), columns.B.columns());
  A.apply_block(columns.X, R);
  axpby(1.0, columns.B.values(), -1.0, R.values());
  return column_norms(R);
}

// The next attempt starts from what is there, unless it is spoilt.
void clear_not_finite(const One& columns) {
  if (first_not_finite(columns.x) >= 0) columns.x.fill_zero();
}
void clear_not_finite(const Many& columns) {
  Vector x(columns.X.device(), columns.X.rows(), "vectors");
  for (int j = 0; j < columns.X.columns(); ++j) {
    columns.X.get_column(j, x);
    if (first_not_finite(x) < 0) continue;
    x.fill_zero();
    columns.X.set_column(j, x);
  }
}

void check_sizes(const SparseMatrix& A, const One& columns) {
  if (columns.b.size() != A.rows()) throw_size_mismatch(A.rows(), columns.b.size());
  if (columns.x.size() != A.rows()) throw_size_mismatch(A.rows(), columns.x.size());
}
void check_sizes(const SparseMatrix& A, const Many& columns) {
  check_same_shape(columns.B, columns.X);
  if (columns.B.rows() != A.rows()) throw_size_mismatch(A.rows(), columns.B.rows());
}

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

template <Columns T>
Reports solve_directly(const SparseMatrix& A, const T& columns, const LinearSolverOptions& options, DirectKind kind,
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
  Reports reports = solve(*solver, columns);
  if (kind == DirectKind::symmetric && solver->knows_inertia() && solver->negative_pivots() > 0)
    for (SolveReport& report : reports)
      add_remark(report, fmt::format("the matrix has {} negative eigenvalue{}", solver->negative_pivots(),
                                     solver->negative_pivots() == 1 ? "" : "s"));
  return reports;
}

// Relative to the solution, both in the energy norm: x.Ax = x.b once r is small.
template <Columns T>
void estimate_errors(const T& columns, Reports& reports) {
  const std::vector<double> energy = energies(columns);
  for (std::size_t j = 0; j < reports.size(); ++j) {
    SolveReport& report = reports[j];
    const double squared = squared_energy_error(report.steps), x_energy = report.converged() ? energy[j] : 0;
    if (squared < 0 || !(x_energy > 0) || !std::isfinite(x_energy)) continue;
    report.error_estimate = std::sqrt(squared / x_energy);
    report.error_norm = "energy";
  }
}

// Preconditioners that need a positive definite matrix say so when they are made.
template <Columns T>
Reports refused_by_preconditioner(const SparseMatrix& A, const T& columns, const Error& error) {
  const std::vector<double> residual = residual_norms(A, columns), load = load_norms(columns);
  Reports reports(load.size());
  for (std::size_t j = 0; j < load.size(); ++j) {
    reports[j].method = "conjugate gradients";
    reports[j].reason = StopReason::indefinite_matrix;
    reports[j].where = error.message();
    reports[j].true_relative_residual = load[j] > 0 ? residual[j] / load[j] : residual[j];
  }
  return reports;
}

// Rounding in a single-precision cycle can spoil the last digits or even the definiteness.
bool may_be_rounding(const SolveReport& report) {
  return report.reason == StopReason::stagnated || report.reason == StopReason::indefinite_preconditioner ||
         report.reason == StopReason::not_finite;
}

template <Columns T>
Reports solve_by_iteration(const SparseMatrix& A, const T& columns, const LinearSolverOptions& options, PreconditionerKind kind,
                           const SolverGeometry& geometry) {
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
      return refused_by_preconditioner(A, columns, error);
    }
    auto phase = profile.phase("iteration");
    return iterate(A, columns, options, preconditioner.get());
  };
  Reports reports = attempt();
  if (kind == PreconditionerKind::multigrid && multigrid.single_precision && std::ranges::any_of(reports, may_be_rounding)) {
    clear_not_finite(columns);
    multigrid.single_precision = false;
    Reports repeated = attempt();  // columns that have converged stand still
    for (std::size_t j = 0; j < reports.size(); ++j) {
      if (reports[j].converged()) continue;
      repeated[j].iterations += reports[j].iterations;
      const std::string more = repeated[j].where.empty() ? "" : "; " + repeated[j].where;
      repeated[j].where = "single precision was not enough for the multigrid cycle: repeated in double" + more;
      reports[j] = std::move(repeated[j]);
    }
  }
  return reports;
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

SolveReport zero_solution() {
  SolveReport report;
  report.method = "none";
  report.choice = "the right-hand side is zero";
  report.reason = StopReason::converged;
  report.error_estimate = 0;
  return report;
}

template <Columns T>
Reports solve_columns(const SparseMatrix& A, const T& columns, const LinearSolverOptions& options, const SolverGeometry& geometry) {
  check_sizes(A, columns);
  const std::vector<double> loads = load_norms(columns);
  const MatrixTraits traits = traits_of(A, options.promise);
  if (!traits.finite) return Reports(loads.size(), matrix_not_finite(A));
  MethodChoice choice = choose_method(A.rows(), traits, options, geometry.dimension);
  const auto directly = [&](DirectKind kind) { return solve_directly(A, columns, options, kind, geometry); };
  const auto chosen = [](Reports reports, const std::string& why) {
    for (SolveReport& report : reports) report.choice = why;
    return reports;
  };
  if (std::ranges::all_of(loads, [](double load) { return load == 0; })) {  // also of a singular matrix
    clear(columns);
    return Reports(loads.size(), zero_solution());
  }
  const bool definite = traits.symmetric && traits.positive_diagonal;
  if (choice.method == LinearMethod::direct) {
    try {
      return chosen(directly(direct_kind(traits, options.promise)), choice.why);
    } catch (const Error& error) {
      // Nobody asked for it by name, and iterations need neither the library nor the memory.
      const bool can_step_down = error.exit() == Exit::environment || error.exit() == Exit::resources;
      if (options.method == LinearMethod::direct || !can_step_down || !definite) throw;
      choice.why = "not factorised: " + error.message();
    }
  }
  Reports reports = solve_by_iteration(A, columns, options, choice.preconditioner, geometry);
  estimate_errors(columns, reports);
  if (!traits.symmetric)
    for (SolveReport& report : reports) add_remark(report, "the matrix is not symmetric, which conjugate gradients rely on");
  const bool turned_out_indefinite = std::ranges::any_of(reports, [](const SolveReport& report) {
    return report.reason == StopReason::indefinite_matrix || report.reason == StopReason::indefinite_preconditioner;
  });
  if (turned_out_indefinite && options.method == LinearMethod::automatic && options.promise != MatrixPromise::positive_definite)
    return chosen(directly(DirectKind::symmetric), "conjugate gradients found the matrix indefinite");
  return chosen(std::move(reports), choice.why);
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
  return solve_columns(A, One{b, x}, options, geometry).front();
}

std::vector<SolveReport> solve_linear(const SparseMatrix& A, const MultiVector& B, MultiVector& X,
                                      const LinearSolverOptions& options, const SolverGeometry& geometry) {
  return solve_columns(A, Many{B, X}, options, geometry);
}

}  // namespace ritz
