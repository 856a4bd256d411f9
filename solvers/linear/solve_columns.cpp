#include "solvers/linear/solve_columns.hpp"

#include "solvers/algebra/vectors.hpp"

namespace ritz::linear {

int count(const One&) { return 1; }
int count(const Many& columns) { return columns.B.columns(); }

std::vector<double> load_norms(const One& columns) { return {norm2(columns.b)}; }
std::vector<double> load_norms(const Many& columns) { return column_norms(columns.B); }
std::vector<double> energies(const One& columns) { return {dot(columns.x, columns.b)}; }
std::vector<double> energies(const Many& columns) { return column_dots(columns.X, columns.B); }

void clear(const One& columns) { columns.x.fill_zero(); }
void clear(const Many& columns) { columns.X.values().fill_zero(); }

Reports solve(DirectSolver& solver, const One& columns) { return {solver.solve(columns.b, columns.x)}; }
Reports solve(DirectSolver& solver, const Many& columns) { return solver.solve(columns.B, columns.X); }

std::vector<double> residual_norms(const SparseMatrix& A, const One& columns) {
  Vector r(A.device(), A.rows(), "vectors");
  A.apply(columns.x, r);
  axpby(1.0, columns.b, -1.0, r);
  return {norm2(r)};
}
std::vector<double> residual_norms(const SparseMatrix& A, const Many& columns) {
  MultiVector R(A.device(), A.rows(), columns.B.columns());
  A.apply_block(columns.X, R);
  axpby(1.0, columns.B.values(), -1.0, R.values());
  return column_norms(R);
}

void forget_bad_guesses(const One& columns, const Reports& reports) {
  if (!(reports[0].true_relative_residual <= 1)) columns.x.fill_zero();
}
void forget_bad_guesses(const Many& columns, const Reports& reports) {
  Vector zero(columns.X.device(), columns.X.rows(), "vectors");
  zero.fill_zero();
  for (int j = 0; j < columns.X.columns(); ++j)
    if (!(reports[static_cast<std::size_t>(j)].true_relative_residual <= 1)) columns.X.set_column(j, zero);
}

void forget_guesses(const One& columns) {
  if (first_not_finite(columns.x) >= 0) columns.x.fill_zero();
}
void forget_guesses(const Many& columns) { clear(columns); }

void check_sizes(const SparseMatrix& A, const One& columns) {
  if (columns.b.size() != A.rows()) throw_size_mismatch(A.rows(), columns.b.size());
  if (columns.x.size() != A.rows()) throw_size_mismatch(A.rows(), columns.x.size());
}
void check_sizes(const SparseMatrix& A, const Many& columns) {
  check_same_shape(columns.B, columns.X);
  if (columns.B.rows() != A.rows()) throw_size_mismatch(A.rows(), columns.B.rows());
}

const SolveReport& worst(const Reports& reports) {
  const auto found = std::ranges::find_if_not(reports, &SolveReport::converged);
  return found == reports.end() ? reports.front() : *found;
}

Reports continued(const Reports& before, Reports after, const std::string& what) {
  for (std::size_t j = 0; j < after.size(); ++j) {
    if (before[j].converged() && after[j].converged() && after[j].iterations == 0) {
      after[j] = before[j];
      continue;
    }
    after[j].iterations += before[j].iterations;
    std::vector<std::string> fallbacks = before[j].fallbacks;
    if (!what.empty()) fallbacks.push_back(what);
    fallbacks.insert(fallbacks.end(), after[j].fallbacks.begin(), after[j].fallbacks.end());
    after[j].fallbacks = std::move(fallbacks);
  }
  return after;
}

}  // namespace ritz::linear
