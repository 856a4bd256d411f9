#include "fem/analysis/system_cache.hpp"

#include <algorithm>

namespace ritz {

void SystemCache::clear() noexcept {
  counts_ = solver();
  system_.reset();
  equations_ = nullptr;
  current_ = false;
}

SolverCache::Counts SystemCache::solver() const { return system_ ? counts_ + system_->counts() : counts_; }

bool SystemCache::refill(const Operator& equations, const Constraints& constraints,
                         const LinearSolverOptions& options) {
  if (equations_ != &equations || !system_) {
    clear();
    system_.emplace(equations, options, LinearSystem::Keeps::solver_and_solutions);
  }
  current_ = false;
  return mask_ == constraints.host_mask() && dependent_ == constraints.dependent_rows();
}

bool SystemCache::fits(const Operator& equations, const Constraints& constraints) const {
  // A matrix that varies in time has been assembled at a time that nobody remembers here.
  return current_ && !equations.facts().matrix_varies_in_time && equations_ == &equations &&
         mask_ == constraints.host_mask() && dependent_ == constraints.dependent_rows() &&
         std::ranges::equal(numbers_, equations.integrals(), [](const Integral& a, const Integral& b) {
           return a.form.has_matrix == b.form.has_matrix &&
                  (!a.form.has_matrix || (a.same_place(b) && a.factor == b.factor && same_numbers(a.form, b.form)));
         });
}

void SystemCache::keep(const Operator& equations, const Constraints& constraints) {
  equations_ = &equations;
  numbers_ = equations.integrals();
  mask_ = constraints.host_mask();
  dependent_ = constraints.dependent_rows();
  current_ = true;
  ++matrices_;
}

}  // namespace ritz
