#include "io/case/formula.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/core.h>

namespace ritz {
namespace {

// Words the error of a value that is not allowed.
struct Refusal {
  std::string noun, text;  // "the formula", "2*k"
  Formula::Rules rules;
  std::vector<CaseField> fields;  // that it uses
  bool of_time;

  [[noreturn]] void operator()(double value, const EvaluationPoints& point, double t, const std::string& left) const {
    std::string why = left;
    for (const CaseField& field : fields)
      if (field.tell) why += (why.empty() ? "" : "; ") + field.tell(point);
    if (why.empty() && std::isnan(value))
      why = "a part of it has no value there, such as the root of a negative number, or 0/0";
    throw Error(rules.kind,
                fmt::format("{} '{}' of {} {} at ({:g}, {:g}, {:g}){}", noun, text, rules.where,
                            std::isnan(value) ? "has no value" : fmt::format("is {:g}", value), point.x[0], point.x[1],
                            point.x[2], of_time ? fmt::format(", t = {:g}", t) : ""),
                why,
                left.empty() ? fmt::format("write one that gives {} everywhere in its region{}", rules.expected,
                                           of_time ? ", at all times" : "")
                             : "extend the table, or add outside = \"constant\" in its [[table]]");
  }
};

}  // namespace

Formula::Formula(const Expression& expression, Rules rules, const CaseFields& fields) {
  std::vector<CaseField> used;
  for (const auto& [name, field] : fields)
    if (expression.uses(name)) used.push_back(field);
  const bool of_position = expression.uses("x") || expression.uses("y") || expression.uses("z") || !used.empty();
  const PointBounds bounds = rules.bounds;
  const PointExpression limited = expression.value().limited(
      bounds, Refusal{"the formula", expression.text(), std::move(rules), std::move(used), expression.uses("t")});
  data_ = std::make_shared<const Data>(Data{expression.text(), PointCode(limited), of_position});
}

Formula::Formula(std::string name, const CaseField& field, Rules rules) {
  const std::string noun = is_identifier(name) ? "the formula" : "the array";  // names of arrays are keys of the case
  const PointBounds bounds = rules.bounds;
  const PointExpression limited = field.value.limited(bounds, Refusal{noun, name, std::move(rules), {field}, false});
  data_ = std::make_shared<const Data>(Data{std::move(name), PointCode(limited), true});
}

std::string Formula::text() const { return data_ == nullptr ? fmt::format("{}", number_) : data_->text; }

bool Formula::depends_on_time() const { return data_ != nullptr && data_->code.expression().reads_time(); }

bool Formula::depends_on_position() const { return data_ != nullptr && data_->of_position; }

void Formula::at(const EvaluationPoints& points, std::span<double> values, double t) const {
  if (data_ == nullptr) std::ranges::fill(values, number_);
  else data_->code.run(points, t, values);
}

PointExpression Formula::expression() const { return data_ == nullptr ? number_ : data_->code.expression(); }

FormulaVariables Formula::variables(bool with_time) {
  FormulaVariables result = {{"x", PointExpression::x()}, {"y", PointExpression::y()}, {"z", PointExpression::z()}};
  if (with_time) result.emplace_back("t", PointExpression::t());
  return result;
}

}  // namespace ritz
