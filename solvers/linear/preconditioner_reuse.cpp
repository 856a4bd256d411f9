#include "solvers/linear/preconditioner_reuse.hpp"

#include <algorithm>
#include <cmath>

namespace ritz {
namespace {

// Digits that the slowest column gained per iteration; 0: too few to measure.
double digits_of(const std::vector<SolveReport>& reports) {
  double least = 0;
  for (const SolveReport& report : reports) {
    if (report.history.size() < 3 || !(report.history.back() > 0)) continue;
    const double digits =
        std::log10(report.history.front() / report.history.back()) / double(report.history.size() - 1);
    least = least == 0 ? digits : std::min(least, digits);
  }
  return least;
}

// Making a hierarchy again costs as much as five to ten iterations.
constexpr double good_enough = 0.6;

}  // namespace

void PreconditionerReuse::matrix_changed(bool alike) {
  current_ = false;
  may_serve_ = may_serve_ && alike;
}

int PreconditionerReuse::patience(double digits) const {
  if (current_) return 0;
  return digits_ > 0 ? static_cast<int>(std::min(1e6, 10 + 2 * digits / digits_)) : 50;
}

bool PreconditionerReuse::judge(const std::vector<SolveReport>& reports, bool may_serve_others) {
  const bool converged = std::ranges::all_of(reports, &SolveReport::converged);
  const double digits = digits_of(reports);
  outgrown_ = refreshed_ && std::ranges::any_of(reports, [](const SolveReport& report) {
                return report.reason == StopReason::indefinite_preconditioner;
              });
  if (outgrown_) return current_ = may_serve_ = refreshed_ = false;
  if (current_) {
    if (digits > 0) digits_ = digits;
    may_serve_ = converged && may_serve_others;
    return true;
  }
  may_serve_ = converged && (digits == 0 || digits >= good_enough * digits_);
  return converged;
}

}  // namespace ritz
