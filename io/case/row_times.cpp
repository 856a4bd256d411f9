#include "io/case/row_times.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <vector>

namespace ritz {
namespace {

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Positions after the opening parenthesis of each call.
std::vector<std::size_t> calls_of(const std::string& name, const std::string& formula) {
  std::vector<std::size_t> result;
  for (std::size_t at = formula.find(name); at != std::string::npos; at = formula.find(name, at + 1)) {
    std::size_t end = at + name.size();
    while (end < formula.size() && formula[end] == ' ') ++end;
    if (end < formula.size() && formula[end] == '(' && (at == 0 || !is_of_name(formula[at - 1])))
      result.push_back(end + 1);
  }
  return result;
}

std::vector<std::string> arguments_at(std::size_t begin, const std::string& formula) {
  std::vector<std::string> result(1);
  int depth = 0;
  for (std::size_t i = begin; i < formula.size() && (depth > 0 || formula[i] != ')'); ++i) {
    depth += formula[i] == '(' ? 1 : formula[i] == ')' ? -1 : 0;
    if (depth == 0 && formula[i] == ',') result.emplace_back();
    else result.back() += formula[i];
  }
  return result;
}

// value = at_zero + slope t.
struct Linear {
  double at_zero, slope;
};
std::optional<Linear> linear_in_time(const std::string& argument) try {
  const Expression expression(argument, {{"t", PointExpression::t()}});
  const auto at = [&](double t) { return expression.value().at({}, t); };
  const Linear line{at(0), at(1) - at(0)};
  constexpr double rounding = 1e-12;
  for (const double t : {-7.3, 0.37, 11.9, 1234.5})
    if (!(std::abs(at(t) - line.at_zero - line.slope * t) <=
          rounding * (std::abs(line.at_zero) + std::abs(line.slope * t) + std::abs(line.slope))))
      return std::nullopt;
  return line.slope == 0 ? std::nullopt : std::optional(line);
} catch (const ExpressionError&) { return std::nullopt; }  // of the position, or of another table

}  // namespace

std::set<double> row_times_of(const std::string& formula, const DataTables& tables) {
  std::set<double> times;
  for (const auto& [name, table] : tables)
    for (const std::size_t call : calls_of(name, formula)) {
      const std::vector<std::string> arguments = arguments_at(call, formula);
      for (int i = 0; i < std::min(table.argument_count(), static_cast<int>(arguments.size())); ++i)
        if (const auto line = linear_in_time(arguments[static_cast<std::size_t>(i)]))
          for (const double row : table.axis(i)) times.insert((row - line->at_zero) / line->slope);
    }
  return times;
}

}  // namespace ritz
