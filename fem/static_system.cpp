#include "fem/static_system.hpp"

#include "device/error.hpp"
#include "fem/matrix_free_solver.hpp"
#include "fem/nested_nodes.hpp"
#include "solvers/memory_steps.hpp"
#include "solvers/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>

namespace ritz {
namespace {

// "node 17 (0.1, 0.2, 0) in 'steel'": the regions of cells around it name its material.
std::string place_of_unknown(const FunctionSpace& space, Index unknown) {
  const auto node = static_cast<Node>(unknown / space.components());
  std::vector<std::string> regions;
  for (const Region& region : space.mesh().regions())
    if (region.kind == RegionKind::cells && std::ranges::binary_search(space.nodes_in(region), node)) regions.push_back(region.name);
  return space.name_of(node) + (regions.empty() ? "" : " in " + quoted_list(regions));
}

Error not_converged(const FunctionSpace& space, const std::string& title, const SolveReport& report) {
  if (report.reason == StopReason::not_finite && report.entry >= 0)
    return Error(Exit::model, fmt::format("{}the equations at {} are not finite: {}", title, place_of_unknown(space, report.entry), report.where),
                 "a material value, a coefficient or the shape of a cell overflows there", advice_for(report.reason));
  return Error(Exit::not_converged,
               fmt::format("{}the linear solver ({}{}{}) did not converge: {} after {} iterations, relative residual {:.2e}", title,
                           report.method, report.preconditioner.empty() ? "" : ", ", report.preconditioner, name_of(report.reason),
                           report.iterations, report.true_relative_residual),
               report.where, advice_for(report.reason));
}

std::vector<double> component_sums(const std::vector<double>& values, int components) {
  std::vector<double> sums(static_cast<std::size_t>(components), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i % static_cast<std::size_t>(components)] += values[i];
  return sums;
}

std::string title_of(const char* what, const std::string& name) { return name.empty() ? "" : fmt::format("{} '{}': ", what, name); }

// A right-hand side of the one matrix: a load case, or what all of them share.
struct Column {
  std::string title;
  const Operator* loads;
  const Constraints* constraints;
  std::function<void()> enter;  // before the equations are used for it
  Vector b = {};                // minus the residual at the prescribed values, zero where prescribed
  ColdArray<double> cold_b = {};
  double load = 0;              // ||b||_2
};

}  // namespace

// The equations with one matrix and several columns.
class StaticSystem {
 public:
  StaticSystem(const Operator& equations, const LoadCases& loads, const LinearSolverOptions& options, StaticReuse* reuse, const Constraints& constraints, bool keeps_cold)
      : equations_(equations),
        space_(equations.space()),
        options_(options),
        solved_(loads.known),
        keep_(loads.keep),
        profile_(space_.device().profile()),
        reuse_(without_matrix(equations, options) ? nullptr : reuse),
        keeps_cold_(keeps_cold),
        r_(space_.zeros()) {
    auto phase = profile_.phase("assembly");
    if (reuse_ != nullptr) take_over(constraints);
    else if (!without_matrix(equations, options)) K_ = &own_matrix_.emplace(equations.make_matrix());
    if (options_.promise == MatrixPromise::none && equations.symmetric()) options_.promise = MatrixPromise::symmetric;
  }

  // Right-hand sides, their sums, and the matrix.
  void assemble(std::vector<Column>& columns, std::vector<StaticSolution>& solutions) {
    auto phase = profile_.phase("assembly");
    Vector shared = space_.zeros();  // the residual of the equations alone
    const Constraints* before = nullptr;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      Column& column = columns[j];
      solutions[j].u = space_.zeros();
      column.constraints->set_values(solutions[j].u);
      if (column.enter) column.enter();
      if (column.constraints != before || column.enter) equations_.residual(solutions[j].u, shared);
      before = column.constraints;
      column.b = space_.zeros();
      copy(shared, column.b);
      add_loads(1, column.loads, solutions[j].u, column.b);
      check_finite(column);
      cool(column, solutions[j]);
    }
    shared = {};
    warm(columns.front(), solutions.front());
    if (K_ == nullptr || as_it_is_) return;
    equations_.assemble(solutions.front().u, *K_);
    if (reuse_ == nullptr) equations_.forget_assembly();  // the solver may need the memory
  }

  void eliminate(std::vector<Column>& columns, std::vector<StaticSolution>& solutions) {
    auto phase = profile_.phase("constraints");
    for (std::size_t j = 0; j < columns.size(); ++j) {
      warm(columns[j], solutions[j]);
      solutions[j].applied = component_sums(columns[j].b.host(), space_.components());
      for (double& value : solutions[j].applied) value = 0 - value;  // not -0
      columns[j].constraints->set_zero(columns[j].b);
      axpby(0.0, columns[j].b, -1.0, columns[j].b);
      columns[j].load = norm2(columns[j].b);
      if (j > 0) cool(columns[j], solutions[j]);
    }
    if (K_ != nullptr && !as_it_is_) K_->eliminate(columns.front().constraints->mask(), max_abs(K_->diagonal()));
    if (reuse_ != nullptr && !as_it_is_) reuse_->keep(equations_, *columns.front().constraints);
    if (K_ == nullptr) without_matrix_.emplace(equations_, *columns.front().constraints, solutions.front().u);
  }

  void solve(std::vector<Column>& columns, std::vector<StaticSolution>& solutions) {
    auto phase = profile_.phase("solve");
    if (keeps_cold_) drop_what_solvers_do_not_need(columns, solutions);
    const SolverGeometry geometry = K_ != nullptr ? solver_geometry(space_) : SolverGeometry{};
    Vector du = space_.zeros();
    if (columns.size() == 1 || K_ == nullptr || keeps_cold_ || solved_.size() == columns.size()) {
      for (std::size_t j = 0; j < columns.size(); ++j) {
        columns[j].cold_b.bring_back(columns[j].b, "vectors");
        if (const auto known = solved_.find(static_cast<int>(j)); known != solved_.end()) {
          du = Vector(space_.device(), std::span<const double>(*known->second.u), "vectors");
          solutions[j].report = known->second.report;
        } else {
          du.fill_zero();
          solutions[j].report = solve_one(columns[j].b, du, options_);
          store(static_cast<int>(j), du, solutions[j].report);
          tell(columns.size());
        }
        warm(columns[j], solutions[j]);
        axpy(1.0, du, solutions[j].u);
        cool(columns[j], solutions[j]);
      }
      return throw_unless_all_converged(columns, solutions);
    }
    const auto count = static_cast<int>(columns.size());
    MultiVector B(space_.device(), K_->rows(), count), X(space_.device(), K_->rows(), count);
    for (int j = 0; j < count; ++j) B.set_column(j, columns[static_cast<std::size_t>(j)].b);
    // What is known is handed in as a guess, so that the others are chosen a method for, and grouped, as before.
    for (const auto& [j, known] : solved_) X.set_column(j, Vector(space_.device(), std::span<const double>(*known.u), "vectors"));
    const SolvedColumns known = solved_;
    LinearSolverOptions options = options_;
    if (keep_)
      options.after_columns = [&](int first, const std::vector<SolveReport>& reports) {
        for (std::size_t i = 0; i < reports.size(); ++i) {
          X.get_column(first + static_cast<int>(i), du);
          store(first + static_cast<int>(i), du, reports[i]);
        }
        if (solved_.size() < columns.size()) tell(columns.size());  // or in a moment, with complete reports
      };
    std::vector<SolveReport> reports = solve_linear(*K_, B, X, options, geometry);
    for (std::size_t j = 0; j < reports.size(); ++j) solutions[j].report = std::move(reports[j]);
    throw_unless_all_converged(columns, solutions);
    for (int j = 0; j < count; ++j) {
      StaticSolution& s = solutions[static_cast<std::size_t>(j)];
      X.get_column(j, du);
      if (const auto before = known.find(j); before != known.end()) restore(before->second.report, dot(du, columns[static_cast<std::size_t>(j)].b), s.report);
      axpy(1.0, du, s.u);
      solved_.erase(j);  // its report is complete now
      store(j, du, s.report);
    }
    tell(columns.size());
  }

  void certify(Column& column, StaticSolution& s) {
    auto phase = profile_.phase("reactions");
    if (column.enter) column.enter();
    if (keeps_cold_) {
      options_.prepared = nullptr;
      prepared_.reset();
      s.bring_back();
      if (r_.empty()) r_ = space_.zeros();
    }
    equations_.residual(s.u, r_);
    add_loads(1, column.loads, s.u, r_);
    split_residual(*column.constraints, column.load, s);
    cool(column, s);
    // Rounding in slender bodies leaves 1e-5 of the load at most; a wrong matrix, nearly all of it.
    if (s.certificate <= std::max(1e-3, 1e3 * options_.relative)) return;
    if (as_it_is_)
      throw Error(Exit::internal, fmt::format("a matrix that was kept is not that of the equations: residual {:.1e}", s.certificate), "this is a bug in Ritz", "please report it with the case file");
    throw Error(Exit::model, fmt::format("{}the solution does not satisfy the equations: a residual of {:.1e} of the load is left, and {:.1e} by the linear solver",
                                         column.title, s.certificate, s.report.true_relative_residual),
                "matrix and residual disagree: a form is not linear, or its derivative is wrong", "ritz element check FORM tells which; equations that are not linear are solved by ritz-solve");
  }

  // Superposition; `weights` of the columns.
  StaticSolution combine(std::vector<Column>& columns, std::vector<StaticSolution>& solutions, const std::vector<double>& weights, const std::string& title) {
    StaticSolution s;
    s.u = space_.zeros();
    s.applied.assign(static_cast<std::size_t>(space_.components()), 0.0);
    s.report.method = "superposition";
    s.report.reason = StopReason::converged;
    Vector b = space_.zeros();
    double summed = 0;  // of what is added up
    for (std::size_t j = 0; j < columns.size(); ++j) {
      warm(columns[j], solutions[j]);
      axpy(weights[j], solutions[j].u, s.u);
      axpy(weights[j], columns[j].b, b);
      for (std::size_t c = 0; c < s.applied.size(); ++c) s.applied[c] += weights[j] * solutions[j].applied[c];
      summed += std::abs(weights[j]) * columns[j].load;
      cool(columns[j], solutions[j]);
    }
    // Loads that cancel to less than a millionth are rounding: nothing can be relative to them.
    const double load = std::max(norm2(b), 1e-6 * summed);
    certify_sum(columns, weights, load, s);
    if (s.certificate > 10 * options_.relative) solve_what_is_left(columns, weights, load, title, s);
    s.report.true_relative_residual = s.certificate;
    if (keeps_cold_) s.cold_u.put_away(s.u);
    return s;
  }

 private:
  // Of a column what is not in use, where that is kept cold.
  void cool(Column& column, StaticSolution& s) const {
    if (!keeps_cold_) return;
    column.cold_b.put_away(column.b);
    s.cold_u.put_away(s.u);
  }
  static void warm(Column& column, StaticSolution& s) {
    column.cold_b.bring_back(column.b, "vectors");
    s.bring_back();
  }
  // One factor or hierarchy for all columns, though they are solved one by one; and lists are made anew for the residual at the end.
  void drop_what_solvers_do_not_need(std::vector<Column>& columns, std::vector<StaticSolution>& solutions) {
    cool(columns.front(), solutions.front());
    r_ = {};
    own_ = {};
    for (const Operator::Task task : {Operator::Task::residual, Operator::Task::diagonal}) equations_.forget(task);
    space_.device().memory().trim();
    if (K_ != nullptr) options_.prepared = &prepared_.emplace();
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
    if (keep_ && report.converged() && !solved_.contains(column)) solved_[column] = {std::make_shared<const std::vector<double>>(du.host()), report};
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
    if (K_ != nullptr) return solve_linear(*K_, b, x, options, solver_geometry(space_));
    return without_matrix_->solve(b, x, options, may_turn_to_a_matrix(equations_, options_) ? slower_than_with_a_matrix(space_, options.relative) : IterationVerdict());
  }

  void add_loads(double factor, const Operator* loads, const Vector& u, Vector& r) {
    if (loads == nullptr || factor == 0) return;
    if (own_.empty()) own_ = space_.zeros();
    loads->residual(u, own_);
    axpy(factor, own_, r);
    if (keeps_cold_ || K_ == nullptr) loads->forget(Operator::Task::residual);  // without a matrix they would be much
  }

  void check_finite(const Column& column) const {
    const Index bad = first_not_finite(column.b);
    if (bad < 0) return;
    throw Error(Exit::model, fmt::format("{}the loads at {} are not finite", column.title, place_of_unknown(space_, bad)),
                "a load, a coefficient or a prescribed value overflows there", "check the values of the case file");
  }

  Error failure(const std::string& title, const SolveReport& report) const {
    if (options_.on_failure) options_.on_failure(report, space_.unknown_count());
    return not_converged(space_, title, report);
  }

  void throw_unless_all_converged(const std::vector<Column>& columns, const std::vector<StaticSolution>& solutions) const {
    ErrorList errors;
    for (std::size_t j = 0; j < columns.size(); ++j)
      if (!solutions[j].report.converged()) errors.add(failure(columns[j].title, solutions[j].report));
    errors.throw_if_any();
  }

  // r_ is the residual of everything: its free part certifies, its prescribed part holds.
  void split_residual(const Constraints& constraints, double load, StaticSolution& s) {
    Vector free(space_.device(), r_.size(), "vectors");
    copy(r_, free);
    constraints.set_zero(free);
    s.certificate = load > 0 ? norm2(free) / load : norm2(free);
    constraints.keep_prescribed(r_);
    s.reaction = space_.forces_to_mesh(r_);
  }

  void sum_residual(const std::vector<Column>& columns, const std::vector<double>& weights, const Vector& u) {
    equations_.residual(u, r_);  // what is shared counts once: the weights sum to one where it is not zero
    for (std::size_t j = 0; j < columns.size(); ++j) add_loads(weights[j], columns[j].loads, u, r_);
  }

  void certify_sum(const std::vector<Column>& columns, const std::vector<double>& weights, double load, StaticSolution& s) {
    auto phase = profile_.phase("reactions");
    sum_residual(columns, weights, s.u);
    split_residual(*columns.front().constraints, load, s);
  }

  void solve_what_is_left(const std::vector<Column>& columns, const std::vector<double>& weights, double load,
                          const std::string& title, StaticSolution& s) {
    sum_residual(columns, weights, s.u);
    columns.front().constraints->set_zero(r_);
    axpby(0.0, r_, -1.0, r_);
    LinearSolverOptions rest = options_;
    rest.relative = std::min(0.5, options_.relative / s.certificate);
    Vector du = space_.zeros();
    {
      auto phase = profile_.phase("solve");
      s.report = solve_one(r_, du, rest);
    }
    if (!s.report.converged()) throw failure(title, s.report);
    axpy(1.0, du, s.u);
    certify_sum(columns, weights, load, s);
    s.report.choice = "its load cases cancel: what their sum left was solved for";
  }

  const Operator& equations_;
  const FunctionSpace& space_;
  LinearSolverOptions options_;
  SolvedColumns solved_;                   // kept for a run that goes on where this one is stopped
  const std::function<void(const SolvedColumns&, std::size_t)>& keep_;
  Profile& profile_;
  StaticReuse* reuse_;                     // nullptr: the matrix is
  std::optional<SparseMatrix> own_matrix_;
  SparseMatrix* K_ = nullptr;              // or else
  std::optional<MatrixFreeSolver> without_matrix_;
  std::optional<PreparedSolver> prepared_;  // of the matrix, where columns are solved one by one
  bool keeps_cold_;                        // what is not in use waits on the host
  bool as_it_is_ = false;                  // the matrix has its values already
  Vector r_, own_;
};

namespace {

// Do loads or values act that belong to no load case?
bool acts(const Operator& equations, const Constraints& common) {
  Vector u = equations.space().zeros(), r = equations.space().zeros();
  common.set_values(u);
  equations.residual(u, r);
  return max_abs(u) > 0 || max_abs(r) > 0;
}

}  // namespace

std::vector<StaticSolution> solve_in_one_way(const Operator& equations, const LoadCases& loads, const LinearSolverOptions& options,
                                             const Progress& progress, StaticReuse* reuse, bool keeps_cold) {
  const auto say = [&](const char* text) {
    if (progress) progress(text);
  };
  std::vector<Column> columns;
  for (const LoadCase& each : loads.cases) columns.push_back({title_of("load case", each.name), each.loads, each.constraints, each.enter});
  const bool shares = !loads.combinations.empty() && acts(equations, *loads.common);
  if (shares) columns.push_back({"without any load case: ", nullptr, loads.common, {}});
  std::vector<StaticSolution> solutions(columns.size());
  if (columns.front().enter) columns.front().enter();  // the matrix is that of its numbers
  StaticSystem system(equations, loads, options, reuse, *columns.front().constraints, keeps_cold);
  say("assembling");
  system.assemble(columns, solutions);
  system.eliminate(columns, solutions);
  say("solving");
  system.solve(columns, solutions);
  for (std::size_t j = 0; j < loads.cases.size(); ++j) system.certify(columns[j], solutions[j]);
  std::vector<StaticSolution> combined;
  for (const LoadCombination& combination : loads.combinations) {
    std::vector<double> weights = combination.factors;
    if (shares) weights.push_back(std::accumulate(weights.begin(), weights.end(), 1.0, std::minus<>{}));
    combined.push_back(system.combine(columns, solutions, weights, title_of("combination", combination.name)));
  }
  solutions.resize(loads.cases.size());
  std::ranges::move(combined, std::back_inserter(solutions));
  return solutions;
}

}  // namespace ritz
