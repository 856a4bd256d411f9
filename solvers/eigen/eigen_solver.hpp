// The lowest eigenvalues of K x = lambda M x, or those in a band, with their vectors: K symmetric and positive
// semidefinite, M symmetric and positive definite where it is not empty. Vibration (lambda = omega^2), buckling of
// diffusion, tests of operators. Two methods:
//
// - lanczos: shift-invert block Lanczos with the direct solver. The inertia of a factor counts the eigenvalues below a
//   number (Sylvester), so that none is missed: the answer is verified.
// - lobpcg: locally optimal block preconditioned conjugate gradients with multigrid, for models too large to factorise.
//   Nothing counts the eigenvalues there.
//
//   EigenSolution modes = solve_eigen(K, M, {.count = 20}, {&space.coordinates(), 3});   modes.values[0], modes.vectors
//
// LOBPCG takes operators without matrices, too, with a preconditioner of the caller's: solve_by_lobpcg. Lanczos takes
// any matrix that a DirectSolver takes, also over ranks: solve_by_lanczos.
//
// Prescribed unknowns: K.eliminate(mask, pivot) and M.eliminate(mask, 0). Rows without mass carry infinite eigenvalues,
// which neither method sees: all vectors stay in the range of K^-1 M, and a positive pivot never counts as negative.
#pragma once

#include "device/function_ref.hpp"
#include "device/message_sink.hpp"
#include "device/function_ref.hpp"
#include "solvers/algebra/layout.hpp"
#include "solvers/algebra/multi_vector.hpp"
#include "solvers/direct/direct_input.hpp"
#include "solvers/eigen/attached_motions.hpp"
#include "solvers/linear/linear_solver.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

class Ranks;  // device/ranks/ranks.hpp

enum class EigenMethod { automatic, lanczos, lobpcg };
const char* name_of(EigenMethod method);

struct EigenBand {
  double low, high;  // all eigenvalues of low <= lambda <= high
};

struct EigenOptions {
  int count = 10;                      // lowest eigenvalues, each as often as its multiplicity; not used with a band
  std::optional<EigenBand> band = {};  // lanczos only
  double relative = 1e-6;              // of the residual, see EigenSolution::residuals
  EigenMethod method = EigenMethod::automatic;
  // Products of lobpcg: with matrices, or with elements, for which the caller has operators (solve_by_lobpcg).
  OperatorKind operator_kind = OperatorKind::automatic;
  int max_iterations = 500;  // of lobpcg; blocks of eight solves of lanczos
  int zero_count = 0;        // eigenvalues known to be zero (rigid motions): K alone is then singular
  // A negative number below all eigenvalues: K may be indefinite. Lanczos factorises K - below M first, and the
  // preconditioner of LOBPCG takes -below.
  std::optional<double> below = {};
  bool verify = true;                         // lanczos: one more factorisation that counts
  SmoothedAggregationOptions multigrid = {};  // coordinates and dimension are filled in
  Ranks* ranks = nullptr;                     // that solve together
  MessageSink say = {};                       // what these have, and send
};

struct EigenSolution {
  std::vector<double> values;          // ascending
  std::optional<MultiVector> vectors;  // column j belongs to values[j]: X^T M X = I; none: no eigenvalue in the band
  Layout layout = {};                  // of these over ranks, each of which has its unknowns
  // ||K x - lambda M x|| / (max(|lambda|, reference) ||M x||); an eigenvalue lies within about its square, relative to
  // the gap to its neighbours.
  std::vector<double> residuals;
  std::vector<double> rounding;                // the same quotient for what rounding alone does to K x
  double reference = 0;                        // scale of zero eigenvalues; 0 when K is positive definite
  std::string method, preconditioner, choice;  // choice: why this method
  std::string verification;  // "3 factors: 20 eigenvalues below 1.2e6, 20 found", or why there is none
  bool verified = false;
  Index counted = 0;  // eigenvalues below counted_to, where a factor counted them
  double counted_to = 0;
  std::vector<std::string> fallbacks = {};  // for want of memory
  int iterations = 0, factorisations = 0;
  Index factor_foreseen = 0;  // [bytes] that the analysis of the factor predicted
  StopReason reason = StopReason::iteration_limit;
  bool converged() const { return reason == StopReason::converged; }
  // A column with all unknowns; over ranks all of them call it.
  Vector vector(std::size_t column) const;
};

// Stops with the reason in the solution when not all requested eigenvalues converged; `values` then holds those that
// did. A residual counts as converged when it is below `relative` or at the level of rounding. Throws Error:
// Exit::input: count < 1, more eigenvalues than unknowns with mass, a band that is empty or needs lanczos; Exit::model:
// no mass, or a matrix that is not finite; and the errors of DirectSolver if it was requested by name.
// With motions that springs hold, lanczos only.
EigenSolution solve_eigen(const SparseMatrix& K, const SparseMatrix& M, const EigenOptions& options,
                          const SolverGeometry& geometry = {}, const AttachedMotions& motions = {});
// The same of matrices whose rows are divided among ranks, which call it together: `automatic` factorises only where it
// must. Where a rank has no room for multigrid, all take Chebyshev's polynomial.
EigenSolution solve_eigen(const DividedMatrix& K, const DividedMatrix& M, const EigenOptions& options,
                          const SolverGeometry& geometry = {}, const AttachedMotions& motions = {});

// A cycle that a rank predicts to need memory. One that lacks it in the midst of the set-up would end the job.
struct CycleOnRanks {
  const char *what, *from;  // for messages
  Index plenty;             // [bytes] available beyond which nothing is predicted
  FunctionRef<Index()> needed;
};
// Multigrid where every rank predicts the room for it, else what all take in its place.
PreconditionerKind preconditioner_in_room(Ranks& ranks, const Device& device, const CycleOnRanks& cycle,
                                          const EigenOptions& options, std::vector<std::string>& fallbacks);

// K and M by what they do to vectors.
struct EigenOperators {
  const LinearOperator& K;
  const LinearOperator& M;
  Vector stiffness, mass;  // their diagonals
  int block = 1;           // unknowns of a node
  bool in_lanes = false;   // products of eight vectors cost hardly more than those of one, as with matrices
  const AttachedMotions* motions = nullptr;  // that K and M have; forces that hold them are no residual
};
// Makes an approximation of (K + shift M)^-1, symmetric and positive definite. The one before is gone.
using ShiftedPreconditioner = FunctionRef<std::unique_ptr<LinearOperator>(double shift)>;
// The lowest eigenvalues by LOBPCG; options.method and options.multigrid are not used. Throws as solve_eigen does.
EigenSolution solve_by_lobpcg(EigenOperators operators, const EigenOptions& options, int dimension,
                              const ShiftedPreconditioner& preconditioner);

// Makes K - shift M, without the motions. The one before is gone.
using ShiftedMatrix = std::function<DirectInput(double shift)>;
// The lowest eigenvalues or those of a band by Lanczos; options.method and options.multigrid are not used. Throws as
// solve_eigen does. K and M of the operators have no motions in them.
EigenSolution solve_by_lanczos(EigenOperators operators, const EigenOptions& options, const SolverGeometry& geometry,
                               const AttachedMotions& motions, const ShiftedMatrix& shifted);

// The method that `automatic` takes, with the reason in a sentence.
struct EigenChoice {
  EigenMethod method;
  std::string why;
};
EigenChoice choose_method(Index unknowns, const EigenOptions& options, int dimension, bool springs = false);

}  // namespace ritz
