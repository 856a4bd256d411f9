// A number of the case file, or a formula of the position and of time: 3, "100*sin(pi*x)*ramp(t)". Cheap to copy.
//
//   const Formula k = table.formula("conductivity", "thermal conductivity k [W/(m K)]", {.above = 0});
//   if (k.is_number()) use(k.number());  else k.at(points, values);
#pragma once

#include "device/error.hpp"
#include "io/case/expression.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace ritz {

// Values of a calling program at positions [point][3]: a formula that is its name.
using CallerField = std::function<void(std::span<const double> points, std::span<double> values)>;

class Formula {
 public:
  Formula(double number = 0) : number_(number) {}
  // `allowed` accepts a value or not; an Error of `exit` names `where` ("material.0.young at case.toml:12:9") and what
  // is `expected`.
  struct Rules {
    std::function<bool(double)> allowed;
    std::string expected, where;
    Exit exit = Exit::model;
  };
  Formula(Expression expression, Rules rules);
  Formula(std::string name, CallerField field, Rules rules);

  bool is_number() const { return data_ == nullptr; }
  double number() const { return number_; }
  std::string text() const;
  bool depends_on_time() const;
  bool depends_on_position() const;
  // Positions [point][3] and the time -> values [point]. Throws Error for the first point at which there is no finite
  // or no allowed value.
  void at(std::span<const double> points, std::span<double> values, double t = 0) const;
  // The formula as a function of points and time (fem/forms/point_function.hpp).
  void operator()(std::span<const double> points, double t, std::span<double> values) const { at(points, values, t); }

  // Those of an Expression; t where the case has a time.
  static std::vector<std::string> variables(bool with_time = false) {
    return with_time ? std::vector<std::string>{"x", "y", "z", "t"} : std::vector<std::string>{"x", "y", "z"};
  }

 private:
  struct Data {
    std::optional<Expression> expression;  // or else the caller's
    std::string name;
    CallerField field;
    Rules rules;
  };
  [[noreturn]] void refuse(double value, std::span<const double> point, double t, const std::string& why,
                           const std::string& fix) const;
  void at_caller(std::span<const double> points, std::span<double> values) const;
  double number_ = 0;
  std::shared_ptr<const Data> data_;
};

}  // namespace ritz
