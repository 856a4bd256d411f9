// y = A x, whatever A is: a matrix, a preconditioner, a matrix-free operator. The one abstract base of the solvers.
#pragma once

#include "device/array.hpp"

namespace ritz {

class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  virtual const Device& device() const = 0;
  virtual Index rows() const = 0;                                 // number of scalar unknowns
  virtual Index columns() const { return rows(); }
  virtual void apply(const Vector& x, Vector& y) const = 0;       // y = A x; x and y differ
};

}  // namespace ritz
