#include "solvers/prepared_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ritz {

namespace {

// Of the slowest column, for each iteration; 0: too few to tell.
double digits_of(const std::vector<SolveReport>& reports) {
  double least = 0;
  for (const SolveReport& report : reports) {
    if (report.history.size() < 3 || !(report.history.back() > 0)) continue;
    const double digits = std::log10(report.history.front() / report.history.back()) / double(report.history.size() - 1);
    least = least == 0 ? digits : std::min(least, digits);
  }
  return least;
}

// Making a hierarchy anew costs as much as five to ten iterations.
constexpr double good_enough = 0.6;

}  // namespace

void PreparedSolver::values_changed(bool alike) {
  if (factor_) factor_->current = false;
  for (Hierarchy& each : hierarchies_) {
    each.current = false;
    each.may_serve = each.may_serve && alike;
  }
}

int PreparedSolver::patience(const ChosenPreconditioner& used, double digits) const {
  const auto found = std::ranges::find_if(hierarchies_, [&](const Hierarchy& each) { return each.preconditioner.get() == &used; });
  if (found == hierarchies_.end() || found->current) return 0;
  return found->digits > 0 ? static_cast<int>(std::min(1e6, 10 + 2 * digits / found->digits)) : 50;
}

bool PreparedSolver::judge(const ChosenPreconditioner& used, const std::vector<SolveReport>& reports) {
  const auto found = std::ranges::find_if(hierarchies_, [&](const Hierarchy& each) { return each.preconditioner.get() == &used; });
  if (found == hierarchies_.end()) return true;
  const bool converged = std::ranges::all_of(reports, &SolveReport::converged);
  const double digits = digits_of(reports);
  if (found->current) {
    if (digits > 0) found->digits = digits;
    found->may_serve = converged && found->kind == PreconditionerKind::multigrid;  // others belong to the matrix they were made of
    return true;
  }
  found->may_serve = converged && (digits == 0 || digits >= good_enough * found->digits);
  return converged;
}

void PreparedSolver::clear() noexcept {
  factor_.reset();
  hierarchies_.clear();
}

DirectSolver& PreparedSolver::direct(const SparseMatrix& A, DirectKind kind, const DirectOptions& options) {
  if (factor_ && factor_->kind != kind) factor_.reset();
  if (!factor_) {
    factor_ = Factor{kind, std::make_unique<DirectSolver>(A, kind, options), true};
    ++counts_.analyses;
  } else if (!std::exchange(factor_->current, true)) {
    try {
      factor_->solver->refactorise();
      ++counts_.factorisations;
    } catch (...) {
      factor_.reset();
      throw;
    }
  }
  return *factor_->solver;
}

const ChosenPreconditioner& PreparedSolver::preconditioner(const SparseMatrix& A, PreconditionerKind kind, PreconditionerBasis basis,
                                                           const SmoothedAggregationOptions& multigrid) {
  const auto found = std::ranges::find_if(hierarchies_, [&](const Hierarchy& each) {
    return each.kind == kind && each.basis == basis && each.single_precision == multigrid.single_precision &&
           each.half_storage == multigrid.half_storage;
  });
  if (found != hierarchies_.end() && found->current) return *found->preconditioner;
  if (found != hierarchies_.end() && found->may_serve) {
    ++counts_.used_on;
    return *found->preconditioner;
  }
  if (found != hierarchies_.end()) {
    bool refreshed = false;
    try {
      refreshed = found->preconditioner->refresh();
    } catch (...) {
      hierarchies_.erase(found);
      throw;
    }
    if (refreshed) {
      found->current = true;
      ++counts_.refreshes;
      return *found->preconditioner;
    }
    hierarchies_.erase(found);
  }
  // A former matrix was of another kind: what was made of its relatives is of no use to this one.
  std::erase_if(hierarchies_, [&](const Hierarchy& each) { return each.kind == kind && each.basis != basis && !each.current; });
  ++counts_.set_ups;
  hierarchies_.push_back({kind, basis, multigrid.single_precision, multigrid.half_storage, std::make_unique<ChosenPreconditioner>(A, kind, basis, multigrid), true});
  return *hierarchies_.back().preconditioner;
}

bool PreparedSolver::holds(PreconditionerKind kind) const {
  return std::ranges::any_of(hierarchies_, [&](const Hierarchy& each) { return each.kind == kind; });
}

void PreparedSolver::put_first(std::vector<MethodChoice>& plan) const {
  if (!last_) return;
  std::ranges::stable_partition(plan, [&](const MethodChoice& choice) {
    return choice.method == last_->method && choice.preconditioner == last_->preconditioner;
  });
}

}  // namespace ritz
