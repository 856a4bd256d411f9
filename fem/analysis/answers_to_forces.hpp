// Static answers of a body to forces, and products with its masses: of one field (StaticAnswers) or of several
// (AnswersOfFields). Private to fem/analysis.
#pragma once

#include "device/array.hpp"

namespace ritz {

class AnswersToForces {
 public:
  virtual ~AnswersToForces() = default;
  virtual const Vector& mass_times(const Vector& x) = 0;  // valid until the next one
  virtual Vector to(const Vector& f) = 0;                 // u with K u = f
  virtual Vector free_part(const Vector& f) = 0;          // with what followers pass on; 0 where it is held
};

}  // namespace ritz
