// A formula of named variables, "100*sin(pi*x) + wind(z)", with the tables of the case as functions: sin cos tan asin
// acos atan atan2 sinh cosh tanh exp log (natural) log10 sqrt abs sign floor ceil min max, + - * / ^, < <= > >= == !=
// &&
// || and a ? b : c; constants pi and e.
//
//   const Expression f("2*x^2", {{"x", PointExpression::x()}});      f.value().at({0.5, 0, 0});
#pragma once

#include "io/case/data_table.hpp"
#include "mesh/functions/point_expression.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ritz {

using DataTables = std::map<std::string, DataTable>;  // by the name of the function
using FormulaVariables = std::vector<std::pair<std::string, PointExpression>>;

// An error in the text of a formula, and its position.
struct ExpressionError {
  std::string what;
  int column = 0;  // from 1
  std::string fix = {};
};

class Expression {
 public:
  // Throws ExpressionError.
  Expression(std::string text, const FormulaVariables& variables, const DataTables* tables = nullptr);
  const std::string& text() const { return text_; }
  // NaN where the formula, or a part of it that is evaluated, has no value: max(0, sqrt(-1)) has none. (Both sides of
  // && and || are evaluated, of ?: only the one that is taken.)
  const PointExpression& value() const { return value_; }
  bool is_constant() const { return used_.empty(); }  // no variable occurs
  bool uses(const std::string& variable) const { return used_.contains(variable); }

 private:
  std::string text_;
  std::set<std::string> used_;  // of the variables
  PointExpression value_;
};

// Names that no table may have: functions, constants.
bool is_reserved_name(const std::string& name);
// A letter or _, then letters, digits and _.
bool is_identifier(const std::string& name);

}  // namespace ritz
