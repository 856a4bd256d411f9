#include "solvers/prepared_solver.hpp"

#include <algorithm>
#include <utility>

namespace ritz {

void PreparedSolver::values_changed() {
  if (factor_) factor_->current = false;
  for (Hierarchy& each : hierarchies_) each.current = false;
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
    return each.kind == kind && each.basis == basis && each.single_precision == multigrid.single_precision;
  });
  if (found != hierarchies_.end() && found->current) return *found->preconditioner;
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
  ++counts_.set_ups;
  hierarchies_.push_back({kind, basis, multigrid.single_precision, std::make_unique<ChosenPreconditioner>(A, kind, basis, multigrid), true});
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
