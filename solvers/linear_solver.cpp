#include "solvers/linear_solver.hpp"

#include "device/error.hpp"
#include "solvers/bicgstab.hpp"
#include "solvers/bounding_box.hpp"
#include "solvers/block_conjugate_gradient.hpp"
#include "solvers/chosen_preconditioner.hpp"
#include "solvers/conjugate_gradient.hpp"
#include "solvers/direct_solver.hpp"
#include "solvers/gmres.hpp"
#include "solvers/memory_steps.hpp"
#include "solvers/minres.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"
#include "solvers/prepared_solver.hpp"
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

// A guess that is worse than none would cost the digits by which it is too large.
void forget_bad_guesses(const One& columns, const Reports& reports) {
  if (!(reports[0].true_relative_residual <= 1)) columns.x.fill_zero();
}
void forget_bad_guesses(const Many& columns, const Reports& reports) {
  Vector zero(columns.X.device(), columns.X.rows(), "vectors");
  zero.fill_zero();
  for (int j = 0; j < columns.X.columns(); ++j)
    if (!(reports[static_cast<std::size_t>(j)].true_relative_residual <= 1)) columns.X.set_column(j, zero);
}

// Whatever an iteration had got to when memory ran out.
void forget_guesses(const One& columns) {
  if (first_not_finite(columns.x) >= 0) columns.x.fill_zero();
}
void forget_guesses(const Many& columns) { clear(columns); }

void check_sizes(const SparseMatrix& A, const One& columns) {
  if (columns.b.size() != A.rows()) throw_size_mismatch(A.rows(), columns.b.size());
  if (columns.x.size() != A.rows()) throw_size_mismatch(A.rows(), columns.x.size());
}
void check_sizes(const SparseMatrix& A, const Many& columns) {
  check_same_shape(columns.B, columns.X);
  if (columns.B.rows() != A.rows()) throw_size_mismatch(A.rows(), columns.B.rows());
}

void add_remark(SolveReport& report, const std::string& remark) { report.where += (report.where.empty() ? "" : "; ") + remark; }

bool all_converged(const Reports& reports) { return std::ranges::all_of(reports, &SolveReport::converged); }
// The one that speaks for all: the first that has not converged.
const SolveReport& worst(const Reports& reports) {
  const auto found = std::ranges::find_if_not(reports, &SolveReport::converged);
  return found == reports.end() ? reports.front() : *found;
}

DirectKind direct_kind(const MatrixTraits& traits, MatrixPromise promise) {
  if (!traits.symmetric) return DirectKind::general;
  return promise == MatrixPromise::positive_definite ? DirectKind::positive_definite : DirectKind::symmetric;
}

// One matrix, and what may be used to solve with it.
struct Task {
  const SparseMatrix& A;
  const LinearSolverOptions& options;
  const SolverGeometry& geometry;
  MatrixTraits traits;
};

// Where preconditioners and factors live: with the owner of the matrix, or for this call only.
PreparedSolver& kept_or(const Task& task, PreparedSolver& passing) { return task.options.prepared != nullptr ? *task.options.prepared : passing; }

template <Columns T>
Reports solve_directly(const Task& task, const T& columns, const MethodChoice& choice) {
  const DirectKind kind = direct_kind(task.traits, task.options.promise);
  Profile& profile = task.A.device().profile();
  PreparedSolver passing;
  DirectSolver* solver = nullptr;
  {
    auto phase = profile.phase("factorisation");
    solver = &kept_or(task, passing).direct(
        task.A, kind, DirectOptions{.coordinates = task.geometry.coordinates, .dimension = task.geometry.dimension,
                                    .memory_limit = task.options.direct_memory, .operations_limit = choice.operations_limit,
                                    .say = task.options.say});
    solver->relative = task.options.relative;
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
  for (std::size_t j = 0; j < reports.size(); ++j) estimate_error(reports[j], energy[j]);
}

int iteration_limit(const Task& task, const MethodChoice& choice) {
  return choice.max_iterations > 0 ? std::min(choice.max_iterations, task.options.max_iterations) : task.options.max_iterations;
}

SolveReport iterate_one(const Task& task, const Vector& b, Vector& x, const MethodChoice& choice, const LinearOperator* M) {
  const double relative = task.options.relative;
  const int limit = iteration_limit(task, choice);
  switch (choice.method) {
    case LinearMethod::minres: return Minres{.relative = relative, .max_iterations = limit, .give_up = choice.give_up}.solve(task.A, b, x, M);
    case LinearMethod::gmres:
      return Gmres{.relative = relative, .max_iterations = limit, .restart = task.options.restart, .give_up = choice.give_up}.solve(task.A, b, x, M);
    case LinearMethod::bicgstab: return Bicgstab{.relative = relative, .max_iterations = limit, .give_up = choice.give_up}.solve(task.A, b, x, M);
    default:
      return ConjugateGradient{.relative = relative, .max_iterations = limit,
                               .flexible = choice.method == LinearMethod::flexible_conjugate_gradient, .give_up = choice.give_up}.solve(task.A, b, x, M);
  }
}

Reports iterate(const Task& task, const One& columns, const MethodChoice& choice, const LinearOperator* M) {
  return {iterate_one(task, columns.b, columns.x, choice, M)};
}
// Conjugate gradients take them together, other methods one by one.
Reports iterate(const Task& task, const Many& columns, const MethodChoice& choice, const LinearOperator* M) {
  if (choice.method == LinearMethod::conjugate_gradient)
    return BlockConjugateGradient{.relative = task.options.relative, .max_iterations = iteration_limit(task, choice),
                                  .after_columns = task.options.after_columns}.solve(task.A, columns.B, columns.X, M);
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
  const bool cg = choice.method == LinearMethod::conjugate_gradient || choice.method == LinearMethod::flexible_conjugate_gradient;
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

Reports continued(const Reports& before, Reports after, const std::string& what);

template <Columns T>
Reports iterate_with(const Task& task, const T& columns, const MethodChoice& choice, const ChosenPreconditioner& preconditioner) {
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

// Columns that had converged keep their reports; the others carry over what they have cost, and why they were tried again.
Reports continued(const Reports& before, Reports after, const std::string& what) {
  for (std::size_t j = 0; j < after.size(); ++j) {
    if (before[j].converged() && after[j].converged() && after[j].iterations == 0) {
      after[j] = before[j];
      continue;
    }
    after[j].iterations += before[j].iterations;
    std::vector<std::string> fallbacks = before[j].fallbacks;
    if (!what.empty()) fallbacks.push_back(what);
    fallbacks.insert(fallbacks.end(), after[j].fallbacks.begin(), after[j].fallbacks.end());
    after[j].fallbacks = std::move(fallbacks);
  }
  return after;
}

bool may_be_rounding(const SolveReport& report) {
  return report.reason == StopReason::stagnated || report.reason == StopReason::indefinite_preconditioner ||
         report.reason == StopReason::not_finite;
}

// Rounding in a single-precision cycle can spoil the last digits or even the definiteness: once more in double.
template <Columns T>
Reports iterate_in_rising_precision(const Task& task, const T& columns, const MethodChoice& choice, PreconditionerBasis basis) {
  SmoothedAggregationOptions multigrid = task.options.multigrid;
  multigrid.coordinates = task.geometry.coordinates;
  multigrid.dimension = task.geometry.dimension;
  multigrid.nested = task.geometry.nested;
  Reports reports = iterate_with(task, columns, choice, basis, multigrid);
  if (choice.preconditioner != PreconditionerKind::multigrid || !multigrid.single_precision || std::ranges::none_of(reports, may_be_rounding))
    return reports;
  forget_bad_guesses(columns, reports);
  multigrid.single_precision = false;
  const std::string what =
      fmt::format("single precision was not enough for the multigrid cycle ({}): repeated in double", name_of(worst(reports).reason));
  return continued(reports, iterate_with(task, columns, choice, basis, multigrid), what);
}

template <Columns T>
Reports solve_by_iteration(const Task& task, const T& columns, const MethodChoice& choice) {
  Reports reports;
  for (const PreconditionerBasis basis : preconditioner_bases(choice.method, choice.preconditioner, task.traits, task.options.promise)) {
    Reports next = iterate_in_rising_precision(task, columns, choice, basis);
    reports = reports.empty() ? std::move(next)
                              : continued(reports, std::move(next),
                                          fmt::format("{}: {}", worst(reports).preconditioner, name_of(worst(reports).reason)));
    const SolveReport& last = worst(reports);
    if (last.converged() || last.reason == StopReason::iteration_limit || last.entry >= 0) break;
    forget_bad_guesses(columns, reports);
  }
  estimate_errors(columns, reports);
  return reports;
}

bool found_indefinite(const Reports& reports) {
  return std::ranges::any_of(reports, [](const SolveReport& report) { return report.reason == StopReason::indefinite_matrix; });
}

// Other methods help against everything but wrong numbers, and a promise that was broken.
bool may_go_on(const Reports& reports, MatrixPromise promise) {
  if (all_converged(reports) || std::ranges::any_of(reports, [](const SolveReport& report) { return report.entry >= 0; })) return false;
  return !(found_indefinite(reports) && promise == MatrixPromise::positive_definite);
}

std::string failure_of(const SolveReport& report) {
  const std::string with = report.preconditioner.empty() || report.preconditioner == "none" ? "" : " with " + report.preconditioner;
  return fmt::format("{}{}: {} after {} iterations", report.method, with, name_of(report.reason), report.iterations);
}

// The same again helps only where the iterations had run out.
bool is_pointless(const MethodChoice& choice, const std::vector<MethodChoice>& tried, const SolveReport& last) {
  return last.reason != StopReason::iteration_limit && std::ranges::any_of(tried, [&](const MethodChoice& before) {
           return before.method == choice.method && before.preconditioner == choice.preconditioner;
         });
}

int count(const One&) { return 1; }
int count(const Many& columns) { return columns.B.columns(); }

// The box is only asked for where a method is to be chosen.
SystemSize size_of(const Task& task, int columns) {
  const int block = task.A.block_size();
  SystemSize size{task.A.rows(), task.A.pattern().nonzeros() * block * block, task.geometry.dimension, block, {}, columns};
  if (task.options.method == LinearMethod::automatic && task.geometry.coordinates != nullptr)
    size.extent = bounding_box(*task.geometry.coordinates, task.geometry.dimension).extent;
  return size;
}

// Walks through a plan; what it has come to so far stands in `reports_`.
template <Columns T>
class Walk {
 public:
  Walk(const Task& task, const T& columns)
      : task_(task), columns_(columns), size_(size_of(task, count(columns))) {}

  Reports take() {
    std::vector<MethodChoice> plan = new_plan();
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (!reports_.empty() && is_pointless(plan[i], tried_, worst(reports_))) continue;
      attempt(plan[i], i + 1 == plan.size());
      if (reports_.empty()) continue;
      if (!may_go_on(reports_, task_.options.promise)) break;
      forget_bad_guesses(columns_, reports_);
      if (plan.size() > 1 && found_indefinite(reports_) && !task_.traits.indefinite) {
        task_.traits.indefinite = true;
        plan = new_plan();
        i = static_cast<std::size_t>(-1);
      }
    }
    for (SolveReport& report : reports_) report.fallbacks = fallbacks_;
    return std::move(reports_);
  }

 private:
  // Several columns pay for a set-up together: trials without one have nothing to save.
  std::vector<MethodChoice> new_plan() const {
    std::vector<MethodChoice> plan = plan_methods(size_, task_.traits, task_.options);
    if constexpr (std::same_as<T, Many>) std::erase_if(plan, [](const MethodChoice& choice) { return choice.trial; });
    if (task_.options.prepared != nullptr) task_.options.prepared->put_first(plan);
    return plan;
  }

  void attempt(const MethodChoice& choice, bool is_last) {
    Reports next;
    try {
      next = choice.method == LinearMethod::direct ? solve_directly(task_, columns_, choice) : iterate_within_memory(choice);
    } catch (const Error& error) {
      const bool can_step_down = error.exit() == Exit::environment || error.exit() == Exit::resources;
      if (!can_step_down || (is_last && reports_.empty())) throw;
      fallbacks_.push_back((choice.method == LinearMethod::direct ? "not factorised: " : "") + error.message());
      return;
    }
    tried_.push_back(choice);
    if (task_.options.prepared != nullptr && all_converged(next)) task_.options.prepared->remember(choice);
    const std::vector<std::string>& inner = std::ranges::max(next, {}, [](const SolveReport& report) { return report.fallbacks.size(); }).fallbacks;
    fallbacks_.insert(fallbacks_.end(), inner.begin(), inner.end());
    const bool mere_trial = choice.trial && worst(next).reason == StopReason::iteration_limit;
    if (!is_last && !mere_trial && may_go_on(next, task_.options.promise)) fallbacks_.push_back(failure_of(worst(next)));
    for (SolveReport& report : next) report.choice = choice.why;
    reports_ = reports_.empty() ? std::move(next) : continued(reports_, std::move(next), "");
  }

  // Before any of it is taken. The model may be a quarter too high: what is closer than that is tried.
  void check_memory_for_hierarchy(bool single_precision) const {
    if (task_.options.prepared != nullptr && task_.options.prepared->holds(PreconditionerKind::multigrid)) return;
    const SparsityPattern& pattern = task_.A.pattern();
    const MemoryPool& pool = task_.A.device().memory();
    const HierarchyShape shape{pattern.rows(), pattern.nonzeros(), task_.A.block_size(), task_.geometry.dimension};
    const double needed = 0.75 * double(hierarchy_needs(shape, single_precision).set_up.total());
    if (needed <= double(pool.available())) return;
    throw Error(Exit::resources, fmt::format("multigrid needs more than {:.1f} MB, and {:.1f} MB are there", 1e-6 * needed, 1e-6 * double(pool.available())),
                "foreseen from the size of the matrix", "use a cheaper preconditioner, or a device with more memory");
  }

  // With less memory and more time where it is short (solvers/memory_steps.hpp).
  Reports iterate_within_memory(MethodChoice choice) {
    LinearSolverOptions options = task_.options;
    while (true) {
      try {
        if (choice.preconditioner == PreconditionerKind::multigrid) check_memory_for_hierarchy(options.multigrid.single_precision);
        return solve_by_iteration(Task{task_.A, options, task_.geometry, task_.traits}, columns_, choice);
      } catch (const Error& error) {
        const std::optional<std::string> step = step_down(error, options, choice);
        if (!step) throw;
        if (options.say) options.say(*step);
        fallbacks_.push_back(*step);
        if (options.prepared != nullptr) options.prepared->clear();
        forget_guesses(columns_);
      }
    }
  }

  Task task_;
  const T& columns_;
  SystemSize size_;
  Reports reports_;  // empty: nothing has been tried to the end
  std::vector<MethodChoice> tried_;
  std::vector<std::string> fallbacks_;
};

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
  if (const auto wrong = mismatch(options.method, options.preconditioner)) throw Error(Exit::input, wrong->what, wrong->why, wrong->fix);
  const std::vector<double> loads = load_norms(columns);
  const MatrixTraits traits = traits_of(A, options.promise);
  if (!traits.finite) return Reports(loads.size(), matrix_not_finite(A));
  check_method_suits(options.method, traits);
  if (std::ranges::all_of(loads, [](double load) { return load == 0; })) {  // also of a singular matrix
    clear(columns);
    return Reports(loads.size(), zero_solution());
  }
  return Walk<T>({A, options, geometry, traits}, columns).take();
}

}  // namespace

SolveReport solve_linear(const SparseMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options,
                         const SolverGeometry& geometry) {
  return solve_columns(A, One{b, x}, options, geometry).front();
}

std::vector<SolveReport> solve_linear(const SparseMatrix& A, const MultiVector& B, MultiVector& X,
                                      const LinearSolverOptions& options, const SolverGeometry& geometry) {
  return solve_columns(A, Many{B, X}, options, geometry);
}

}  // namespace ritz
