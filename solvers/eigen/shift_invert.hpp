// (K - shift M)^-1 by a direct factor, and what its inertia counts: by Sylvester's law the factor has one negative
// pivot for each eigenvalue of K x = lambda M x below the shift (Parlett, The Symmetric Eigenvalue Problem, 1998,
// section 3.3). One analysis serves all shifts, and there is one factor at a time. Attached motions enter by Woodbury's
// formula (solvers/eigen/woodbury.hpp), with D = stiffness - shift mass of those where it is not zero. Negative
// eigenvalues of A + U D U^T: those of A and of -N, less those of -D^-1 (Haynsworth 1968).
#pragma once

#include "solvers/direct/direct_solver.hpp"
#include "solvers/eigen/attached_motions.hpp"
#include "solvers/eigen/eigen_solver.hpp"
#include "solvers/eigen/woodbury.hpp"
#include "solvers/linear/linear_solver.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace ritz {

class ShiftInvert {
 public:
  // All of it outlives this.
  ShiftInvert(const ShiftedMatrix& shifted, const SolverGeometry& geometry, const AttachedMotions& motions);

  // Factorises. A shift that hits an eigenvalue is moved by a little; at zero that is an Error: Exit::model: K is
  // singular.
  void move_to(double shift);
  double shift() const { return shift_; }
  Index count_below() const;  // Error: Exit::environment when no library says
  void apply(const MultiVector& X, MultiVector& Y);
  void end() {  // DirectSolver::end()
    if (solver_) solver_->end();
  }
  const std::string& name() const { return solver_->name(); }
  int factorisations() const { return factorisations_; }
  // by the factor, as its analysis foresaw
  Index memory_needed() const { return solver_ == nullptr ? 0 : solver_->memory_needed(); }

 private:
  void attach();
  const ShiftedMatrix& shifted_;
  const AttachedMotions& motions_;
  DirectOptions options_;
  std::unique_ptr<DirectSolver> solver_;
  double shift_ = 0;
  int factorisations_ = 0;
  std::optional<Woodbury> woodbury_;  // of the motions that take part
  int negative_ = 0;                  // eigenvalues of -N, less those of -D^-1
};

}  // namespace ritz
