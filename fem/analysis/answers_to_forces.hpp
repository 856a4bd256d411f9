// Static answers of a body to forces, and products with its masses: of one field (StaticAnswers) or of several
// (AnswersOfFields). Private to fem/analysis.
#pragma once

#include "fem/space/supports.hpp"
#include "solvers/algebra/solve_report.hpp"

namespace ritz {

class AnswersToForces {
 public:
  virtual ~AnswersToForces() = default;
  virtual Vector zeros() const = 0;
  virtual const Vector& mass_times(const Vector& x) = 0;  // valid until the next one
  Vector free_part(const Vector& f) const;                // with what dependent unknowns pass on; 0 where it is held
  Vector to(const Vector& f);                             // u with K u = f

 private:
  virtual const Supports& supports() const = 0;
  virtual SolveReport solve(const Vector& b, Vector& x) = 0;  // of free unknowns
};

}  // namespace ritz
