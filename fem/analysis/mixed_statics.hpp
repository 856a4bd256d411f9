// Linear equations of several fields in balance: saddle points, too. Their system is that of
// fem/preconditioners/fields_system.hpp.
//
//   const MixedSolution s = solve(equations, supports, options);   equations.layout().part(s.u, 0);
//   FieldsStatics statics(equations, supports, options);           // several right-hand sides
//   const MixedSolution first = statics.solve(supports, &loads), second = statics.solve(others);
#pragma once

#include "fem/operator/mixed_operator.hpp"
#include "fem/space/fields_constraints.hpp"
#include "fem/ranks/fields_of_rank.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <memory>
#include <span>
#include <string>

namespace ritz {

struct MixedSolution {
  Vector u, reaction;   // of all fields; the reaction is what supports and equations exert, and zero elsewhere
  double residual = 0;  // of the free unknowns, relative to what loads and prescribed values ask for at u = 0
  SolveReport report;
  std::string notice = {};  // a part of the load that was left out; empty: none was
};

// Supports are finished. The method is that of FieldsSystem. Throws
// Error: Exit::model for equations that are nonlinear, where the matrix is singular, and for loads on edges that are
// not free of divergence where no more than a gauge holds gradients; Error: Exit::input for other methods, for fields
// without a preconditioner, and for equations between unknowns of edges alone; Error: Exit::not_converged, and what
// DirectSolver throws.
MixedSolution solve(const MixedOperator& equations, const FieldsConstraints& supports,
                    const LinearSolverOptions& options = {});

// Several right-hand sides of one matrix, whose factor or preconditioner stays.
class FieldsStatics {
 public:
  // rank: of these equations and supports, where every rank runs the program: vectors of solutions have the unknowns
  // that it owns; null: one process.
  FieldsStatics(const MixedOperator& equations, const FieldsConstraints& supports, LinearSolverOptions options,
                FieldsOfRank* rank = nullptr);
  ~FieldsStatics();

  // values: of the same unknowns as the supports, of the whole mesh, as are loads. loads: forms that act beside the
  // equations; null: none. Throws as above.
  MixedSolution solve(const FieldsConstraints& values, const MixedOperator* loads = nullptr);
  // The sum of solutions with these factors, of their loads and of the equations' own once: certified by its own
  // residual, and solved for once more where the solutions cancel.
  struct Term {
    double factor;
    const MixedSolution* solution;
    const FieldsConstraints* values;
    const MixedOperator* loads;
  };
  MixedSolution sum(const MixedSolution& common, std::span<const Term> terms);

 private:
  class Work;
  friend MixedSolution solve(const FieldsOfRank& rank, const LinearSolverOptions& options);
  const FieldsConstraints& own(const FieldsConstraints& values);  // with these values; of the part of this rank

  MixedOperator equations_;
  FieldsConstraints supports_;
  FieldsOfRank* const rank_;  // null: one process
  std::unique_ptr<Work> work_;
};

// The same where every rank runs the program: all ranks call it together. Vectors hold the unknowns that the rank owns;
// FieldsOfRank gathers them.
MixedSolution solve(const FieldsOfRank& rank, const LinearSolverOptions& options = {});

enum class MixedPath { direct, iterative };
// The path that `automatic` tries first.
MixedPath first_path(const MixedOperator& equations, const LinearSolverOptions& options);

}  // namespace ritz
