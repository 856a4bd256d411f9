#include "solvers/linear/columns.hpp"

#include "solvers/algebra/vectors.hpp"

#include <algorithm>

namespace ritz {

void Columns::check_sizes(const LinearOperator& A) const {
  if (together()) {
    check_same_shape(*B_, *X_);
    if (B_->rows() != A.rows()) throw_size_mismatch(A.rows(), B_->rows());
    return;
  }
  if (b_->size() != A.rows()) throw_size_mismatch(A.rows(), b_->size());
  if (x_->size() != A.rows()) throw_size_mismatch(A.rows(), x_->size());
}

std::vector<double> Columns::load_norms() const {
  return together() ? column_norms(*B_) : std::vector<double>{norm2(*b_)};
}

std::vector<double> Columns::energies() const {
  return together() ? column_dots(*X_, *B_) : std::vector<double>{dot(*x_, *b_)};
}

std::vector<double> Columns::residual_norms(const LinearOperator& A) const {
  if (together()) {
    MultiVector R(A.device(), A.rows(), B_->columns());
    A.apply_block(*X_, R);
    axpby(1.0, B_->values(), -1.0, R.values());
    return column_norms(R);
  }
  Vector r(A.device(), A.rows(), "vectors");
  A.apply(*x_, r);
  axpby(1.0, *b_, -1.0, r);
  return {norm2(r)};
}

void Columns::clear() const {
  if (together()) X_->values().fill_zero();
  else x_->fill_zero();
}

void Columns::forget_bad_guesses(const Reports& reports) const {
  const auto bad = [](const SolveReport& report) { return !(report.true_relative_residual <= 1); };
  if (!together()) {
    if (bad(reports[0])) x_->fill_zero();
    return;
  }
  Vector zero(X_->device(), X_->rows(), "vectors");
  zero.fill_zero();
  for (int j = 0; j < X_->columns(); ++j)
    if (bad(reports[static_cast<std::size_t>(j)])) X_->set_column(j, zero);
}

void Columns::forget_guesses() const {
  if (together() || first_not_finite(*x_) >= 0) clear();
}

bool all_converged(const Reports& reports) { return std::ranges::all_of(reports, &SolveReport::converged); }

const SolveReport& worst(const Reports& reports) {
  const auto found = std::ranges::find_if_not(reports, &SolveReport::converged);
  return found == reports.end() ? reports.front() : *found;
}

Reports continued(const Reports& before, Reports after, const std::string& why) {
  for (std::size_t j = 0; j < after.size(); ++j) {
    if (before[j].converged() && after[j].converged() && after[j].iterations == 0) {
      after[j] = before[j];
      continue;
    }
    after[j].iterations += before[j].iterations;
    std::vector<std::string> fallbacks = before[j].fallbacks;
    if (!why.empty()) fallbacks.push_back(why);
    fallbacks.insert(fallbacks.end(), after[j].fallbacks.begin(), after[j].fallbacks.end());
    after[j].fallbacks = std::move(fallbacks);
  }
  return after;
}

}  // namespace ritz
