// The share of one rank in a linear system that ranks solve together: its part of the space, the rows of its nodes, and
// what preconditions them. All ranks make theirs and call each function together.
//
//   RankSystem system(std::move(part), device, options, ranks, questions);
//   system.assemble(tangent, u);   SolveReport report = system.solve(b, x, {.relative = 1e-8});
#pragma once

#include "device/ranks/ranks.hpp"
#include "fem/analysis/linear_system.hpp"
#include "fem/analysis/space_part.hpp"
#include "solvers/algebra/divided_matrix.hpp"
#include "solvers/linear/linear_solver_options.hpp"
#include "solvers/multigrid/divided_nesting.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ritz {

// The equations at the time that the tangent is of.
struct TangentPlace {
  Time time = {};
  std::vector<double> factors = {};  // [integral among all]
  bool at_zero = true;               // of equations that are linear, or begin there
};

Index replicated_unknowns();  // of levels of multigrid that every rank has

class RankSystem {
 public:
  RankSystem(PartData part, const Device& device, const LinearSolverOptions& options, Ranks& ranks);

  Index owned() const { return ghosts_->owned(); }  // nodes
  int components() const { return part_.space().components(); }
  const std::vector<Index>& first() const { return ghosts_->first(); }  // [rank + 1] nodes

  // u: [owned node][component], empty at zero. `evaluated` is called when all functions have been evaluated, before
  // long work.
  void assemble(const TangentPlace& place, std::span<const double> u, const std::function<void()>& evaluated);

  // Nested levels of the part, before the first solution.
  void set_nesting(DividedNesting nesting) { nesting_ = std::move(nesting); }

  // b, x [owned node][component], from x. The report is that of all ranks.
  SolveReport solve(const Vector& b, Vector& x, const LinearTolerance& tolerance);

  std::string description() const;  // what each rank has
  std::string exchanges() const;    // what this rank has sent
  std::string memory() const;       // of arrays on each rank, at their peaks
  std::string seconds() const;      // of each rank in its phases so far
  const Device& device() const { return part_.space().device(); }

 private:
  SparseMatrix part_matrix(const TangentPlace& at, const Vector& point, const std::function<void()>& evaluated);
  std::unique_ptr<LinearOperator> preconditioner(bool single_precision) const;

  Ranks& ranks_;
  LinearSolverOptions options_;
  SpacePart part_;
  Constraints held_;
  Operator equations_;
  std::shared_ptr<const Ghosts> ghosts_;
  DividedNesting nesting_;
  std::unique_ptr<DividedMatrix> A_;
  std::unique_ptr<LinearOperator> M_;  // of A_, once it was needed
  bool single_;                        // is it in single precision?
};

}  // namespace ritz
