// The part of a load that nothing but a gauge holds: of a magnetic vector potential on edges of order 1, what a current
// does on gradients, which has no counterpart in curls. Private to fem/analysis.
//
//   if (may_need_gauge(equations)) axpy(-1.0, gauge_of(equations, supports, b).left_out, b);
#pragma once

#include "fem/operator/equations.hpp"
#include "fem/space/supports.hpp"

#include <string>

namespace ritz {

struct Gauge {
  bool is_free = false;  // the matrix maps gradients to zero
  Vector left_out = {};  // of the right-hand side: a small part, of rounding and of curved conductors; empty: nothing
  std::string notice = {};
};

bool may_need_gauge(const Equations& equations);  // one field of edges of order 1

// b: right-hand side of the free unknowns, of the whole model, as are the others. Throws Error: Exit::model where more
// than a small part works on gradients, and no more than a gauge holds these; Error: Exit::input for equations between
// unknowns.
Gauge gauge_of(const Equations& equations, const Supports& supports, const Vector& b);

}  // namespace ritz
