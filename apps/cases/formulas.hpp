// Numbers and formulas of the case file as coefficients of a model.
#pragma once

#include "fem/physics/coefficient.hpp"
#include "io/case/formula.hpp"

#include <vector>

namespace ritz {

inline Coefficient coefficient(const Formula& formula) {
  return formula.is_number() ? Coefficient(formula.number()) : Coefficient(PointFunction(formula));
}

inline std::vector<Coefficient> coefficients(const std::vector<Formula>& formulas) {
  std::vector<Coefficient> result;
  for (const Formula& each : formulas) result.push_back(coefficient(each));
  return result;
}

}  // namespace ritz
