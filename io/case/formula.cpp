#include "io/case/formula.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>

#include <fmt/core.h>

namespace ritz {

Formula::Formula(Expression expression, Rules rules, const CaseFields& fields) {
  const auto uses = [&expression](const char* variable) { return expression.uses(variable); };
  Data data{expression, {}, {}, std::move(rules), {}, uses("x") || uses("y") || uses("z"), uses("t")};
  std::size_t variable = expression.variable_count() - fields.size();
  for (const auto& [name, field] : fields) {
    if (expression.uses(name)) data.fields.emplace_back(variable, field);
    ++variable;
  }
  data.of_position = data.of_position || !data.fields.empty();
  data_ = std::make_shared<const Data>(std::move(data));
}

Formula::Formula(std::string name, CallerField field, Rules rules)
    : data_(std::make_shared<Data>(Data{{}, std::move(name), std::move(field), std::move(rules), {}, true, false})) {}

std::string Formula::text() const {
  if (data_ == nullptr) return fmt::format("{}", number_);
  return data_->expression ? data_->expression->text() : data_->name;
}

bool Formula::depends_on_time() const { return data_ != nullptr && data_->of_time; }

bool Formula::depends_on_position() const { return data_ != nullptr && data_->of_position; }

void Formula::refuse(double value, const double* x, double t, const std::string& why, const std::string& fix) const {
  throw Error(data_->rules.exit,
              fmt::format("{} '{}' of {} is {:g} at ({:g}, {:g}, {:g}){}",
                          data_->expression ? "the formula" : "the array", text(), data_->rules.where, value, x[0],
                          x[1], x[2], depends_on_time() ? fmt::format(", t = {:g}", t) : ""),
              why, fix);
}

void Formula::at_caller(const EvaluationPoints& points, std::span<double> values) const {
  data_->field(points.x, values);
  const auto bad = std::ranges::find_if_not(
      values, [this](double value) { return std::isfinite(value) && data_->rules.allowed(value); });
  if (bad == values.end()) return;
  refuse(*bad, &points.x[3 * static_cast<std::size_t>(bad - values.begin())], 0, "",
         fmt::format("give {} everywhere in its region", data_->rules.expected));
}

void Formula::at(const EvaluationPoints& points, std::span<double> values, double t) const {
  if (data_ == nullptr) {
    std::ranges::fill(values, number_);
    return;
  }
  if (!data_->expression) return at_caller(points, values);
  const Expression& expression = *data_->expression;
  std::vector<std::vector<double>> of_fields;
  for (const auto& [variable, field] : data_->fields) field.at(points, of_fields.emplace_back(values.size()));
  const auto value_at = [&](Expression::Evaluator& evaluate, std::vector<double>& variables, std::size_t point) {
    const double* x = &points.x[3 * point];
    const double place_and_time[] = {x[0], x[1], x[2], t};
    std::copy_n(place_and_time, std::min(variables.size(), std::size(place_and_time)), variables.begin());
    for (std::size_t f = 0; f < of_fields.size(); ++f) variables[data_->fields[f].first] = of_fields[f][point];
    return evaluate(variables);
  };
  // A function of time alone has one value for all points.
  const std::size_t evaluated = depends_on_position() ? values.size() : std::min<std::size_t>(values.size(), 1);
  const auto count = static_cast<std::ptrdiff_t>(evaluated);
  std::atomic<std::ptrdiff_t> bad{count};
  const auto is_good = [&](double value) { return std::isfinite(value) && data_->rules.allowed(value); };
#pragma omp parallel if (count > 2000)
  {
    Expression::Evaluator evaluate(expression);
    std::vector<double> variables(expression.variable_count());
#pragma omp for schedule(static)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const auto point = static_cast<std::size_t>(i);
      values[point] = value_at(evaluate, variables, point);
      if (!is_good(values[point]))
        for (std::ptrdiff_t first = bad; i < first && !bad.compare_exchange_weak(first, i);) {}
    }
  }
  if (bad == count) {
    if (evaluated < values.size()) std::ranges::fill(values.subspan(evaluated), values[0]);
    return;
  }
  const auto point = static_cast<std::size_t>(bad.load());
  const double* x = &points.x[3 * point];
  Expression::Evaluator evaluate(expression);
  std::vector<double> variables(expression.variable_count());
  value_at(evaluate, variables, point);
  const std::string outside = evaluate.outside();
  std::string why = outside;
  for (const auto& [variable, field] : data_->fields) why += (why.empty() ? "" : "; ") + field.tell({x[0], x[1], x[2]});
  if (why.empty() && std::isnan(values[point]))
    why = "a part of it has no value there, such as the root of a negative number, or 0/0";
  refuse(values[point], x, t, why,
         outside.empty() ? fmt::format("write one that gives {} everywhere in its region{}", data_->rules.expected,
                                       depends_on_time() ? ", at all times" : "")
                         : "extend the table, or say outside = \"constant\" in its [[table]]");
}

}  // namespace ritz
