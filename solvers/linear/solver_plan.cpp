#include "solvers/linear/solver_plan.hpp"

#include "device/memory_shortage.hpp"
#include "device/ranks/ranks.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <new>
#include <optional>
#include <utility>

namespace ritz {
namespace {

bool is_indefinite(const Error& error) { return error.exit() == Exit::model || error.exit() == Exit::not_converged; }

// Step after an iteration that has failed.
enum class Next { same_basis, next_basis, nothing };

Next after(const Reports& reports, Cycle& cycle, std::string& why) {
  const SolveReport& last = worst(reports);
  const bool multigrid = cycle.memory.preconditioner == PreconditionerKind::multigrid;
  const std::string reason = name_of(last.reason);
  const bool spoilt =
      last.reason == StopReason::indefinite_preconditioner || last.reason == StopReason::preconditioner_not_finite;
  const bool polynomial = multigrid || cycle.memory.preconditioner == PreconditionerKind::chebyshev;
  if (polynomial && !cycle.sure_bounds && spoilt) {
    cycle.sure_bounds = true;
    why = "the bounds of the eigenvalues were too low: repeated with those of more steps";
    return Next::same_basis;
  }
  if (multigrid && cycle.memory.single_precision && std::ranges::any_of(reports, may_be_rounding)) {
    const bool half = std::exchange(cycle.memory.half_storage, false);
    if (!half) cycle.memory.single_precision = false;
    why = fmt::format("{} for the multigrid cycle ({}): repeated {}",
                      half ? "matrices in 16 bits were not enough" : "single precision was not enough", reason,
                      half ? "with 32" : "in double");
    return Next::same_basis;
  }
  if (last.converged() || last.reason == StopReason::iteration_limit || last.entry >= 0) return Next::nothing;
  why = fmt::format("{}: {}", last.preconditioner, reason);
  return Next::next_basis;
}

// One method that iterates, with one preconditioner after another.
class Iterations {
 public:
  Iterations(PlannedSystem& system, const MethodChoice& choice, bool indefinite)
      : system_(system), choice_(choice), indefinite_(indefinite) {}

  // One preconditioner after another: that of older values, where it serves on, and one of these; in higher precision,
  // where rounding in a cycle has spoilt the last digits or even the definiteness; and those of other relatives.
  Reports run(const Cycle& usual) {
    const std::vector<PreconditionerBasis> bases = system_.bases(choice_, indefinite_);
    Cycle cycle = usual;
    Reports reports;
    std::string why;  // the reports so far were not enough
    for (auto basis = bases.begin(); basis != bases.end();) {
      PlannedSystem::Iteration iteration =
          prepare(*basis, cycle) ? system_.iterate(choice_) : PlannedSystem::Iteration{.reports = reports_of_refusal()};
      reports = reports.empty() ? std::move(iteration.reports) : continued(reports, std::move(iteration.reports), why);
      const Next next = iteration.of_this_matrix ? after(reports, cycle, why) : (why.clear(), Next::same_basis);
      if (next == Next::nothing) break;
      if (next == Next::next_basis) {
        cycle = usual;
        ++basis;
      } else if (iteration.of_this_matrix) {
        system_.keep(cycle);
      }
      system_.columns().forget_bad_guesses(reports);
    }
    // Relative to the solution, both in the energy norm: x.Ax = x.b once r is small.
    const std::vector<double> energy = system_.columns().energies();
    for (std::size_t j = 0; j < reports.size(); ++j) estimate_error(reports[j], energy[j]);
    return reports;
  }
  const std::optional<Error>& refused() const { return refused_; }  // by the last preconditioner

 private:
  // False: one that needs a positive definite matrix has refused this one.
  bool prepare(PreconditionerBasis basis, const Cycle& cycle) {
    try {
      system_.prepare(choice_, basis, cycle);
      return true;
    } catch (const LostRank&) { throw; } catch (const Error& error) {
      if (!is_indefinite(error) || !system_.may_be_refused(choice_)) throw;
      refused_ = error;
      return false;
    }
  }

  Reports reports_of_refusal() const {
    const Columns& columns = system_.columns();
    const std::vector<double> residual = columns.residual_norms(system_.matrix()), load = columns.load_norms();
    const bool cg = choice_.method == LinearMethod::conjugate_gradient ||
                    choice_.method == LinearMethod::flexible_conjugate_gradient;
    Reports reports(load.size());
    for (std::size_t j = 0; j < load.size(); ++j) {
      reports[j].method = cg ? "conjugate gradients" : name_of(choice_.method);
      reports[j].preconditioner = name_of(choice_.preconditioner);
      reports[j].reason = cg ? StopReason::indefinite_matrix : StopReason::indefinite_preconditioner;
      reports[j].where = refused_->message();
      reports[j].true_relative_residual = load[j] > 0 ? residual[j] / load[j] : residual[j];
    }
    return reports;
  }

  PlannedSystem& system_;
  const MethodChoice& choice_;
  bool indefinite_;
  std::optional<Error> refused_;
};

// One method of the plan, tried.
struct Attempt {
  Reports reports = {};
  std::optional<Error> shortage = {};  // for which the method gives way to another; then there are no reports
  std::exception_ptr thrown = {};      // the same, as it was thrown; null: by the library of C++
  std::optional<Error> refused = {};   // by the preconditioner that was tried last
  std::vector<std::string> steps_down = {};
};

// Runs the phase. Keeps the error after which another method may do; others pass.
template <class Phase>
void run_phase(const PlannedSystem& system, Attempt& attempt, const Phase& phase) {
  attempt.shortage.reset();
  try {
    phase();
  } catch (const std::bad_alloc&) {
    if (system.over_ranks()) throw;
    attempt.thrown = nullptr;
    attempt.shortage = host_memory_error();
  } catch (const Error& error) {
    const bool agreed = !system.over_ranks() || dynamic_cast<const AgreedError*>(&error) != nullptr;
    if (!agreed || !system.gives_way(error)) throw;
    attempt.thrown = std::current_exception();
    attempt.shortage = error;
  }
}

// One method, with steps down where memory is short.
Attempt attempted(PlannedSystem& system, const PlanOptions& options, MethodChoice choice, bool indefinite) {
  Attempt attempt;
  if (choice.method == LinearMethod::direct) {
    run_phase(system, attempt, [&] { attempt.reports = system.factorise(choice); });
    return attempt;
  }
  Cycle cycle = system.cycle(choice);
  while (true) {
    Iterations iterations(system, choice, indefinite);
    run_phase(system, attempt, [&] { attempt.reports = iterations.run(cycle); });
    if (iterations.refused()) attempt.refused = iterations.refused();
    if (!attempt.shortage) return attempt;
    system.free_preconditioners();
    if (attempt.shortage->exit() != Exit::resources) return attempt;
    const std::optional<std::string> step = step_down(MemoryLevel::cycle, cycle.memory, *attempt.shortage);
    if (!step) return attempt;
    system.keep(cycle);
    choice.preconditioner = cycle.memory.preconditioner;
    if (choice.preconditioner != PreconditionerKind::multigrid) {  // nothing faster is left to give it up for
      choice.max_iterations = 0;
      choice.give_up = {};
    }
    system.columns().forget_guesses();
    if (options.report) options.report(*step);
    attempt.steps_down.push_back(*step);
  }
}

class PlanWalk {
 public:
  PlanWalk(PlannedSystem& system, const PlanOptions& options) : system_(system), options_(options) {}

  Reports run() {
    std::vector<MethodChoice> plan = system_.plan(false);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (!reports_.empty() && is_pointless(plan[i])) continue;
      Attempt attempt = attempted(system_, options_, plan[i], indefinite_);
      fallbacks_.insert(fallbacks_.end(), attempt.steps_down.begin(), attempt.steps_down.end());
      refused_ = attempt.refused;
      const MethodChoice* const next_choice = next_after(plan, i);
      if (const std::optional<Error>& shortage = attempt.shortage) {
        if (next_choice == nullptr && reports_.empty()) throw_last(attempt);
        fallbacks_.push_back((plan[i].method == LinearMethod::direct ? "not factorised: " : "") + shortage->message());
      } else {
        record(plan[i], std::move(attempt.reports), next_choice);
      }
      if (reports_.empty()) continue;
      if (!goes_on(reports_)) break;
      system_.columns().forget_bad_guesses(reports_);
      if (plan.size() > 1 && found_indefinite(reports_) && !std::exchange(indefinite_, true)) {
        plan = system_.plan(true);
        i = static_cast<std::size_t>(-1);
      }
    }
    for (SolveReport& report : reports_) {
      report.fallbacks = fallbacks_;
      report.met_indefinite = indefinite_;
    }
    return std::move(reports_);
  }

 private:
  bool goes_on(const Reports& reports) const {
    return may_go_on(reports, options_.promise) && !(options_.ends_when_indefinite && found_indefinite(reports));
  }

  // The same again helps only where the iterations had run out.
  bool is_pointless(const MethodChoice& choice) const {
    if (choice.after_refusal) return !refused_;
    return worst(reports_).reason != StopReason::iteration_limit &&
           std::ranges::any_of(tried_, [&](const MethodChoice& before) {
             return before.method == choice.method && before.preconditioner == choice.preconditioner;
           });
  }

  const MethodChoice* next_after(const std::vector<MethodChoice>& plan, std::size_t at) const {
    const auto next = std::find_if(plan.begin() + static_cast<std::ptrdiff_t>(at) + 1, plan.end(),
                                   [&](const MethodChoice& later) { return !later.after_refusal || refused_; });
    return next == plan.end() ? nullptr : &*next;
  }

  // The outcome of a method of the plan, after those before it; next_choice: what is tried if it failed, or null.
  void record(const MethodChoice& choice, Reports next, const MethodChoice* next_choice) {
    tried_.push_back(choice);
    if (all_converged(next)) system_.remember(choice);
    const std::vector<std::string>& inner =
        std::ranges::max(next, {}, [](const SolveReport& report) { return report.fallbacks.size(); }).fallbacks;
    fallbacks_.insert(fallbacks_.end(), inner.begin(), inner.end());
    const bool mere_trial = choice.trial && worst(next).reason == StopReason::iteration_limit;
    if (next_choice != nullptr && !mere_trial && goes_on(next)) {
      if (next_choice->after_refusal) give_way_to(*next_choice, choice);
      else fallbacks_.push_back(failure_of(worst(next)));
    }
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

  void give_way_to(const MethodChoice& next, const MethodChoice& refused) {
    const std::string text =
        fmt::format("no preconditioner '{}' could be made ({}): {} instead", name_of(refused.preconditioner),
                    refused_->message(), next.preconditioner == PreconditionerKind::jacobi ? "the diagonal" : "none");
    if (options_.report) options_.report(text);
    fallbacks_.push_back(text);
  }

  [[noreturn]] static void throw_last(const Attempt& attempt) {
    if (attempt.thrown) std::rethrow_exception(attempt.thrown);
    throw *attempt.shortage;
  }

  PlannedSystem& system_;
  const PlanOptions& options_;
  Reports reports_;  // empty: nothing has been tried to the end
  std::vector<MethodChoice> tried_;
  std::vector<std::string> fallbacks_;
  std::optional<Error> refused_;  // by the preconditioner that was tried last
  bool after_trial_ = false, indefinite_ = false;
};

}  // namespace

Reports solve_by_plan(PlannedSystem& system, const PlanOptions& options) { return PlanWalk(system, options).run(); }

}  // namespace ritz
