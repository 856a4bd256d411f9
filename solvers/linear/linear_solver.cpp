#include "solvers/linear/linear_solver.hpp"

#include "device/memory_shortage.hpp"
#include "solvers/algebra/box_around.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/krylov/bicgstab.hpp"
#include "solvers/krylov/block_conjugate_gradient.hpp"
#include "solvers/krylov/conjugate_gradient.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/krylov/minres.hpp"
#include "solvers/linear/columns.hpp"
#include "solvers/linear/memory_steps.hpp"
#include "solvers/linear/solver_cache.hpp"
#include "solvers/multigrid/hierarchy_needs.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace ritz {
namespace {

// The same again helps only where the iterations had run out.
bool is_pointless(const MethodChoice& choice, const std::vector<MethodChoice>& tried, const SolveReport& last) {
  return last.reason != StopReason::iteration_limit && std::ranges::any_of(tried, [&](const MethodChoice& before) {
           return before.method == choice.method && before.preconditioner == choice.preconditioner;
         });
}

void add_remark(SolveReport& report, const std::string& remark) {
  report.where += (report.where.empty() ? "" : "; ") + remark;
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

// One matrix and its columns, solved by one method after another of a plan.
class LinearSolve {
 public:
  LinearSolve(const SparseMatrix& A, const Columns& columns, const LinearSolverOptions& options,
              const SolverGeometry& geometry)
      : A_(A), columns_(columns), options_(options), geometry_(geometry), kept_(options.cache) {
    columns.check_sizes(A);
    if (const auto wrong = mismatch(options.method, options.preconditioner))
      throw Error(Exit::input, wrong->what, wrong->why, wrong->fix);
  }

  Reports run() {
    const std::vector<double> loads = columns_.load_norms();
    traits_ = traits_of(A_, options_.promise);
    if (!traits_.finite) return Reports(loads.size(), matrix_not_finite(A_));
    check_method_suits(options_.method, traits_);
    if (std::ranges::all_of(loads, [](double load) { return load == 0; })) {  // also of a singular matrix
      columns_.clear();
      return Reports(loads.size(), zero_solution());
    }
    std::vector<MethodChoice> plan = new_plan();
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (!reports_.empty() && is_pointless(plan[i], tried_, worst(reports_))) continue;
      const bool is_last = i + 1 == plan.size(), direct = plan[i].method == LinearMethod::direct;
      MethodChoice choice = plan[i];
      MemorySavings savings{.preconditioner = direct ? PreconditionerKind::none : choice.preconditioner,
                            .single_precision = options_.multigrid.single_precision,
                            .half_storage = options_.multigrid.half_storage};
      Reports next;
      const auto attempt = [&] { next = direct ? factorise(choice) : iterate(choice, savings); };
      const std::optional<Error> shortage = shortage_or_no_library([&] {
        within_memory(MemoryLevel::cycle, savings, attempt,
                      [&](const std::string& step) { take_step(step, savings, choice); });
      });
      if (shortage) {
        if (!direct && kept_ != nullptr) kept_->clear();
        if (is_last && reports_.empty()) throw *shortage;
        fallbacks_.push_back((direct ? "not factorised: " : "") + shortage->message());
      } else {
        note(plan[i], std::move(next), is_last);
      }
      if (reports_.empty()) continue;
      if (!may_go_on(reports_, options_.promise)) break;
      columns_.forget_bad_guesses(reports_);
      if (plan.size() > 1 && found_indefinite(reports_) && !traits_.indefinite) {
        traits_.indefinite = true;
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
    std::vector<MethodChoice> plan = plan_methods(size(), traits_, options_);
    if (columns_.together()) std::erase_if(plan, [](const MethodChoice& choice) { return choice.trial; });
    if (kept_ != nullptr) kept_->put_first(plan);
    return plan;
  }

  // The bounding box of the nodes is only needed to choose a method.
  SystemSize size() const {
    const int block = A_.block_size();
    SystemSize size{A_.total_rows(), A_.pattern().nonzeros() * block * block, geometry_.dimension, block, {},
                    columns_.count()};
    if (options_.method == LinearMethod::automatic && geometry_.coordinates != nullptr)
      size.extent = box_around(*geometry_.coordinates, geometry_.dimension).extent;
    return size;
  }

  void take_step(const std::string& step, const MemorySavings& savings, MethodChoice& choice) {
    if (kept_ != nullptr) kept_->clear();
    choice.preconditioner = savings.preconditioner;
    if (savings.preconditioner != PreconditionerKind::multigrid) {  // nothing faster is left to give it up for
      choice.max_iterations = 0;
      choice.give_up = {};
    }
    if (options_.say) options_.say(step);
    fallbacks_.push_back(step);
    columns_.forget_guesses();
  }

  // Records the outcome of a method of the plan after those before it.
  void note(const MethodChoice& choice, Reports next, bool is_last) {
    tried_.push_back(choice);
    if (kept_ != nullptr && all_converged(next)) kept_->remember(choice);
    const std::vector<std::string>& inner =
        std::ranges::max(next, {}, [](const SolveReport& report) { return report.fallbacks.size(); }).fallbacks;
    fallbacks_.insert(fallbacks_.end(), inner.begin(), inner.end());
    const bool mere_trial = choice.trial && worst(next).reason == StopReason::iteration_limit;
    if (!is_last && !mere_trial && may_go_on(next, options_.promise)) fallbacks_.push_back(failure_of(worst(next)));
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

  Reports factorise(const MethodChoice& choice) {
    const DirectKind kind = direct_kind(traits_.symmetric, options_.promise);
    Profile& profile = A_.device().profile();
    SolverCache passing;
    DirectSolver* solver = nullptr;
    {
      auto phase = profile.phase("factorisation");
      solver = &cache(passing).direct(A_, kind,
                                      DirectOptions{.coordinates = geometry_.coordinates,
                                                    .dimension = geometry_.dimension,
                                                    .memory_limit = options_.direct_memory,
                                                    .operations_limit = choice.operations_limit,
                                                    .say = options_.say});
      solver->relative = options_.relative;
      solver->rounding_error = options_.rounding_error;
      solver->estimate_error = true;
    }
    auto phase = profile.phase("substitution");
    Reports reports = columns_.together() ? solver->solve(columns_.B(), columns_.X())
                                          : Reports{solver->solve(columns_.b(), columns_.x())};
    if (kind == DirectKind::symmetric && solver->knows_inertia() && solver->negative_pivots() > 0)
      for (SolveReport& report : reports)
        add_remark(report, fmt::format("the matrix has {} negative eigenvalue{}", solver->negative_pivots(),
                                       solver->negative_pivots() == 1 ? "" : "s"));
    return reports;
  }

  // One preconditioner after another: that of the last matrix, where it serves on, and one of this matrix; in higher
  // precision, where rounding in a cycle has spoilt the last digits or even the definiteness; and those of other
  // relatives of the matrix.
  Reports iterate(const MethodChoice& choice, const MemorySavings& savings) {
    const std::vector<PreconditionerBasis> bases =
        preconditioner_bases(choice.method, choice.preconditioner, traits_, options_.promise);
    const SmoothedAggregationOptions usual = multigrid_options(savings);
    const bool is_multigrid = choice.preconditioner == PreconditionerKind::multigrid;
    if (is_multigrid) check_memory_for_hierarchy(usual);
    SmoothedAggregationOptions multigrid = usual;
    Reports reports;
    std::string why;  // the reports so far were not enough
    for (auto basis = bases.begin();;) {
      SolverCache passing;
      Reports next;
      bool of_this_matrix = true;
      if (const ChosenPreconditioner* M = preconditioner(passing, choice, *basis, multigrid, next)) {
        auto phase = A_.device().profile().phase("iteration");
        const KrylovOptions krylov =
            krylov_options(choice, cache(passing).patience(*M, -std::log10(options_.relative)));
        if (columns_.together()) next = iterate_columns(choice.method, *M, krylov);
        else next = {solve_by(choice.method, A_, columns_.b(), columns_.x(), M->get(), krylov)};
        for (SolveReport& report : next) report.preconditioner = M->name();
        of_this_matrix = cache(passing).judge(*M, next);
      }
      passing.clear();
      reports = reports.empty() ? std::move(next) : continued(reports, std::move(next), why);
      const SolveReport& last = worst(reports);
      const std::string reason = name_of(last.reason);
      if (!of_this_matrix) {
        why = "";
      } else if (is_multigrid && !multigrid.sure_bounds && last.reason == StopReason::indefinite_preconditioner) {
        multigrid.sure_bounds = true;
        why = "the bounds of the smoother's eigenvalues were too low: repeated with those of more steps";
      } else if (is_multigrid && multigrid.single_precision && std::ranges::any_of(reports, may_be_rounding)) {
        const bool half = std::exchange(multigrid.half_storage, false);
        if (!half) multigrid.single_precision = false;
        why = fmt::format("{} for the multigrid cycle ({}): repeated {}",
                          half ? "matrices in 16 bits were not enough" : "single precision was not enough", reason,
                          half ? "with 32" : "in double");
      } else {
        if (last.converged() || last.reason == StopReason::iteration_limit || last.entry >= 0) break;
        why = fmt::format("{}: {}", last.preconditioner, reason);
        multigrid = usual;
        ++basis;
      }
      columns_.forget_bad_guesses(reports);
      if (basis == bases.end()) break;
    }
    // Relative to the solution, both in the energy norm: x.Ax = x.b once r is small.
    const std::vector<double> energy = columns_.energies();
    for (std::size_t j = 0; j < reports.size(); ++j) estimate_error(reports[j], energy[j]);
    return reports;
  }

  // nullptr: one that needs a positive definite matrix has refused this one, and the reports say so.
  const ChosenPreconditioner* preconditioner(SolverCache& passing, const MethodChoice& choice,
                                             PreconditionerBasis basis, const SmoothedAggregationOptions& multigrid,
                                             Reports& reports) {
    try {
      auto phase = A_.device().profile().phase("set-up");
      return &cache(passing).preconditioner(A_, choice.preconditioner, basis, multigrid);
    } catch (const Error& error) {
      if (error.exit() != Exit::model && error.exit() != Exit::not_converged) throw;
      reports = refused(choice, error);
      return nullptr;
    }
  }

  Reports refused(const MethodChoice& choice, const Error& error) const {
    const std::vector<double> residual = columns_.residual_norms(A_), load = columns_.load_norms();
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

  // patience: a limit of iterations; 0: none.
  KrylovOptions krylov_options(const MethodChoice& choice, int patience) const {
    int limit = options_.max_iterations;
    for (const int other : {choice.max_iterations, patience})
      if (other > 0) limit = std::min(limit, other);
    return {options_.relative, limit, options_.restart, choice.give_up};
  }

  // Conjugate gradients take them together, other methods one by one.
  Reports iterate_columns(LinearMethod method, const ChosenPreconditioner& M, const KrylovOptions& krylov) const {
    const MultiVector& B = columns_.B();
    MultiVector& X = columns_.X();
    if (method == LinearMethod::conjugate_gradient)
      return BlockConjugateGradient{
          .relative = krylov.relative, .max_iterations = krylov.max_iterations, .after_columns = options_.after_columns}
          .solve(A_, B, X, M.get());
    Vector b(A_.device(), A_.rows(), "vectors"), x(A_.device(), A_.rows(), "vectors");
    Reports reports;
    for (int j = 0; j < columns_.count(); ++j) {
      B.get_column(j, b);
      X.get_column(j, x);
      reports.push_back(solve_by(method, A_, b, x, M.get(), krylov));
      X.set_column(j, x);
      if (options_.after_columns) options_.after_columns(j, {reports.back()});
    }
    return reports;
  }

  SmoothedAggregationOptions multigrid_options(const MemorySavings& savings) const {
    SmoothedAggregationOptions multigrid = options_.multigrid;
    multigrid.single_precision = savings.single_precision;
    multigrid.half_storage = savings.half_storage;
    multigrid.coordinates = geometry_.coordinates;
    multigrid.dimension = geometry_.dimension;
    multigrid.nested = geometry_.nested;
    return multigrid;
  }

  // Checks the memory before any of it is taken. The model may be a quarter too high: a hierarchy closer to the limit
  // is tried, and so is one that costs little to try.
  void check_memory_for_hierarchy(const SmoothedAggregationOptions& multigrid) const {
    if (kept_ != nullptr && kept_->holds(PreconditionerKind::multigrid)) return;
    const SparsityPattern& pattern = A_.pattern();
    const MemoryPool& pool = A_.device().memory();
    const HierarchyShape shape{pattern.rows(),      pattern.nonzeros(), A_.block_size(),
                               geometry_.dimension, Nesting::none,      multigrid.half_storage};
    const double needed = 0.75 * double(hierarchy_needs(shape, multigrid.single_precision).set_up.total());
    if (needed <= std::max(25e6, double(pool.available()))) return;
    throw Error(Exit::resources,
                fmt::format("multigrid needs more than {:.1f} MB, and {:.1f} MB are available", 1e-6 * needed,
                            1e-6 * double(pool.available())),
                "predicted from the size of the matrix", "use a cheaper preconditioner, or a device with more memory");
  }

  // Owner of preconditioners and factors: that of the matrix, or one attempt only.
  SolverCache& cache(SolverCache& passing) const { return kept_ != nullptr ? *kept_ : passing; }

  const SparseMatrix& A_;
  const Columns columns_;
  const LinearSolverOptions& options_;
  const SolverGeometry& geometry_;
  MatrixTraits traits_;
  SolverCache* const kept_;
  Reports reports_;  // empty: nothing has been tried to the end
  std::vector<MethodChoice> tried_;
  std::vector<std::string> fallbacks_;
  bool after_trial_ = false;
};

}  // namespace

SolveReport solve_by(LinearMethod method, const LinearOperator& A, const Vector& b, Vector& x, const LinearOperator* M,
                     const KrylovOptions& options) {
  const auto& [relative, limit, restart, give_up] = options;
  switch (method) {
    case LinearMethod::minres:
      return Minres{.relative = relative, .max_iterations = limit, .give_up = give_up}.solve(A, b, x, M);
    case LinearMethod::gmres:
      return Gmres{.relative = relative, .max_iterations = limit, .restart = restart, .give_up = give_up}.solve(A, b, x,
                                                                                                                M);
    case LinearMethod::bicgstab:
      return Bicgstab{.relative = relative, .max_iterations = limit, .give_up = give_up}.solve(A, b, x, M);
    default:
      return ConjugateGradient{.relative = relative,
                               .max_iterations = limit,
                               .flexible = method == LinearMethod::flexible_conjugate_gradient,
                               .give_up = give_up}
          .solve(A, b, x, M);
  }
}

SolveReport solve_linear(const SparseMatrix& A, const Vector& b, Vector& x, const LinearSolverOptions& options,
                         const SolverGeometry& geometry) {
  return LinearSolve(A, {b, x}, options, geometry).run().front();
}

std::vector<SolveReport> solve_linear(const SparseMatrix& A, const MultiVector& B, MultiVector& X,
                                      const LinearSolverOptions& options, const SolverGeometry& geometry) {
  return LinearSolve(A, {B, X}, options, geometry).run();
}

}  // namespace ritz
