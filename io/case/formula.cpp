#include "io/case/formula.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>

#include <fmt/core.h>

namespace ritz {

Formula::Formula(Expression expression, Rules rules)
    : data_(std::make_shared<Data>(Data{std::move(expression), std::move(rules)})) {}

std::string Formula::text() const { return data_ == nullptr ? fmt::format("{}", number_) : data_->expression.text(); }

void Formula::at(std::span<const double> points, std::span<double> values) const {
  if (data_ == nullptr) {
    std::ranges::fill(values, number_);
    return;
  }
  const auto count = static_cast<std::ptrdiff_t>(values.size());
  std::atomic<std::ptrdiff_t> bad{count};
  const auto is_good = [&](double value) { return std::isfinite(value) && data_->rules.allowed(value); };
#pragma omp parallel if (count > 2000)
  {
    Expression::Evaluator evaluate(data_->expression);
#pragma omp for schedule(static)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      const auto point = static_cast<std::size_t>(i);
      values[point] = evaluate(points.subspan(3 * point, 3));
      if (!is_good(values[point]))
        for (std::ptrdiff_t first = bad; i < first && !bad.compare_exchange_weak(first, i);) {}
    }
  }
  if (bad == count) return;
  const auto point = static_cast<std::size_t>(bad.load());
  Expression::Evaluator evaluate(data_->expression);
  evaluate(points.subspan(3 * point, 3));
  const std::string outside = evaluate.outside();
  throw Error(
      data_->rules.exit,
      fmt::format("the formula '{}' of {} is {:g} at ({:g}, {:g}, {:g})", data_->expression.text(), data_->rules.where,
                  values[point], points[3 * point], points[3 * point + 1], points[3 * point + 2]),
      !outside.empty()            ? outside
      : std::isnan(values[point]) ? "a part of it has no value there, such as the root of a negative number, or 0/0"
                                  : "",
      outside.empty() ? fmt::format("write one that gives {} everywhere in its region", data_->rules.expected)
                      : "extend the table, or say outside = \"constant\" in its [[table]]");
}

}  // namespace ritz
