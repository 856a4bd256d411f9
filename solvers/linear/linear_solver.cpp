#include "solvers/linear/linear_solver.hpp"

#include "device/memory_shortage.hpp"
#include "solvers/algebra/box_around.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/memory_steps.hpp"
#include "solvers/linear/prepared_solver.hpp"
#include "solvers/linear/solve_attempt.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace ritz {

using namespace linear;

namespace {

bool found_indefinite(const Reports& reports) {
  return std::ranges::any_of(reports,
                             [](const SolveReport& report) { return report.reason == StopReason::indefinite_matrix; });
}

// Other methods help against everything but wrong numbers, and a promise that was broken.
bool may_go_on(const Reports& reports, MatrixPromise promise) {
  if (all_converged(reports) ||
      std::ranges::any_of(reports, [](const SolveReport& report) { return report.entry >= 0; }))
    return false;
  return !(found_indefinite(reports) && promise == MatrixPromise::positive_definite);
}

std::string failure_of(const SolveReport& report) {
  const std::string with =
      report.preconditioner.empty() || report.preconditioner == "none" ? "" : " with " + report.preconditioner;
  return fmt::format("{}{}: {} after {} iteration{}", report.method, with, name_of(report.reason), report.iterations,
                     report.iterations == 1 ? "" : "s");
}

// The same again helps only where the iterations had run out.
bool is_pointless(const MethodChoice& choice, const std::vector<MethodChoice>& tried, const SolveReport& last) {
  return last.reason != StopReason::iteration_limit && std::ranges::any_of(tried, [&](const MethodChoice& before) {
           return before.method == choice.method && before.preconditioner == choice.preconditioner;
         });
}

// The box is only asked for where a method is to be chosen.
SystemSize size_of(const Task& task, int columns) {
  const int block = task.A.block_size();
  SystemSize size{task.A.rows(), task.A.pattern().nonzeros() * block * block, task.geometry.dimension, block, {},
                  columns};
  if (task.options.method == LinearMethod::automatic && task.geometry.coordinates != nullptr)
    size.extent = box_around(*task.geometry.coordinates, task.geometry.dimension).extent;
  return size;
}

// Walks through a plan; what it has come to so far stands in `reports_`.
template <Columns T>
class Walk {
 public:
  Walk(const Task& task, const T& columns) : task_(task), columns_(columns), size_(size_of(task, count(columns))) {}

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
    const bool direct = choice.method == LinearMethod::direct;
    Reports next;
    const std::optional<Error> shortage = shortage_or_no_library(
        [&] { next = direct ? solve_directly(task_, columns_, choice) : iterate_within_memory(choice); });
    if (shortage) {
      if (is_last && reports_.empty()) throw *shortage;
      fallbacks_.push_back((direct ? "not factorised: " : "") + shortage->message());
      return;
    }
    tried_.push_back(choice);
    if (task_.options.prepared != nullptr && all_converged(next)) task_.options.prepared->remember(choice);
    const std::vector<std::string>& inner =
        std::ranges::max(next, {}, [](const SolveReport& report) { return report.fallbacks.size(); }).fallbacks;
    fallbacks_.insert(fallbacks_.end(), inner.begin(), inner.end());
    const bool mere_trial = choice.trial && worst(next).reason == StopReason::iteration_limit;
    if (!is_last && !mere_trial && may_go_on(next, task_.options.promise))
      fallbacks_.push_back(failure_of(worst(next)));
    for (SolveReport& report : next) report.choice = choice.why;
    if (after_trial_) {  // what comes now is not to look as if it had taken the trial's iterations
      for (SolveReport& report : next)
        report.choice += fmt::format(" ({} iterations of {} before were not enough)", worst(reports_).iterations,
                                     worst(reports_).method);
      for (SolveReport& report : reports_) report.iterations = 0;
    }
    after_trial_ = mere_trial;
    reports_ = reports_.empty() ? std::move(next) : continued(reports_, std::move(next), "");
  }

  // Before any of it is taken. The model may be a quarter too high: what is closer than that is tried, and so is what
  // costs little to try.
  void check_memory_for_hierarchy(const SmoothedAggregationOptions& multigrid) const {
    if (task_.options.prepared != nullptr && task_.options.prepared->holds(PreconditionerKind::multigrid)) return;
    const SparsityPattern& pattern = task_.A.pattern();
    const MemoryPool& pool = task_.A.device().memory();
    const HierarchyShape shape{pattern.rows(),           pattern.nonzeros(), task_.A.block_size(),
                               task_.geometry.dimension, Nesting::none,      multigrid.half_storage};
    const double needed = 0.75 * double(hierarchy_needs(shape, multigrid.single_precision).set_up.total());
    if (needed <= std::max(25e6, double(pool.available()))) return;
    throw Error(Exit::resources,
                fmt::format("multigrid needs more than {:.1f} MB, and {:.1f} MB are there", 1e-6 * needed,
                            1e-6 * double(pool.available())),
                "foreseen from the size of the matrix", "use a cheaper preconditioner, or a device with more memory");
  }

  // With less memory and more time where it is short (solvers/linear/memory_steps.hpp).
  Reports iterate_within_memory(MethodChoice choice) {
    LinearSolverOptions options = task_.options;
    Reports reports;
    while (true) {
      const std::optional<Error> shortage = memory_shortage([&] {
        if (choice.preconditioner == PreconditionerKind::multigrid) check_memory_for_hierarchy(options.multigrid);
        reports = solve_by_iteration(Task{task_.A, options, task_.geometry, task_.traits}, columns_, choice);
      });
      if (!shortage) return reports;
      if (options.prepared != nullptr) options.prepared->clear();
      const std::optional<std::string> step = step_down(*shortage, options, choice);
      if (!step) throw *shortage;
      if (options.say) options.say(*step);
      fallbacks_.push_back(*step);
      forget_guesses(columns_);
    }
  }

  Task task_;
  const T& columns_;
  SystemSize size_;
  Reports reports_;  // empty: nothing has been tried to the end
  std::vector<MethodChoice> tried_;
  std::vector<std::string> fallbacks_;
  bool after_trial_ = false;
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
Reports solve_columns(const SparseMatrix& A, const T& columns, const LinearSolverOptions& options,
                      const SolverGeometry& geometry) {
  check_sizes(A, columns);
  if (const auto wrong = mismatch(options.method, options.preconditioner))
    throw Error(Exit::input, wrong->what, wrong->why, wrong->fix);
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
