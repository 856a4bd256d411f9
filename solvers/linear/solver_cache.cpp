#include "solvers/linear/solver_cache.hpp"

#include "device/ranks/ranks.hpp"

#include <algorithm>
#include <utility>

namespace ritz {

void SolverCache::values_changed(bool alike) {
  if (factor_) factor_->current = false;
  for (Hierarchy& each : hierarchies_) each.use.matrix_changed(alike);
}

int SolverCache::patience(const ChosenPreconditioner& used, double digits) const {
  const auto found =
      std::ranges::find_if(hierarchies_, [&](const Hierarchy& each) { return each.preconditioner.get() == &used; });
  return found == hierarchies_.end() ? 0 : found->use.patience(digits);
}

bool SolverCache::judge(const ChosenPreconditioner& used, const std::vector<SolveReport>& reports) {
  const auto found =
      std::ranges::find_if(hierarchies_, [&](const Hierarchy& each) { return each.preconditioner.get() == &used; });
  if (found == hierarchies_.end()) return true;
  // others belong to the matrix they were made of
  return found->use.judge(reports, found->kind == PreconditionerKind::multigrid);
}

SolverCache::Counts SolverCache::Counts::operator+(const Counts& other) const {
  return {analyses + other.analyses, factorisations + other.factorisations, set_ups + other.set_ups,
          refreshes + other.refreshes, used_on + other.used_on};
}

void SolverCache::clear() noexcept {
  factor_.reset();
  hierarchies_.clear();
}

void SolverCache::matrix_replaced() {
  hierarchies_.clear();
  if (factor_) factor_->current = false;
}

void SolverCache::end() {
  if (factor_) factor_->solver->end();
  clear();
}

DirectSolver& SolverCache::direct(DirectInput A, DirectKind kind, const DirectOptions& options) {
  if (factor_ && factor_->kind != kind) factor_.reset();
  if (!factor_) {
    factor_ = Factor{kind, std::make_unique<DirectSolver>(A, kind, options), true};
    ++counts_.analyses;
  } else if (!std::exchange(factor_->current, true)) {
    try {
      factor_->solver->refactorise(A);
      ++counts_.factorisations;
    } catch (const AgreedError&) {
      end();
      throw;
    } catch (...) {
      factor_.reset();
      throw;
    }
  }
  return *factor_->solver;
}

template <class Matrix>
const ChosenPreconditioner& SolverCache::preconditioner(const Matrix& A, PreconditionerKind kind,
                                                        PreconditionerBasis basis,
                                                        const SmoothedAggregationOptions& multigrid) {
  // One with sure bounds serves who does not ask for them, too.
  const auto suits = [&](const Hierarchy& each) {
    return each.kind == kind && each.basis == basis && each.single_precision == multigrid.single_precision &&
           each.half_storage == multigrid.half_storage;
  };
  std::erase_if(hierarchies_,
                [&](const Hierarchy& each) { return suits(each) && multigrid.sure_bounds && !each.sure_bounds; });
  const auto found = std::ranges::find_if(hierarchies_, suits);
  if (found != hierarchies_.end() && found->use.serves()) {
    counts_.used_on += found->use.current() ? 0 : 1;
    return *found->preconditioner;
  }
  if (found != hierarchies_.end()) {
    bool refreshed = false;
    try {
      refreshed = found->use.may_be_refreshed() && found->preconditioner->refresh();
    } catch (...) {
      hierarchies_.erase(found);
      throw;
    }
    if (refreshed) {
      found->use.refreshed();
      ++counts_.refreshes;
      return *found->preconditioner;
    }
    hierarchies_.erase(found);
  }
  // A former matrix was of another kind: what was made of its relatives is of no use to this one.
  std::erase_if(hierarchies_,
                [&](const Hierarchy& each) { return each.kind == kind && each.basis != basis && !each.use.current(); });
  ++counts_.set_ups;
  hierarchies_.push_back({kind, basis, multigrid.single_precision, multigrid.half_storage, multigrid.sure_bounds,
                          std::make_unique<ChosenPreconditioner>(A, kind, basis, multigrid)});
  return *hierarchies_.back().preconditioner;
}

template const ChosenPreconditioner& SolverCache::preconditioner(const SparseMatrix&, PreconditionerKind,
                                                                 PreconditionerBasis,
                                                                 const SmoothedAggregationOptions&);
template const ChosenPreconditioner& SolverCache::preconditioner(const DividedMatrix&, PreconditionerKind,
                                                                 PreconditionerBasis,
                                                                 const SmoothedAggregationOptions&);

bool SolverCache::holds(PreconditionerKind kind) const {
  return std::ranges::any_of(hierarchies_, [&](const Hierarchy& each) { return each.kind == kind; });
}

void SolverCache::put_first(std::vector<MethodChoice>& plan) const {
  if (!last_) return;
  std::ranges::stable_partition(plan, [&](const MethodChoice& choice) {
    return choice.method == last_->method && choice.preconditioner == last_->preconditioner;
  });
}

}  // namespace ritz
