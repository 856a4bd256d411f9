// Numbers and formulas of the case file as coefficients of a model.
#pragma once

#include "fem/physics/material_property.hpp"
#include "io/case/case.hpp"

#include <fmt/format.h>
#include <vector>

namespace ritz {

inline Coefficient coefficient(const Formula& formula) {
  return formula.is_number() ? Coefficient(formula.number()) : Coefficient(PointFunction(formula.expression()));
}

inline std::vector<Coefficient> coefficients(const std::vector<Formula>& formulas) {
  std::vector<Coefficient> result;
  for (const Formula& each : formulas) result.push_back(coefficient(each));
  return result;
}

// A mass, or a capacity, that changed in time would bring in or take away what it holds. Errors are added to the case.
inline Coefficient constant_in_time(const Case::Table& t, const char* key, const Formula& value) {
  if (value.depends_on_time())
    t.error(ErrorKind::wrong_value, key, fmt::format("'{}' depends on t", value.text()),
            "a body keeps its mass and what it stores",
            "give a number, or a formula of the position; a specific heat may be a [[table]] over T");
  return coefficient(value);
}

// The value of `property` of the table; errors are added to the case.
inline MaterialProperty property_of(const Case::Table& t, const char* key, const CaseProperty& given) {
  if (!given.table) return coefficient(given.formula);
  try {
    return TemperatureTable{PiecewiseLinear::through(given.table->rows), given.table->continued};
  } catch (const Error& error) { t.error(key, error); }
  return Coefficient(1);
}

}  // namespace ritz
