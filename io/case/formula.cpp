#include "io/case/formula.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>

#include <fmt/core.h>

namespace ritz {

Formula::Formula(Expression expression, Rules rules)
    : data_(std::make_shared<Data>(Data{std::move(expression), {}, {}, std::move(rules)})) {}

Formula::Formula(std::string name, CallerField field, Rules rules)
    : data_(std::make_shared<Data>(Data{{}, std::move(name), std::move(field), std::move(rules)})) {}

std::string Formula::text() const {
  if (data_ == nullptr) return fmt::format("{}", number_);
  return data_->expression ? data_->expression->text() : data_->name;
}

bool Formula::depends_on_time() const { return data_ != nullptr && data_->expression && data_->expression->uses("t"); }

bool Formula::depends_on_position() const {
  if (data_ == nullptr || !data_->expression) return data_ != nullptr;
  const auto uses = [this](const char* variable) { return data_->expression->uses(variable); };
  return uses("x") || uses("y") || uses("z");
}

void Formula::refuse(double value, std::span<const double> point, double t, const std::string& why,
                     const std::string& fix) const {
  throw Error(data_->rules.exit,
              fmt::format("{} '{}' of {} is {:g} at ({:g}, {:g}, {:g}){}",
                          data_->expression ? "the formula" : "the array", text(), data_->rules.where, value, point[0],
                          point[1], point[2], depends_on_time() ? fmt::format(", t = {:g}", t) : ""),
              why, fix);
}

void Formula::at_caller(std::span<const double> points, std::span<double> values) const {
  data_->field(points, values);
  const auto bad = std::ranges::find_if_not(
      values, [this](double value) { return std::isfinite(value) && data_->rules.allowed(value); });
  if (bad == values.end()) return;
  refuse(*bad, points.subspan(3 * static_cast<std::size_t>(bad - values.begin()), 3), 0, "",
         fmt::format("give {} everywhere in its region", data_->rules.expected));
}

void Formula::at(std::span<const double> points, std::span<double> values, double t) const {
  if (data_ == nullptr) {
    std::ranges::fill(values, number_);
    return;
  }
  if (!data_->expression) return at_caller(points, values);
  const Expression& expression = *data_->expression;
  const auto value_at = [&](Expression::Evaluator& evaluate, std::size_t point) {
    const double variables[] = {points[3 * point], points[3 * point + 1], points[3 * point + 2], t};
    return evaluate(std::span(variables).first(expression.variable_count()));
  };
  // A function of time alone has one value for all points.
  const std::size_t evaluated = depends_on_position() ? values.size() : std::min<std::size_t>(values.size(), 1);
  const auto count = static_cast<std::ptrdiff_t>(evaluated);
  std::atomic<std::ptrdiff_t> bad{count};
  const auto is_good = [&](double value) { return std::isfinite(value) && data_->rules.allowed(value); };
#pragma omp parallel if (count > 2000)
  {
    Expression::Evaluator evaluate(expression);
#pragma omp for schedule(static)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const auto point = static_cast<std::size_t>(i);
      values[point] = value_at(evaluate, point);
      if (!is_good(values[point]))
        for (std::ptrdiff_t first = bad; i < first && !bad.compare_exchange_weak(first, i);) {}
    }
  }
  if (bad == count) {
    if (evaluated < values.size()) std::ranges::fill(values.subspan(evaluated), values[0]);
    return;
  }
  const auto point = static_cast<std::size_t>(bad.load());
  Expression::Evaluator evaluate(expression);
  value_at(evaluate, point);
  const std::string outside = evaluate.outside();
  refuse(values[point], points.subspan(3 * point, 3), t,
         !outside.empty()            ? outside
         : std::isnan(values[point]) ? "a part of it has no value there, such as the root of a negative number, or 0/0"
                                     : "",
         outside.empty() ? fmt::format("write one that gives {} everywhere in its region{}", data_->rules.expected,
                                       depends_on_time() ? ", at all times" : "")
                         : "extend the table, or say outside = \"constant\" in its [[table]]");
}

}  // namespace ritz
