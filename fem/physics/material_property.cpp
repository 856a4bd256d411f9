#include "fem/physics/material_property.hpp"

#include "device/error.hpp"
#include "fem/physics/place.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

struct Combined {
  std::vector<Coefficient> parts;
  std::function<double(std::span<const double>)> function;

  bool depends_on_time() const { return std::ranges::any_of(parts, &Coefficient::varies_in_time); }
  void operator()(const EvaluationPoints& points, double t, std::span<double> values) const {
    const std::size_t count = values.size(), size = parts.size();
    std::vector<double> of_parts(count * size), column(count), row(size);
    for (std::size_t k = 0; k < size; ++k) {
      parts[k].at(points, t, column);
      std::ranges::copy(column, of_parts.begin() + static_cast<std::ptrdiff_t>(k * count));
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < size; ++k) row[k] = of_parts[k * count + i];
      values[i] = function(row);
    }
  }
};

}  // namespace

double value_at(const TemperatureTable& table, double temperature, const std::string& name, const std::string& origin) {
  const PiecewiseLinear& rows = table.values;
  if (!table.continued && !(temperature >= rows.lowest() && temperature <= rows.highest()))
    throw Error(
        Exit::model,
        fmt::format("the temperature {:g} lies outside of the table of '{}'{}", temperature, name, at_origin(origin)),
        fmt::format("its rows go from {:g} to {:g}", rows.lowest(), rows.highest()),
        "add rows, or say outside = \"constant\" in its [[table]]");
  return rows.value(temperature);
}

Coefficient at_temperature(const MaterialProperty& property, const Coefficient& temperature, const std::string& name,
                           const std::string& origin) {
  if (const Coefficient* given = coefficient_in(property)) return *given;
  return combined({temperature}, [table = *table_in(property), name, origin](std::span<const double> at) {
    return value_at(table, at[0], name, origin);
  });
}

Coefficient combined(std::vector<Coefficient> parts, std::function<double(std::span<const double>)> function) {
  if (!all_numbers(parts)) return PointFunction(Combined{std::move(parts), std::move(function)});
  std::vector<double> numbers;
  for (const Coefficient& each : parts) numbers.push_back(each.number());
  return function(numbers);
}

}  // namespace ritz
