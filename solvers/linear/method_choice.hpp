// Which method `automatic` takes, and which it falls back to: from size, symmetry, definiteness and memory. The
// constants come from the table of `ritz-bench --only auto-table` (docs/solvers.md).
//
//   choose_method({.unknowns = 200000, .nonzeros = 14000000, .dimension = 3}, traits, options).why
#pragma once

#include "solvers/algebra/solve_report.hpp"
#include "solvers/direct/direct_factor.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace ritz {

struct SystemSize {
  Index unknowns = 0, nonzeros = 0;  // scalar
  int dimension = 0;                 // of the mesh; 0: not known
  int block = 1;                     // unknowns per node
  std::array<double, 3> extent{};    // of the box around the nodes; zeros: not known, taken as a cube
  int columns = 1;                   // right-hand sides
};

// Seconds of one core of an AMD EPYC (Zen 5), from the table of `ritz-bench --only auto-table`; only their ratios
// count.
double predicted_factorisation(const SystemSize& size, bool symmetric);
// Multiplications of it, in the limit of many unknowns: nested dissection halves the box across its longest side until
// few nodes are left, and eliminates each cut with the faces that its piece shares with others (George and Liu 1981,
// ch. 8). A slender body has short cuts, a thin one those of a plane. Counts 1.4 times those of MUMPS for blocks of
// linear tetrahedra.
double dissection_operations(const SystemSize& size);
// set-up and conjugate gradients for all columns, where it works well
double predicted_multigrid(const SystemSize& size);

// May the trial with the diagonal converge, by the size alone? Of a system for which not, only a mass or a reaction
// that dominates would make it.
bool diagonal_may_be_enough(const SystemSize& size);

// Returns whether a factorisation is predicted to be faster than the rest of an iteration that takes so many seconds
// per step. Empty if it would take minutes: then the iteration continues.
IterationVerdict slower_than_factorising(const SystemSize& size, double iteration, double relative);

struct MethodChoice {
  LinearMethod method;
  PreconditionerKind preconditioner;
  std::string why;                // a sentence
  int max_iterations = 0;         // 0: as the options say; else those after which the next method is the better bet
  double operations_limit = 0;    // of a factorisation; 0: none
  IterationVerdict give_up = {};  // when the next method is the better bet; empty: never
  bool trial = false;             // may be given up without being called a failure
  bool after_refusal = false;     // only where the matrix cannot have the preconditioner before
};

// In the order of trying; a method that the user named is the only one.
std::vector<MethodChoice> plan_methods(const SystemSize& size, const MatrixTraits& traits,
                                       const LinearSolverOptions& options);
inline MethodChoice choose_method(const SystemSize& size, const MatrixTraits& traits,
                                  const LinearSolverOptions& options) {
  return plan_methods(size, traits, options).front();
}

// Is another method worth a try after these solutions of the columns? It helps against everything but wrong numbers,
// and a promise that was broken.
bool may_go_on(std::span<const SolveReport> reports, MatrixPromise promise);
bool found_indefinite(std::span<const SolveReport> reports);
std::string failure_of(const SolveReport& report);  // for the list of fallbacks

DirectKind direct_kind(bool symmetric, MatrixPromise promise);

}  // namespace ritz
