// A property of a material: a number, a function of the position, or a table over the temperature.
//
//   MaterialProperty k = TemperatureTable{PiecewiseLinear::through({{20, 50}, {400, 42}})};
//   Coefficient E = at_temperature(property, T, "young", origin);    // where the temperature is known beforehand
#pragma once

#include "fem/forms/piecewise_linear.hpp"
#include "fem/physics/coefficient.hpp"

#include <string>
#include <variant>

namespace ritz {

// A table over the temperature. With `continued` it is constant outside of its rows; else a temperature out there is an
// error.
struct TemperatureTable {
  PiecewiseLinear values;
  bool continued = false;
};

using MaterialProperty = std::variant<Coefficient, TemperatureTable>;

inline const Coefficient* coefficient_in(const MaterialProperty& property) {
  return std::get_if<Coefficient>(&property);
}
inline const TemperatureTable* table_in(const MaterialProperty& property) {
  return std::get_if<TemperatureTable>(&property);
}

// The value of a table at a temperature. Throws Error: Exit::model outside of the rows, with the name of the property
// and its origin, where the table is not continued.
double value_at(const TemperatureTable& table, double temperature, const std::string& name, const std::string& origin);

// The property where the temperature is a given field; it throws as value_at() does when it is evaluated.
Coefficient at_temperature(const MaterialProperty& property, const Coefficient& temperature, const std::string& name,
                           const std::string& origin);

// The linear interpolation of rows over an argument, constant beyond the first and the last of them.
PointExpression between_rows(std::vector<double> arguments, std::vector<double> values, const PointExpression& at);

}  // namespace ritz
