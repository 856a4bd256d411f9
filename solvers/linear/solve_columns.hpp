// Right-hand sides and where their solutions go, one or several at once, and what solve_linear() asks of either:
// internal to it.
#pragma once

#include "solvers/algebra/multi_vector.hpp"
#include "solvers/algebra/solve_report.hpp"
#include "solvers/direct/direct_solver.hpp"

#include <algorithm>
#include <concepts>
#include <vector>

namespace ritz::linear {

using Reports = std::vector<SolveReport>;  // [column]

// Right-hand sides and where their solutions go: one, or several that are solved together.
struct One {
  const Vector& b;
  Vector& x;
};
struct Many {
  const MultiVector& B;
  MultiVector& X;
};
template <class T>
concept Columns = std::same_as<T, One> || std::same_as<T, Many>;

int count(const One& columns);
int count(const Many& columns);
void check_sizes(const SparseMatrix& A, const One& columns);
void check_sizes(const SparseMatrix& A, const Many& columns);
std::vector<double> load_norms(const One& columns);
std::vector<double> load_norms(const Many& columns);
std::vector<double> energies(const One& columns);  // x.b of each
std::vector<double> energies(const Many& columns);
std::vector<double> residual_norms(const SparseMatrix& A, const One& columns);  // ||b - A x|| of each
std::vector<double> residual_norms(const SparseMatrix& A, const Many& columns);
Reports solve(DirectSolver& solver, const One& columns);
Reports solve(DirectSolver& solver, const Many& columns);

void clear(const One& columns);
void clear(const Many& columns);
// A guess that is worse than none would cost the digits by which it is too large.
void forget_bad_guesses(const One& columns, const Reports& reports);
void forget_bad_guesses(const Many& columns, const Reports& reports);
// Whatever an iteration had got to when memory ran out.
void forget_guesses(const One& columns);
void forget_guesses(const Many& columns);

inline bool all_converged(const Reports& reports) { return std::ranges::all_of(reports, &SolveReport::converged); }
// The one that speaks for all: the first that has not converged.
const SolveReport& worst(const Reports& reports);
// Columns that had converged keep their reports; the others carry over what they have cost, and why they were tried
// again.
Reports continued(const Reports& before, Reports after, const std::string& what);

}  // namespace ritz::linear
