// When something is evaluated: loads, coefficients and materials may depend on it.
#pragma once

namespace ritz {

struct Time {
  double t = 0;   // [s], or whatever unit the rates have: the end of the step
  double dt = 0;  // length of the step that ends at t; 0 in analyses without time
};

}  // namespace ritz
