#include "fem/analysis/static_solution.hpp"

#include "device/memory_shortage.hpp"
#include "fem/operator/task_plans.hpp"
#include "fem/analysis/static_columns.hpp"
#include "fem/analysis/linear_system.hpp"
#include "fem/analysis/mean_supports.hpp"
#include "fem/operator/fields_operator.hpp"
#include "fem/preconditioners/fields_system.hpp"
#include "fem/ranks/own_field.hpp"
#include "fem/multigrid/matrix_free_solver.hpp"
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

Error not_converged(const Equations& equations, const PartOfModel* part, const std::string& title,
                    const SolveReport& report) {
  const std::string place =
      report.reason == StopReason::not_finite ? place_of_unknown(equations, report.entry, part) : std::string();
  if (!place.empty())
    return Error(ErrorKind::not_finite,
                 fmt::format("{}the equations at {} are not finite: {}", title, place, report.where),
                 "a material value, a coefficient or the shape of a cell overflows there", advice_for(report.reason));
  return Error(
      ErrorKind::not_converged,
      fmt::format("{}the linear solver ({}{}{}) did not converge: {} after {} iterations, relative residual {:.2e}",
                  title, report.method, report.preconditioner.empty() ? "" : ", ", report.preconditioner,
                  name_of(report.reason), report.iterations, report.true_relative_residual),
      report.where, advice_for(report.reason));
}

}  // namespace

// One linear system and several columns.
class StaticSystem {
 public:
  StaticSystem(const Equations& equations, const LoadVectors& loads, const LinearSolverOptions& options,
               const Observer& observer, SystemCache* reuse, bool keeps_cold)
      : equations_(equations),
        one_(dynamic_cast<const Operator*>(&equations)),
        options_(options),
        combinations_(loads.combinations),
        solved_(loads.known),
        observer_(observer),
        profile_(equations.device().profile()),
        reuse_(one_ == nullptr || without_matrix(*one_, options) || options.ranks != nullptr ? nullptr : reuse),
        part_(part_of(equations, *loads.cases.front().supports, options)),
        ground_(loads.ground),
        means_(mean_supports(equations, loads.means, part_ ? part_->supports() : *loads.cases.front().supports,
                             part_.get(), loads.stops)),
        columns_(equations, loads, keeps_cold, part_.get(), means_),
        keeps_cold_(keeps_cold) {
    options_.ranks = nullptr;
    if (part_ && part_->whole().one != nullptr) ground_ = part_->whole().one->own(ground_);
    if (columns_.front().enter) columns_.front().enter();  // the matrix is that of its numbers
    if (reuse_ != nullptr) take_over();
  }

  // Solutions of the load cases, verified by their residuals.
  std::vector<StaticSolution> solve() {
    if (observer_.progress) observer_.progress("assembling");
    std::optional<Profile::Phase> phase(std::in_place, profile_, "assembly");
    columns_.assemble();
    phase.emplace(profile_, "constraints");
    columns_.eliminate();
    phase.reset();
    linearise();
    if (observer_.progress) observer_.progress("solving");
    std::vector<StaticSolution> solutions(columns_.size());
    phase.emplace(profile_, "solve");
    if (keeps_cold_) drop_what_solvers_do_not_need();
    const bool all_known = solved_.size() == columns_.size();
    if (columns_.size() == 1 || !system_->has_matrix() || keeps_cold_ || means_ || all_known)
      solve_one_by_one(solutions);
    else solve_together(solutions);
    phase.reset();
    turned_ = system_->turned();
    if (reuse_ == nullptr) give_back_system();
    if (columns_.share()) {
      shared_ = std::move(solutions.back());
      solutions.pop_back();
    }
    for (std::size_t j = 0; j < solutions.size(); ++j) {
      certify(columns_[j], solutions[j]);
      gather(solutions[j]);
    }
    return solutions;
  }

  const std::string& turned() const { return turned_; }  // LinearSystem::turned()
  const ColdTraffic& traffic() const { return columns_.traffic(); }
  bool has_combinations() const { return !combinations_.empty(); }
  const LoadCombination& asked(std::size_t number) const { return combinations_.at(number); }

  // Superposition.
  StaticSolution combine(std::vector<StaticSolution>& cases, const LoadCombination& combination) {
    std::vector<double> weights = combination.factors;  // of the columns
    if (columns_.share()) {
      double rest = 1;
      for (const double weight : weights) rest -= weight;
      weights.push_back(rest);
    }
    StaticSolution s;
    s.u = zeros();
    s.report.method = "superposition";
    s.report.reason = StopReason::converged;
    Vector b = zeros();
    double summed = 0;  // of what is added up
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (weights[j] == 0) continue;
      StaticSolution& part = j < cases.size() ? cases[j] : shared_;
      bring_back(part);
      if (part_ && j < cases.size()) axpy(weights[j], part_->own(part.u), s.u);
      else axpy(weights[j], part.u, s.u);
      cool(part);
      columns_.bring_back(columns_[j]);
      axpy(weights[j], columns_[j].b, b);
      columns_.cool(columns_[j]);
      summed += std::abs(weights[j]) * columns_[j].load;
    }
    const double load = std::max(norm2(b), cancelled * summed);
    b = {};
    certify_sum(weights, load, s);
    if (s.residual > 10 * options_.relative)
      solve_what_is_left(weights, load,
                         combination.name.empty() ? "" : fmt::format("combination '{}': ", combination.name), s);
    s.report.true_relative_residual = s.residual;
    if (part_) s.u = part_->gathered(s.u);
    return s;
  }
  void bring_back(StaticSolution& s) const { s.cold_u.bring_back(s.u, "vectors", &columns_.traffic()); }
  void cool(StaticSolution& s) const {
    if (keeps_cold_) s.cold_u.put_away(s.u, &columns_.traffic());
  }

 private:
  const Equations& equations() const { return part_ ? part_->equations() : equations_; }
  const Constraints& constraints() const { return dynamic_cast<const Constraints&>(*columns_.front().supports); }
  Vector zeros() const { return equations().zeros(); }
  // Every rank gets all unknowns.
  void gather(StaticSolution& s) const {
    if (!part_) return;
    bring_back(s);
    s.u = part_->gathered(s.u);
    cool(s);
  }

  // At the prescribed values.
  void linearise() {
    if (as_it_is_) return set_beside();
    const Supports& supports = columns_.supports(columns_.front());
    auto phase = profile_.phase("assembly");
    if (reuse_ == nullptr) {
      own_system_ = tangent_system(equations(), supports, options_,
                                   {.whole = part_ ? &part_->whole() : nullptr,
                                    .singular = columns_.are_singular(),
                                    .keeps_solver = keeps_cold_ || means_});  // for columns that are solved one by one
      system_ = own_system_.get();
    }
    set_beside();
    Vector u = zeros();
    supports.set_values(u);
    if (reuse_ == nullptr) return system_->linearise(u);
    reuse_->system_->linearise(u, constraints(), same_unknowns_);
    reuse_->keep(*one_, constraints());
  }

  void set_beside() {
    system_->set_ground(ground_);
    system_->set_beside(means_ ? means_->attached() : std::make_shared<const Attached>(), 1, 0);
  }

  void give_back_system() {
    system_ = nullptr;
    own_system_.reset();
  }

  void solve_one_by_one(std::vector<StaticSolution>& solutions) {
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      StaticColumn& column = columns_[j];
      StaticSolution& s = solutions[j];
      if (const auto known = solved_.find(static_cast<int>(j)); known != solved_.end()) {
        s.u = known_vector(known->second);
        s.report = known->second.report;
      } else {
        columns_.bring_back(column);
        s.u = zeros();
        s.report = system_->solve(column.b, s.u);
        if (combinations_.empty()) column.b = {};
        store(static_cast<int>(j), s.u, s.report);
        tell(columns_.size());
        columns_.cool(column);
      }
      put_constrained(column, s.u);
      cool(s);
    }
    throw_unless_all_converged(solutions);
  }

  void solve_together(std::vector<StaticSolution>& solutions) {
    const auto count = static_cast<int>(columns_.size());
    Vector du = zeros();
    MultiVector B(du.device(), du.size(), count), X(du.device(), du.size(), count);
    for (int j = 0; j < count; ++j) B.set_column(j, std::exchange(columns_[static_cast<std::size_t>(j)].b, {}));
    // Known columns are passed as guesses, so that the method and the groups of the others are the same as before.
    for (const auto& [j, known] : solved_) X.set_column(j, known_vector(known));
    const SolvedColumns known = solved_;
    AfterColumns after;
    if (observer_.keep)
      after = [&](int first, const std::vector<SolveReport>& reports) {
        for (std::size_t i = 0; i < reports.size(); ++i) {
          X.get_column(first + static_cast<int>(i), du);
          store(first + static_cast<int>(i), du, reports[i]);
        }
        if (solved_.size() < columns_.size()) tell(columns_.size());  // or in a moment, with complete reports
      };
    std::vector<SolveReport> reports = system_->solve(B, X, after);
    for (std::size_t j = 0; j < reports.size(); ++j) solutions[j].report = std::move(reports[j]);
    throw_unless_all_converged(solutions);
    for (int j = 0; j < count; ++j) {
      StaticColumn& column = columns_[static_cast<std::size_t>(j)];
      column.b = zeros();
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
      s.u = zeros();
      X.get_column(j, s.u);
      solved_.erase(j);  // its report is complete now
      store(j, s.u, s.report);
      put_constrained(columns_[static_cast<std::size_t>(j)], s.u);
    }
    tell(columns_.size());
  }

  void put_constrained(const StaticColumn& column, Vector& u) const { columns_.supports(column).set_values(u); }

  void certify(StaticColumn& column, StaticSolution& s) {
    auto phase = profile_.phase("reactions");
    bring_back(s);
    s.notice = column.notice;
    Vector r = columns_.residual(column, s.u);
    const bool rounding = columns_.split_residual(columns_.only(column), column.load, r, s);
    columns_.forget(column);
    cool(s);
    // Rounding in slender bodies leaves 1e-5 of the load at most; a wrong matrix, nearly all of it.
    if (rounding || s.residual <= std::max(1e-3, 1e3 * options_.relative)) return;
    if (as_it_is_)
      throw Error(ErrorKind::internal,
                  fmt::format("a matrix that was kept is not that of the equations: residual {:.1e}", s.residual),
                  "this is a bug in Ritz", "please report it with the case file");
    throw Error(ErrorKind::not_linear,
                fmt::format("{}the solution does not satisfy the equations: a residual of {:.1e} of the load is left, "
                            "and {:.1e} by the linear solver",
                            column.title, s.residual, s.report.true_relative_residual),
                "matrix and residual disagree: a form is not linear, or its derivative is wrong",
                "ritz element check FORM shows which; equations that are not linear are solved by ritz-solve");
  }

  // Lists are rebuilt for the residual at the end.
  void drop_what_solvers_do_not_need() {
    if (one_ != nullptr) {
      TaskPlans& plans = dynamic_cast<const Operator&>(equations()).plans();
      if (system_->has_matrix()) plans.forget_assembly();
      for (const Operator::Task task : {Operator::Task::residual, Operator::Task::diagonal}) plans.forget(task);
    }
    equations_.device().memory().trim();
  }

  // The system of the solution before, with its values where they are still right.
  void take_over() {
    as_it_is_ = !means_ && reuse_->fits(*one_, constraints());
    if (!as_it_is_) same_unknowns_ = reuse_->refill(*one_, constraints(), options_);
    system_ = &*reuse_->system_;
    reuse_->system_->set_options(options_);
  }

  // A report of a stopped run lacks the numbers that are only known at the end.
  static void restore(SolveReport before, double energy, SolveReport& report) {
    estimate_error(before, energy);
    before.preconditioner = report.preconditioner;
    before.choice = report.choice;
    before.fallbacks = report.fallbacks;
    report = std::move(before);
  }

  Vector known_vector(const SolvedColumn& column) const {
    Vector u(equations_.device(), std::span<const double>(*column.u), "vectors");
    return part_ ? part_->own(u) : std::move(u);
  }
  void store(int column, const Vector& du, const SolveReport& report) {
    if (observer_.keep && report.converged() && !solved_.contains(column))
      solved_[column] = {std::make_shared<const std::vector<double>>(part_ ? part_->gathered(du).host() : du.host()),
                         report};
  }
  void tell(std::size_t count) const {
    if (observer_.keep && count > 1)
      observer_.keep({.place = fmt::format("{} of {} load cases", solved_.size(), count), .columns = solved_});
  }

  Error failure(const std::string& title, const SolveReport& report) const {
    if (options_.on_failure) options_.on_failure(report, equations_.layout().total());
    return not_converged(equations_, part_.get(), title, report);
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
    columns_.split_residual(weights, load, r, s);
  }

  void solve_what_is_left(const std::vector<double>& weights, double load, const std::string& title,
                          StaticSolution& s) {
    if (system_ == nullptr) linearise();  // and keep it for the other combinations
    Vector b = columns_.free_part(weights, columns_.residual(weights, s.u));
    axpby(0.0, b, -1.0, b);
    const double relative = std::min(0.5, options_.relative / s.residual);
    Vector du = zeros();
    {
      auto phase = profile_.phase("solve");
      s.report = system_->solve(b, du, LinearTolerance{relative, options_.rounding_error});
    }
    if (!s.report.converged()) throw failure(title, s.report);
    columns_.supports(columns_.front()).set_linear(du);
    axpy(1.0, du, s.u);
    certify_sum(weights, load, s);
    if (s.residual > 10 * options_.relative) {
      s.report.reason = StopReason::stagnated;
      s.report.true_relative_residual = s.residual;
      throw failure(title, s.report);
    }
    s.report.choice = "its load cases cancel: the remainder of their sum was solved for";
  }

  const Equations& equations_;
  const Operator* const one_;  // the same, of one field at nodes; null: several
  LinearSolverOptions options_;
  std::vector<LoadCombination> combinations_;
  SolvedColumns solved_;  // kept for a run that goes on where this one is stopped
  Observer observer_;     // combinations may come when the caller's is gone
  Profile& profile_;
  SystemCache* reuse_;                 // nullptr: the system is
  std::unique_ptr<PartOfModel> part_;  // null: one process
  GroundMotions ground_;
  const std::shared_ptr<MeanSupports> means_;  // null: none
  StaticColumns columns_;
  std::unique_ptr<TangentSystem> own_system_;
  TangentSystem* system_ = nullptr;  // that, or the one that is reused
  StaticSolution shared_;            // of the column without any load case
  bool keeps_cold_;                  // what is not in use waits on the host
  bool as_it_is_ = false;            // the matrix has its values already
  bool same_unknowns_ = true;        // are prescribed as those of the solution before
  std::string turned_;               // LinearSystem::turned()
};

StaticSolutions::StaticSolutions() = default;
StaticSolutions::StaticSolutions(std::vector<StaticSolution> solved, std::unique_ptr<StaticSystem> system)
    : cases(std::move(solved)), system_(std::move(system)) {}
StaticSolutions::~StaticSolutions() = default;
StaticSolutions::StaticSolutions(StaticSolutions&&) noexcept = default;
StaticSolutions& StaticSolutions::operator=(StaticSolutions&&) noexcept = default;

StaticSolution StaticSolutions::combination(std::size_t number) {
  if (!system_)
    throw Error(ErrorKind::internal, fmt::format("combination {} was asked for, and there are none", number), "", "");
  return combination(system_->asked(number));
}

StaticSolution StaticSolutions::combination(const LoadCombination& combination) {
  if (!system_) throw Error(ErrorKind::internal, "a combination of solutions whose system is gone", "", "");
  StaticSolution s = system_->combine(cases, combination);
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

namespace {

// Without a matrix there are only conjugate gradients; another named method needs a matrix.
bool needs_matrix(const Operator& equations, const LinearSolverOptions& options) {
  const bool named = options.method != LinearMethod::automatic && options.method != LinearMethod::conjugate_gradient;
  return options.ranks != nullptr || named || !equations.facts().symmetric ||
         options.promise != MatrixPromise::positive_definite;
}

std::string moved_text(const ColdTraffic& moved) {
  return fmt::format("{:.1f} MB went to the host and {:.1f} MB back in {:.2f} s", 1e-6 * double(moved.out),
                     1e-6 * double(moved.back), moved.seconds);
}

void give_back_all(const Equations& equations) {
  if (const auto* const one = dynamic_cast<const Operator*>(&equations))
    for (const Operator::Task task :
         {Operator::Task::matrix, Operator::Task::residual, Operator::Task::action, Operator::Task::diagonal})
      one->plans().forget(task);
  else forget_assembly(dynamic_cast<const FieldsOperator&>(equations));
  equations.device().memory().trim();
}

}  // namespace

StaticSolutions solve_static(const Equations& equations, const LoadVectors& loads, const LinearSolverOptions& asked,
                             const Observer& observer, SystemCache* reuse) {
  check_same_unknowns(loads.cases);
  const auto* const one = dynamic_cast<const Operator*>(&equations);  // null: several fields
  if (one == nullptr) reuse = nullptr;
  LinearSolverOptions options = asked;
  options.one_of_many =
      asked.one_of_many || pay_for_a_matrix(loads.cases.size(), loads.combinations.size()) || reuse != nullptr;
  StaticSolutions solutions;
  MemorySavings savings{.matrix = one == nullptr || !without_matrix(*one, options),
                        .needs_matrix = one == nullptr || needs_matrix(*one, options),
                        .device_is_apart = equations.device().machine().is_apart()};
  ColdTraffic moved;
  const auto attempt = [&] {
    if (reuse == nullptr && savings.matrix && !savings.needs_matrix) check_room_for_matrix(one->space());
    std::unique_ptr<StaticSystem> system;
    {
      auto phase = equations.device().profile().phase("assembly");
      system = std::make_unique<StaticSystem>(equations, loads, options, observer, reuse, savings.keeps_cold);
    }
    std::vector<StaticSolution> solved = system->solve();
    const std::string turned = system->turned();
    moved = system->traffic();
    if (!system->has_combinations()) system.reset();
    solutions = StaticSolutions(std::move(solved), std::move(system));
    if (!turned.empty()) solutions.add_steps({turned});
  };
  if (reuse != nullptr) {
    if (!memory_shortage(attempt)) return solutions;
    reuse->clear();  // nothing is kept where memory is short
    reuse = nullptr;
  }
  std::vector<std::string> steps;
  const bool had_matrix = savings.matrix;
  const auto taken = [&](const std::string& step) {
    steps.push_back(step);
    if (options.say) options.say(step);
    give_back_all(equations);
    if (savings.matrix == had_matrix) return;
    options.operator_kind = OperatorKind::matrix_free;
    options.method = LinearMethod::automatic;
    one->space().forget_pattern();
    equations.device().memory().trim();
  };
  within_memory(MemoryLevel::system, savings, attempt, taken, options.ranks);
  if (savings.keeps_cold) {
    const std::string text = moved_text(moved);
    if (solutions.cases.size() == 1) solutions.cases.front().bring_back();
    steps.back() += ": " + text;
    if (options.say) options.say("memory: cold data: " + text);
  }
  solutions.add_steps(steps);
  return solutions;
}

StaticSolution solve_static(const Equations& equations, const Supports& supports, const LinearSolverOptions& options,
                            const Observer& observer) {
  return std::move(
      solve_static(equations, LoadVectors{.cases = {{.supports = &supports}}}, options, observer).cases.front());
}

}  // namespace ritz
