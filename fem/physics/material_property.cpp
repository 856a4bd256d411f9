#include "fem/physics/material_property.hpp"

#include "device/error.hpp"
#include "fem/physics/place.hpp"

#include <fmt/format.h>

namespace ritz {

double value_at(const TemperatureTable& table, double temperature, const std::string& name, const std::string& origin) {
  const PiecewiseLinear& rows = table.values;
  if (!table.continued && !(temperature >= rows.lowest() && temperature <= rows.highest()))
    throw Error(ErrorKind::formula_value,
                fmt::format("the temperature {:g} lies outside of the table of '{}'", temperature, name),
                fmt::format("its rows go from {:g} to {:g}", rows.lowest(), rows.highest()),
                "add rows, or say outside = \"constant\" in its [[table]]")
        .at(origin);
  return rows.value(temperature);
}

Coefficient at_temperature(const MaterialProperty& property, const Coefficient& temperature, const std::string& name,
                           const std::string& origin) {
  if (const Coefficient* given = coefficient_in(property)) return *given;
  const TemperatureTable& table = *table_in(property);
  if (temperature.is_number()) return value_at(table, temperature.number(), name, origin);
  PointExpression at = temperature.expression();
  if (!table.continued)
    at = at.limited({.minimum = table.values.lowest(), .maximum = table.values.highest()},
                    [table, name, origin](double value, const auto&, double, const auto&) {
                      value_at(table, value, name, origin);
                    });
  std::vector<double> arguments, values;
  for (int i = 0; i < table.values.rows; ++i) {
    arguments.push_back(table.values.argument[i]);
    values.push_back(table.values.value(arguments.back()));
  }
  return between_rows(std::move(arguments), std::move(values), at);
}

PointExpression between_rows(std::vector<double> arguments, std::vector<double> values, const PointExpression& at) {
  TableValues table{.axes = {std::move(arguments)}, .values = std::move(values), .continued = true};
  return PointExpression::table(std::make_shared<const TableValues>(std::move(table)), {at});
}

}  // namespace ritz
