// A linear system of equations that the ranks of a job solve together: nodes are cut along the curve that numbers them,
// each rank assembles the rows of its nodes from all cells around them, and conjugate gradients go over the ranks. The
// first rank has the right-hand side and gets the solution; what follows from it is its own work, as of one process.
//
//   DividedSystem system(space, integrals, constraints, options, ranks);      // all ranks, with the same model
//   system.solve(&b, &x);                                                     // the first rank
//   system.solve(nullptr, nullptr);                                           // the others, which need no model now
#pragma once

#include "device/ranks/ranks.hpp"
#include "fem/space/constraints.hpp"
#include "fem/operator/integral.hpp"
#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/linear/linear_solver_options.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

// Throws Error(Exit::environment): several ranks do not solve `what` together.
[[noreturn]] void refuse_ranks(const Ranks& ranks, const std::string& what, const std::string& fix);

class DividedSystem {
 public:
  // The tangent at zero: of linear equations. Constraints are prescribed values, finished. Throws
  // Error(Exit::environment) for what is not divided: a device apart from the host, more ranks than nodes, dependent
  // unknowns, a method that is not conjugate gradients.
  DividedSystem(const FunctionSpace& space, const std::vector<Integral>& integrals, const Constraints& constraints,
                const LinearSolverOptions& options, Ranks& ranks);

  // b, x: [unknown of the whole space], on the first rank alone; x begins at zero. The report is that of all ranks.
  SolveReport solve(const Vector* b, Vector* x);

 private:
  void assemble(const FunctionSpace& space, const std::vector<Integral>& integrals, const Constraints& constraints);
  std::unique_ptr<LinearOperator> preconditioner(bool single_precision) const;
  Vector dealt(const Vector* b) const;
  void collect(const Vector& mine, Vector* x) const;
  void tell(Index cells) const;  // what each rank has
  void tell_exchanges() const;   // what the first rank sent

  Ranks& ranks_;
  LinearSolverOptions options_;
  int dimension_;
  Vector coordinates_;  // of owned nodes
  std::unique_ptr<DividedMatrix> A_;
};

}  // namespace ritz
