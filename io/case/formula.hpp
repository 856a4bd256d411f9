// A number of the case file, or a formula of the position, of time and of fields: 3, "100*sin(pi*x)*ramp(t)", "2*k".
// Cheap to copy.
//
//   const Formula k = table.formula("conductivity", "thermal conductivity k [W/(m K)]", {.above = 0});
//   if (k.is_number()) use(k.number());  else k.at(points, values);
#pragma once

#include "device/error.hpp"
#include "io/case/expression.hpp"
#include "mesh/evaluation_points.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

// A field of a file, or an array of a calling program; NaN: it has no value there. Formulas use it as a variable, where
// its name is that of one; a formula that is its name has its values.
struct CaseField {
  std::function<void(const EvaluationPoints& points, std::span<double> values)> at;
  std::function<std::string(const EvaluationPoints& point)> tell;  // "'k' is -3 in cell 7 of 'scan.vtu'", for errors
};
using CaseFields = std::map<std::string, CaseField>;  // by name

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
  // Variables of the expression: those of variables(), then the names of the fields in their order.
  Formula(Expression expression, Rules rules, const CaseFields& fields = {});
  Formula(std::string name, CaseField field, Rules rules);

  bool is_number() const { return data_ == nullptr; }
  double number() const { return number_; }
  std::string text() const;
  bool depends_on_time() const;
  bool depends_on_position() const;
  // Points and the time -> values [point]. Throws Error for the first point at which there is no finite or no allowed
  // value.
  void at(const EvaluationPoints& points, std::span<double> values, double t = 0) const;
  // The formula as a function of points and time (fem/forms/point_function.hpp).
  void operator()(const EvaluationPoints& points, double t, std::span<double> values) const { at(points, values, t); }

  // Those of an Expression that are no fields; t where the case has a time.
  static std::vector<std::string> variables(bool with_time = false) {
    return with_time ? std::vector<std::string>{"x", "y", "z", "t"} : std::vector<std::string>{"x", "y", "z"};
  }

 private:
  struct Data {
    std::optional<Expression> expression;  // none: the values of the only field
    std::string text;
    Rules rules;
    std::vector<std::pair<std::size_t, CaseField>> fields;  // number of the variable; those that are used
    bool of_position, of_time;
  };
  bool is_allowed(double value) const;
  double value_at(const EvaluationPoints& points, std::size_t point, double t, std::span<const double> of_fields,
                  Expression::Evaluator& evaluate, std::vector<double>& variables) const;
  std::size_t evaluate(const EvaluationPoints& points, std::span<double> values, double t) const;
  [[noreturn]] void refuse(double value, const EvaluationPoints& point, double t) const;
  double number_ = 0;
  std::shared_ptr<const Data> data_;
};

}  // namespace ritz
