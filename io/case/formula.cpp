#include "io/case/formula.hpp"

#include "device/parallel_errors.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include <fmt/core.h>

namespace ritz {

Formula::Formula(Expression expression, Rules rules, const CaseFields& fields) {
  const auto uses = [&expression](const char* variable) { return expression.uses(variable); };
  Data data{expression, expression.text(), std::move(rules), {}, uses("x") || uses("y") || uses("z"), uses("t")};
  std::size_t variable = expression.variable_count() - fields.size();
  for (const auto& [name, field] : fields) {
    if (expression.uses(name)) data.fields.emplace_back(variable, field);
    ++variable;
  }
  data.of_position = data.of_position || !data.fields.empty();
  data_ = std::make_shared<const Data>(std::move(data));
}

Formula::Formula(std::string name, CaseField field, Rules rules)
    : data_(std::make_shared<Data>(
          Data{{}, std::move(name), std::move(rules), {{std::size_t{0}, std::move(field)}}, true, false})) {}

std::string Formula::text() const { return data_ == nullptr ? fmt::format("{}", number_) : data_->text; }

bool Formula::depends_on_time() const { return data_ != nullptr && data_->of_time; }

bool Formula::depends_on_position() const { return data_ != nullptr && data_->of_position; }

bool Formula::is_allowed(double value) const { return std::isfinite(value) && data_->rules.allowed(value); }

void Formula::at(const EvaluationPoints& points, std::span<double> values, double t) const {
  if (data_ == nullptr) {
    std::ranges::fill(values, number_);
    return;
  }
  std::size_t bad = values.size();
  if (data_->expression) bad = evaluate(points, values, t);
  else {
    data_->fields.front().second.at(points, values);
    bad = static_cast<std::size_t>(
        std::ranges::find_if_not(values, [this](double value) { return is_allowed(value); }) - values.begin());
  }
  if (bad < values.size()) refuse(values[bad], points.one(bad), t);
}

// of_fields: [field] at the point.
double Formula::value_at(const EvaluationPoints& points, std::size_t point, double t, std::span<const double> of_fields,
                         Expression::Evaluator& evaluate, std::vector<double>& variables) const {
  const double place_and_time[] = {points.x[3 * point], points.x[3 * point + 1], points.x[3 * point + 2], t};
  std::copy_n(place_and_time, std::min(variables.size(), std::size(place_and_time)), variables.begin());
  for (std::size_t f = 0; f < of_fields.size(); ++f) variables[data_->fields[f].first] = of_fields[f];
  return evaluate(variables);
}

// The first point without a value that is allowed; their number: there is none.
std::size_t Formula::evaluate(const EvaluationPoints& points, std::span<double> values, double t) const {
  const Expression& expression = *data_->expression;
  const std::size_t fields = data_->fields.size();
  std::vector<double> of_fields(fields * values.size()), of_one(values.size());  // [point][field]
  for (std::size_t f = 0; f < fields; ++f) {
    data_->fields[f].second.at(points, of_one);
    for (std::size_t i = 0; i < of_one.size(); ++i) of_fields[i * fields + f] = of_one[i];
  }
  // A function of time alone has one value for all points.
  const std::size_t evaluated = depends_on_position() ? values.size() : std::min<std::size_t>(values.size(), 1);
  const auto count = static_cast<std::ptrdiff_t>(evaluated);
  std::atomic<std::ptrdiff_t> bad{count};
  constexpr std::ptrdiff_t piece = 512;  // evaluated by one thread
  ParallelErrors errors;
#pragma omp parallel for schedule(static) if (count > 2000)
  for (std::ptrdiff_t begin = 0; begin < count; begin += piece)
    errors.run([&] {
      Expression::Evaluator evaluator(expression);
      std::vector<double> variables(expression.variable_count());
      for (std::ptrdiff_t i = begin; i < std::min(begin + piece, count); ++i) {
        const auto point = static_cast<std::size_t>(i);
        values[point] =
            value_at(points, point, t, std::span(of_fields).subspan(point * fields, fields), evaluator, variables);
        if (!is_allowed(values[point]))
          for (std::ptrdiff_t first = bad; i < first && !bad.compare_exchange_weak(first, i);) {}
      }
    });
  errors.rethrow();
  if (bad != count) return static_cast<std::size_t>(bad.load());
  if (evaluated < values.size()) std::ranges::fill(values.subspan(evaluated), values[0]);
  return values.size();
}

void Formula::refuse(double value, const EvaluationPoints& point, double t) const {
  const bool is_expression = data_->expression || is_identifier(text());  // names of arrays are keys of the case
  std::string why, outside;
  if (data_->expression) {
    Expression::Evaluator evaluator(*data_->expression);
    std::vector<double> variables(data_->expression->variable_count()), of_fields(data_->fields.size());
    for (std::size_t f = 0; f < of_fields.size(); ++f) data_->fields[f].second.at(point, {&of_fields[f], 1});
    value_at(point, 0, t, of_fields, evaluator, variables);
    why = outside = evaluator.outside();
  }
  for (const auto& [variable, field] : data_->fields) why += (why.empty() ? "" : "; ") + field.tell(point);
  if (why.empty() && std::isnan(value))
    why = "a part of it has no value there, such as the root of a negative number, or 0/0";
  throw Error(data_->rules.exit,
              fmt::format("{} '{}' of {} is {:g} at ({:g}, {:g}, {:g}){}", is_expression ? "the formula" : "the array",
                          text(), data_->rules.where, value, point.x[0], point.x[1], point.x[2],
                          depends_on_time() ? fmt::format(", t = {:g}", t) : ""),
              why,
              outside.empty() ? fmt::format("write one that gives {} everywhere in its region{}", data_->rules.expected,
                                            depends_on_time() ? ", at all times" : "")
                              : "extend the table, or say outside = \"constant\" in its [[table]]");
}

}  // namespace ritz
