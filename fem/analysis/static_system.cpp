#include "fem/analysis/static_system.hpp"

#include "device/error.hpp"
#include "fem/analysis/static_columns.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"
#include "fem/space/nested_nodes.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/linear/memory_steps.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

namespace ritz {
namespace {

Error not_converged(const FunctionSpace& space, const std::string& title, const SolveReport& report) {
  if (report.reason == StopReason::not_finite && report.entry >= 0)
    return Error(Exit::model,
                 fmt::format("{}the equations at {} are not finite: {}", title, place_of_unknown(space, report.entry),
                             report.where),
                 "a material value, a coefficient or the shape of a cell overflows there", advice_for(report.reason));
  return Error(
      Exit::not_converged,
      fmt::format("{}the linear solver ({}{}{}) did not converge: {} after {} iterations, relative residual {:.2e}",
                  title, report.method, report.preconditioner.empty() ? "" : ", ", report.preconditioner,
                  name_of(report.reason), report.iterations, report.true_relative_residual),
      report.where, advice_for(report.reason));
}

}  // namespace

// The equations with one matrix and several columns.
class StaticSystem {
 public:
  StaticSystem(const Operator& equations, const LoadCases& loads, const LinearSolverOptions& options,
               StaticReuse* reuse, bool keeps_cold)
      : equations_(equations),
        space_(equations.space()),
        options_(options),
        combinations_(loads.combinations),
        solved_(loads.known),
        keep_(loads.keep),
        profile_(space_.device().profile()),
        has_matrix_(!without_matrix(equations, options)),
        reuse_(has_matrix_ ? reuse : nullptr),
        columns_(equations, loads, keeps_cold),
        keeps_cold_(keeps_cold) {
    if (columns_.front().enter) columns_.front().enter();  // the matrix is that of its numbers
    if (reuse_ != nullptr) take_over(*columns_.front().constraints);
    if (options_.promise == MatrixPromise::none && equations.symmetric()) options_.promise = MatrixPromise::symmetric;
  }

  // Of the load cases, certified.
  std::vector<StaticSolution> solve(const Progress& progress) {
    if (progress) progress("assembling");
    std::optional<Profile::Phase> phase(std::in_place, profile_, "assembly");
    columns_.assemble();
    phase.emplace(profile_, "constraints");
    columns_.eliminate();
    phase.reset();
    make_solver(*columns_.front().constraints);
    if (progress) progress("solving");
    std::vector<StaticSolution> solutions(columns_.size());
    solve(solutions);
    give_back_solver();
    if (columns_.share()) {
      shared_ = std::move(solutions.back());
      solutions.pop_back();
    }
    for (std::size_t j = 0; j < solutions.size(); ++j) certify(columns_[j], solutions[j]);
    return solutions;
  }

  bool has_combinations() const { return !combinations_.empty(); }

  // Superposition.
  StaticSolution combine(std::vector<StaticSolution>& cases, const LoadCombination& combination) {
    std::vector<double> weights = combination.factors;  // of the columns
    if (columns_.share()) weights.push_back(std::accumulate(weights.begin(), weights.end(), 1.0, std::minus<>{}));
    StaticSolution s;
    s.u = space_.zeros();
    s.applied.assign(static_cast<std::size_t>(space_.components()), 0.0);
    s.report.method = "superposition";
    s.report.reason = StopReason::converged;
    Vector b = space_.zeros();
    double summed = 0;  // of what is added up
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (weights[j] == 0) continue;
      StaticSolution& part = j < cases.size() ? cases[j] : shared_;
      part.bring_back();
      axpy(weights[j], part.u, s.u);
      cool(part);
      columns_.bring_back(columns_[j]);
      axpy(weights[j], columns_[j].b, b);
      columns_.cool(columns_[j]);
      for (std::size_t c = 0; c < s.applied.size(); ++c) s.applied[c] += weights[j] * columns_[j].applied[c];
      summed += std::abs(weights[j]) * columns_[j].load;
    }
    // Loads that cancel to less than a millionth are rounding: nothing can be relative to them.
    const double load = std::max(norm2(b), 1e-6 * summed);
    b = {};
    certify_sum(weights, load, s);
    if (s.certificate > 10 * options_.relative)
      solve_what_is_left(weights, load,
                         combination.name.empty() ? "" : fmt::format("combination '{}': ", combination.name), s);
    s.report.true_relative_residual = s.certificate;
    return s;
  }
  StaticSolution combine(std::vector<StaticSolution>& cases, std::size_t number) {
    return combine(cases, combinations_.at(number));
  }

  void cool(StaticSolution& s) const {
    if (keeps_cold_) s.cold_u.put_away(s.u);
  }

 private:
  // The matrix without its prescribed unknowns, or what does without a matrix.
  void make_solver(const Constraints& constraints) {
    if (as_it_is_) return;
    std::optional<Profile::Phase> phase(std::in_place, profile_, "assembly");
    Vector u = space_.zeros();
    constraints.set_values(u);
    if (!has_matrix_) {
      without_matrix_.emplace(equations_, constraints, u);
      return;
    }
    if (reuse_ == nullptr) K_ = &own_matrix_.emplace(equations_.make_matrix());
    equations_.assemble(u, *K_);
    if (reuse_ == nullptr) equations_.forget_assembly();  // the solver may need the memory
    phase.emplace(profile_, "constraints");
    K_->eliminate(constraints.mask(), max_abs(K_->diagonal()));
    if (reuse_ != nullptr) reuse_->keep(equations_, constraints);
  }

  // What is the next solution's stays.
  void give_back_solver() {
    if (reuse_ != nullptr) return;
    options_.prepared = nullptr;
    prepared_.reset();
    without_matrix_.reset();
    K_ = nullptr;
    own_matrix_.reset();
  }

  void solve(std::vector<StaticSolution>& solutions) {
    auto phase = profile_.phase("solve");
    if (keeps_cold_) drop_what_solvers_do_not_need();
    const bool all_known = solved_.size() == columns_.size();
    if (columns_.size() == 1 || !has_matrix_ || keeps_cold_ || all_known) solve_one_by_one(solutions);
    else solve_together(solutions);
  }

  void solve_one_by_one(std::vector<StaticSolution>& solutions) {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      StaticColumn& column = columns_[j];
      StaticSolution& s = solutions[j];
      if (const auto known = solved_.find(static_cast<int>(j)); known != solved_.end()) {
        s.u = Vector(space_.device(), std::span<const double>(*known->second.u), "vectors");
        s.report = known->second.report;
      } else {
        columns_.bring_back(column);
        s.u = space_.zeros();
        s.report = solve_one(column.b, s.u, options_);
        store(static_cast<int>(j), s.u, s.report);
        tell(columns_.size());
        columns_.cool(column);
      }
      column.constraints->set_values(s.u);
      cool(s);
    }
    throw_unless_all_converged(solutions);
  }

  void solve_together(std::vector<StaticSolution>& solutions) {
    const auto count = static_cast<int>(columns_.size());
    MultiVector B(space_.device(), K_->rows(), count), X(space_.device(), K_->rows(), count);
    for (int j = 0; j < count; ++j) B.set_column(j, std::exchange(columns_[static_cast<std::size_t>(j)].b, {}));
    // What is known is handed in as a guess, so that the others are chosen a method for, and grouped, as before.
    for (const auto& [j, known] : solved_)
      X.set_column(j, Vector(space_.device(), std::span<const double>(*known.u), "vectors"));
    const SolvedColumns known = solved_;
    LinearSolverOptions options = options_;
    Vector du = space_.zeros();
    if (keep_)
      options.after_columns = [&](int first, const std::vector<SolveReport>& reports) {
        for (std::size_t i = 0; i < reports.size(); ++i) {
          X.get_column(first + static_cast<int>(i), du);
          store(first + static_cast<int>(i), du, reports[i]);
        }
        if (solved_.size() < columns_.size()) tell(columns_.size());  // or in a moment, with complete reports
      };
    std::vector<SolveReport> reports = solve_linear(*K_, B, X, options, solver_geometry(space_));
    for (std::size_t j = 0; j < reports.size(); ++j) solutions[j].report = std::move(reports[j]);
    throw_unless_all_converged(solutions);
    for (int j = 0; j < count; ++j) {
      StaticColumn& column = columns_[static_cast<std::size_t>(j)];
      column.b = space_.zeros();
      B.get_column(j, column.b);
      if (const auto before = known.find(j); before != known.end()) {
        X.get_column(j, du);
        restore(before->second.report, dot(du, column.b), solutions[static_cast<std::size_t>(j)].report);
      }
      if (combinations_.empty()) column.b = {};
    }
    B = {};
    for (int j = 0; j < count; ++j) {
      StaticSolution& s = solutions[static_cast<std::size_t>(j)];
      s.u = space_.zeros();
      X.get_column(j, s.u);
      solved_.erase(j);  // its report is complete now
      store(j, s.u, s.report);
      columns_[static_cast<std::size_t>(j)].constraints->set_values(s.u);
    }
    tell(columns_.size());
  }

  void certify(StaticColumn& column, StaticSolution& s) {
    auto phase = profile_.phase("reactions");
    s.bring_back();
    s.applied = column.applied;
    Vector r = columns_.residual(column, s.u);
    const bool rounding = columns_.split_residual(*column.constraints, column.load, r, s);
    columns_.forget(column);
    cool(s);
    // Rounding in slender bodies leaves 1e-5 of the load at most; a wrong matrix, nearly all of it.
    if (rounding || s.certificate <= std::max(1e-3, 1e3 * options_.relative)) return;
    if (as_it_is_)
      throw Error(Exit::internal,
                  fmt::format("a matrix that was kept is not that of the equations: residual {:.1e}", s.certificate),
                  "this is a bug in Ritz", "please report it with the case file");
    throw Error(Exit::model,
                fmt::format("{}the solution does not satisfy the equations: a residual of {:.1e} of the load is left, "
                            "and {:.1e} by the linear solver",
                            column.title, s.certificate, s.report.true_relative_residual),
                "matrix and residual disagree: a form is not linear, or its derivative is wrong",
                "ritz element check FORM tells which; equations that are not linear are solved by ritz-solve");
  }

  // One factor or hierarchy for all columns, though they are solved one by one; and lists are made anew for the
  // residual at the end.
  void drop_what_solvers_do_not_need() {
    for (const Operator::Task task : {Operator::Task::residual, Operator::Task::diagonal}) equations_.forget(task);
    space_.device().memory().trim();
    if (has_matrix_) options_.prepared = &prepared_.emplace();
  }

  // The matrix of the solution before, with its values where they are still right.
  void take_over(const Constraints& constraints) {
    as_it_is_ = reuse_->fits(equations_, constraints);
    if (!as_it_is_) {
      if (reuse_->equations_ != &equations_ || !reuse_->matrix_) {
        reuse_->clear();
        reuse_->matrix_.emplace(equations_.make_matrix());
      }
      reuse_->current_ = false;
      reuse_->prepared_.values_changed(reuse_->mask_ == constraints.host_mask());
    }
    K_ = &*reuse_->matrix_;
    options_.prepared = &reuse_->prepared_;
  }

  // A report from where the run was stopped lacks what is only known at the end.
  static void restore(SolveReport before, double energy, SolveReport& report) {
    estimate_error(before, energy);
    before.preconditioner = report.preconditioner;
    before.choice = report.choice;
    before.fallbacks = report.fallbacks;
    report = std::move(before);
  }

  void store(int column, const Vector& du, const SolveReport& report) {
    if (keep_ && report.converged() && !solved_.contains(column))
      solved_[column] = {std::make_shared<const std::vector<double>>(du.host()), report};
  }
  void tell(std::size_t count) const {
    if (keep_ && count > 1) keep_(solved_, count);
  }

  // From what earlier members of a sweep combine to; there may be nothing left to solve.
  SolveReport solve_member(const Vector& b, Vector& x) {
    EarlierSolutions& earlier = reuse_->earlier_;
    SolveReport report;
    report.true_relative_residual = earlier.start(*K_, b, x);
    if (report.true_relative_residual <= 0.99 * options_.relative) {
      report.method = "combination of earlier solutions";
      report.reason = StopReason::converged;
      return report;
    }
    report = solve_linear(*K_, b, x, options_, solver_geometry(space_));
    const bool iterated = !report.preconditioner.empty();  // a factor needs no start
    if (report.converged() && iterated) earlier.add(x);
    return report;
  }

  SolveReport solve_one(const Vector& b, Vector& x, const LinearSolverOptions& options) {
    if (reuse_ != nullptr && options_.promise == MatrixPromise::positive_definite) return solve_member(b, x);
    if (has_matrix_) return solve_linear(*K_, b, x, options, solver_geometry(space_));
    return without_matrix_->solve(b, x, options, slower_than_with_a_matrix(equations_, options_));
  }

  Error failure(const std::string& title, const SolveReport& report) const {
    if (options_.on_failure) options_.on_failure(report, space_.unknown_count());
    return not_converged(space_, title, report);
  }

  void throw_unless_all_converged(const std::vector<StaticSolution>& solutions) const {
    ErrorList errors;
    for (std::size_t j = 0; j < columns_.size(); ++j)
      if (!solutions[j].report.converged()) errors.add(failure(columns_[j].title, solutions[j].report));
    errors.throw_if_any();
  }

  void certify_sum(const std::vector<double>& weights, double load, StaticSolution& s) {
    auto phase = profile_.phase("reactions");
    Vector r = columns_.residual(weights, s.u);
    columns_.split_residual(*columns_.front().constraints, load, r, s);
  }

  void solve_what_is_left(const std::vector<double>& weights, double load, const std::string& title,
                          StaticSolution& s) {
    const Constraints& constraints = *columns_.front().constraints;
    if (K_ == nullptr && !without_matrix_) make_solver(constraints);  // and keep it for the other combinations
    Vector b = columns_.residual(weights, s.u);
    constraints.set_zero(b);
    axpby(0.0, b, -1.0, b);
    LinearSolverOptions rest = options_;
    rest.relative = std::min(0.5, options_.relative / s.certificate);
    Vector du = space_.zeros();
    {
      auto phase = profile_.phase("solve");
      s.report = solve_one(b, du, rest);
    }
    if (!s.report.converged()) throw failure(title, s.report);
    axpy(1.0, du, s.u);
    certify_sum(weights, load, s);
    if (s.certificate > 10 * options_.relative) {
      s.report.reason = StopReason::stagnated;
      s.report.true_relative_residual = s.certificate;
      throw failure(title, s.report);
    }
    s.report.choice = "its load cases cancel: what their sum left was solved for";
  }

  const Operator& equations_;
  const FunctionSpace& space_;
  LinearSolverOptions options_;
  std::vector<LoadCombination> combinations_;
  SolvedColumns solved_;  // kept for a run that goes on where this one is stopped
  std::function<void(const SolvedColumns&, std::size_t)> keep_;
  Profile& profile_;
  bool has_matrix_;
  StaticReuse* reuse_;  // nullptr: the matrix is
  StaticColumns columns_;
  std::optional<SparseMatrix> own_matrix_;
  SparseMatrix* K_ = nullptr;  // or else
  std::optional<MatrixFreeSolver> without_matrix_;
  std::optional<PreparedSolver> prepared_;  // of the matrix, where columns are solved one by one
  StaticSolution shared_;                   // of the column without any load case
  bool keeps_cold_;                         // what is not in use waits on the host
  bool as_it_is_ = false;                   // the matrix has its values already
};

StaticSolutions::StaticSolutions() = default;
StaticSolutions::StaticSolutions(std::vector<StaticSolution> solved, std::unique_ptr<StaticSystem> system)
    : cases(std::move(solved)), system_(std::move(system)) {}
StaticSolutions::~StaticSolutions() = default;
StaticSolutions::StaticSolutions(StaticSolutions&&) noexcept = default;
StaticSolutions& StaticSolutions::operator=(StaticSolutions&&) noexcept = default;

StaticSolution StaticSolutions::combination(std::size_t number) {
  if (!system_)
    throw Error(Exit::internal, fmt::format("combination {} was asked for, and there are none", number), "", "");
  StaticSolution s = system_->combine(cases, number);
  s.report.fallbacks.insert(s.report.fallbacks.begin(), steps_.begin(), steps_.end());
  return s;
}

void StaticSolutions::release(std::size_t load_case) {
  StaticSolution& s = cases[load_case];
  if (!system_) s = {};
  else system_->cool(s);
  s.reaction = {};
}

void StaticSolutions::add_steps(const std::vector<std::string>& steps) {
  steps_.insert(steps_.begin(), steps.begin(), steps.end());
  for (StaticSolution& s : cases) s.report.fallbacks.insert(s.report.fallbacks.begin(), steps.begin(), steps.end());
}

StaticSolutions solve_in_one_way(const Operator& equations, const LoadCases& loads, const LinearSolverOptions& options,
                                 const Progress& progress, StaticReuse* reuse, bool keeps_cold) {
  std::unique_ptr<StaticSystem> system;
  {
    auto phase = equations.space().device().profile().phase("assembly");
    system = std::make_unique<StaticSystem>(equations, loads, options, reuse, keeps_cold);
  }
  std::vector<StaticSolution> solved = system->solve(progress);
  if (!system->has_combinations()) system.reset();
  return StaticSolutions(std::move(solved), std::move(system));
}

}  // namespace ritz
