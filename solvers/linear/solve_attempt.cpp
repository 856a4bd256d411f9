#include "solvers/linear/solve_attempt.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/block_conjugate_gradient.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/minres.hpp"
#include "solvers/linear/chosen_preconditioner.hpp"
#include "solvers/linear/prepared_solver.hpp"

#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz::linear {
namespace {

void add_remark(SolveReport& report, const std::string& remark) {
  report.where += (report.where.empty() ? "" : "; ") + remark;
}

DirectKind direct_kind(const MatrixTraits& traits, MatrixPromise promise) {
  if (!traits.symmetric) return DirectKind::general;
  return promise == MatrixPromise::positive_definite ? DirectKind::positive_definite : DirectKind::symmetric;
}

// Where preconditioners and factors live: with the owner of the matrix, or for this call only.
PreparedSolver& kept_or(const Task& task, PreparedSolver& passing) {
  return task.options.prepared != nullptr ? *task.options.prepared : passing;
}

// Relative to the solution, both in the energy norm: x.Ax = x.b once r is small.
template <Columns T>
void estimate_errors(const T& columns, Reports& reports) {
  const std::vector<double> energy = energies(columns);
  for (std::size_t j = 0; j < reports.size(); ++j) estimate_error(reports[j], energy[j]);
}

int iteration_limit(const Task& task, const MethodChoice& choice) {
  return choice.max_iterations > 0 ? std::min(choice.max_iterations, task.options.max_iterations)
                                   : task.options.max_iterations;
}

SolveReport iterate_one(const Task& task, const Vector& b, Vector& x, const MethodChoice& choice,
                        const LinearOperator* M) {
  const double relative = task.options.relative;
  const int limit = iteration_limit(task, choice);
  switch (choice.method) {
    case LinearMethod::minres:
      return Minres{.relative = relative, .max_iterations = limit, .give_up = choice.give_up}.solve(task.A, b, x, M);
    case LinearMethod::gmres:
      return Gmres{
          .relative = relative, .max_iterations = limit, .restart = task.options.restart, .give_up = choice.give_up}
          .solve(task.A, b, x, M);
    case LinearMethod::bicgstab:
      return Bicgstab{.relative = relative, .max_iterations = limit, .give_up = choice.give_up}.solve(task.A, b, x, M);
    default:
      return ConjugateGradient{.relative = relative,
                               .max_iterations = limit,
                               .flexible = choice.method == LinearMethod::flexible_conjugate_gradient,
                               .give_up = choice.give_up}
          .solve(task.A, b, x, M);
  }
}

Reports iterate(const Task& task, const One& columns, const MethodChoice& choice, const LinearOperator* M) {
  return {iterate_one(task, columns.b, columns.x, choice, M)};
}
// Conjugate gradients take them together, other methods one by one.
Reports iterate(const Task& task, const Many& columns, const MethodChoice& choice, const LinearOperator* M) {
  if (choice.method == LinearMethod::conjugate_gradient)
    return BlockConjugateGradient{.relative = task.options.relative,
                                  .max_iterations = iteration_limit(task, choice),
                                  .after_columns = task.options.after_columns}
        .solve(task.A, columns.B, columns.X, M);
  Vector b(task.A.device(), task.A.rows(), "vectors"), x(task.A.device(), task.A.rows(), "vectors");
  Reports reports;
  for (int j = 0; j < columns.B.columns(); ++j) {
    columns.B.get_column(j, b);
    columns.X.get_column(j, x);
    reports.push_back(iterate_one(task, b, x, choice, M));
    columns.X.set_column(j, x);
    if (task.options.after_columns) task.options.after_columns(j, {reports.back()});
  }
  return reports;
}

// Preconditioners that need a positive definite matrix say so when they are made.
template <Columns T>
Reports refused_by_preconditioner(const Task& task, const T& columns, const MethodChoice& choice, const Error& error) {
  const std::vector<double> residual = residual_norms(task.A, columns), load = load_norms(columns);
  const bool cg =
      choice.method == LinearMethod::conjugate_gradient || choice.method == LinearMethod::flexible_conjugate_gradient;
  Reports reports(load.size());
  for (std::size_t j = 0; j < load.size(); ++j) {
    reports[j].method = cg ? "conjugate gradients" : name_of(choice.method);
    reports[j].preconditioner = name_of(choice.preconditioner);
    reports[j].reason = cg ? StopReason::indefinite_matrix : StopReason::indefinite_preconditioner;
    reports[j].where = error.message();
    reports[j].true_relative_residual = load[j] > 0 ? residual[j] / load[j] : residual[j];
  }
  return reports;
}

template <Columns T>
Reports iterate_with(const Task& task, const T& columns, const MethodChoice& choice,
                     const ChosenPreconditioner& preconditioner) {
  auto phase = task.A.device().profile().phase("iteration");
  Reports reports = iterate(task, columns, choice, preconditioner.get());
  for (SolveReport& report : reports) report.preconditioner = preconditioner.name();
  return reports;
}

template <Columns T>
Reports iterate_with(const Task& task, const T& columns, const MethodChoice& choice, PreconditionerBasis basis,
                     const SmoothedAggregationOptions& multigrid) {
  Profile& profile = task.A.device().profile();
  PreparedSolver passing;
  const ChosenPreconditioner* preconditioner = nullptr;
  try {
    auto phase = profile.phase("set-up");
    preconditioner = &kept_or(task, passing).preconditioner(task.A, choice.preconditioner, basis, multigrid);
  } catch (const Error& error) {
    if (error.exit() != Exit::model && error.exit() != Exit::not_converged) throw;
    return refused_by_preconditioner(task, columns, choice, error);
  }
  MethodChoice patient = choice;
  if (task.options.prepared != nullptr)
    if (const int most = task.options.prepared->patience(*preconditioner, -std::log10(task.options.relative)); most > 0)
      patient.max_iterations = std::min(most, iteration_limit(task, choice));
  Reports reports = iterate_with(task, columns, patient, *preconditioner);
  if (task.options.prepared == nullptr || task.options.prepared->judge(*preconditioner, reports)) return reports;
  forget_bad_guesses(columns, reports);
  return continued(reports, iterate_with(task, columns, choice, basis, multigrid), "");
}

// Rounding in a cycle can spoil the last digits or even the definiteness: once more with matrices that are not
// shortened, and then in double precision.
template <Columns T>
Reports iterate_in_rising_precision(const Task& task, const T& columns, const MethodChoice& choice,
                                    PreconditionerBasis basis) {
  SmoothedAggregationOptions multigrid = task.options.multigrid;
  multigrid.coordinates = task.geometry.coordinates;
  multigrid.dimension = task.geometry.dimension;
  multigrid.nested = task.geometry.nested;
  Reports reports = iterate_with(task, columns, choice, basis, multigrid);
  while (choice.preconditioner == PreconditionerKind::multigrid && multigrid.single_precision &&
         std::ranges::any_of(reports, may_be_rounding)) {
    forget_bad_guesses(columns, reports);
    const std::string why{name_of(worst(reports).reason)};
    const bool half = std::exchange(multigrid.half_storage, false);
    if (!half) multigrid.single_precision = false;
    const std::string what =
        half ? fmt::format("matrices in 16 bits were not enough for the multigrid cycle ({}): repeated with 32", why)
             : fmt::format("single precision was not enough for the multigrid cycle ({}): repeated in double", why);
    reports = continued(reports, iterate_with(task, columns, choice, basis, multigrid), what);
  }
  return reports;
}

}  // namespace

template <Columns T>
Reports solve_directly(const Task& task, const T& columns, const MethodChoice& choice) {
  const DirectKind kind = direct_kind(task.traits, task.options.promise);
  Profile& profile = task.A.device().profile();
  PreparedSolver passing;
  DirectSolver* solver = nullptr;
  {
    auto phase = profile.phase("factorisation");
    solver = &kept_or(task, passing)
                  .direct(task.A, kind,
                          DirectOptions{.coordinates = task.geometry.coordinates,
                                        .dimension = task.geometry.dimension,
                                        .memory_limit = task.options.direct_memory,
                                        .operations_limit = choice.operations_limit,
                                        .say = task.options.say});
    solver->relative = task.options.relative;
    solver->rounding_error = task.options.rounding_error;
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

template <Columns T>
Reports solve_by_iteration(const Task& task, const T& columns, const MethodChoice& choice) {
  Reports reports;
  for (const PreconditionerBasis basis :
       preconditioner_bases(choice.method, choice.preconditioner, task.traits, task.options.promise)) {
    Reports next = iterate_in_rising_precision(task, columns, choice, basis);
    reports = reports.empty()
                  ? std::move(next)
                  : continued(reports, std::move(next),
                              fmt::format("{}: {}", worst(reports).preconditioner, name_of(worst(reports).reason)));
    const SolveReport& last = worst(reports);
    if (last.converged() || last.reason == StopReason::iteration_limit || last.entry >= 0) break;
    forget_bad_guesses(columns, reports);
  }
  estimate_errors(columns, reports);
  return reports;
}

template Reports solve_directly(const Task&, const One&, const MethodChoice&);
template Reports solve_directly(const Task&, const Many&, const MethodChoice&);
template Reports solve_by_iteration(const Task&, const One&, const MethodChoice&);
template Reports solve_by_iteration(const Task&, const Many&, const MethodChoice&);

}  // namespace ritz::linear
