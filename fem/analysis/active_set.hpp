// Constraints that open and close between two iterations of Newton's method: stops and gaps (LinearEquations::at_most).
// Newton's method asks before each step which are closed; the tangent, its hierarchy and the residual follow, and a
// solution is one of which no constraint changes any more. Closed ones are equations like others, exactly kept.
//
// A closed constraint opens where its force pulls; an open one closes where the solution goes beyond it: the
// primal-dual active set method, which is Newton's on the conditions of complementarity (Hintermueller, Ito and
// Kunisch, SIAM J. Optim. 13, 2002). All of them at once may go round in a circle. Where several such changes leave no
// fewer wrong constraints than before, one changes at a time, once the others are in balance, which ends in linear
// models (Judice and Pires, Computers & Operations Research 21, 1994).
#pragma once

#include "fem/space/supports.hpp"

#include <string>

namespace ritz {

class ActiveSet {
 public:
  virtual ~ActiveSet() = default;

  virtual const Supports& supports() const = 0;     // with the constraints that are closed
  virtual const Supports& constraints() const = 0;  // the same for TangentSystem::hold()
  virtual void begin() = 0;                         // of an increment
  // The residual is that at u of all unknowns. in_balance: u is the solution with the constraints that are closed.
  // Returns what changed, for messages; empty: nothing did.
  virtual std::string update(const Vector& u, const Vector& residual, bool in_balance) = 0;
  virtual bool waits_for_balance() const = 0;  // the last update() would have changed one

  // [constraint] 1: closed; for checkpoints and to begin an increment again.
  virtual const std::vector<std::uint8_t>& closed() const = 0;
  virtual void set_closed(const std::vector<std::uint8_t>& closed) = 0;
};

}  // namespace ritz
