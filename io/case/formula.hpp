// A number of the case file, or a formula of the position, of time and of fields: 3, "100*sin(pi*x)*ramp(t)", "2*k".
// Cheap to copy.
//
//   const Formula k = table.formula("conductivity", "thermal conductivity k [W/(m K)]", {.above = 0});
//   if (k.is_number()) use(k.number());  else k.at(points, values);
#pragma once

#include "device/error.hpp"
#include "io/case/expression.hpp"
#include "mesh/functions/point_expression.hpp"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace ritz {

// A field of a file, or an array of a calling program; NaN: it has no value there. Formulas use it as a variable, where
// its name is that of one; a formula that is its name has its values.
struct CaseField {
  PointExpression value;
  std::function<std::string(const EvaluationPoints& point)> tell = {};  // "'k' is -3 in cell 7 of 'scan.vtu'"
};
using CaseFields = std::map<std::string, CaseField>;  // by name

class Formula {
 public:
  Formula(double number = 0) : number_(number) {}
  // An Error of `kind` names `where` ("material.0.young at case.toml:12:9") and what is `expected`.
  struct Rules {
    PointBounds bounds;
    std::string expected, where;
    ErrorKind kind = ErrorKind::formula_value;
  };
  // The fields that the expression may use, for errors.
  Formula(const Expression& expression, Rules rules, const CaseFields& fields = {});
  Formula(std::string name, const CaseField& field, Rules rules);

  bool is_number() const { return data_ == nullptr; }
  double number() const { return number_; }
  std::string text() const;
  bool depends_on_time() const;
  bool depends_on_position() const;
  // Points and the time -> values [point]. Throws Error for the first point at which there is no finite or no allowed
  // value.
  void at(const EvaluationPoints& points, std::span<double> values, double t = 0) const;
  // The formula as a function of points and time, which throws the same errors.
  PointExpression expression() const;

  // Those of an Expression that are no fields; t where the case has a time.
  static FormulaVariables variables(bool with_time = false);

 private:
  struct Data {
    std::string text;
    PointCode code;
    bool of_position;
  };
  double number_ = 0;
  std::shared_ptr<const Data> data_;
};

}  // namespace ritz
