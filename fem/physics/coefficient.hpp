// A number of a model: the same everywhere, or a function of the position, and perhaps of time.
//
//   Coefficient k = 200;
//   Coefficient h = PointFunction([](std::span<const double> x, std::span<double> values) { ... });
#pragma once

#include "fem/forms/point_function.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ritz {

class Coefficient {
 public:
  Coefficient(double number = 0) : number_(number) {}                      // NOLINT: numbers are coefficients
  Coefficient(PointFunction function) : function_(std::move(function)) {}  // NOLINT: so are functions
  Coefficient(const PointExpression& expression) {                         // NOLINT: so are expressions
    if (expression.is_number()) number_ = expression.number();
    else function_ = expression;
  }

  bool is_number() const { return !function_; }
  double number() const { return number_; }
  bool varies_in_time() const { return function_ && function_->varies_in_time(); }
  PointFunction function() const { return function_ ? *function_ : constant(number_); }
  PointExpression expression() const { return function_ ? function_->expression() : number_; }
  // Points -> values [point].
  void at(const EvaluationPoints& points, double t, std::span<double> values) const {
    if (function_) (*function_)(points, t, values);
    else std::ranges::fill(values, number_);
  }

 private:
  double number_ = 0;
  std::optional<PointFunction> function_;
};

inline bool all_numbers(std::span<const Coefficient> coefficients) {
  return std::ranges::all_of(coefficients, &Coefficient::is_number);
}
inline std::vector<PointFunction> functions(std::span<const Coefficient> coefficients) {
  std::vector<PointFunction> result;
  for (const Coefficient& each : coefficients) result.push_back(each.function());
  return result;
}

}  // namespace ritz
