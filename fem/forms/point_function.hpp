// A number that depends on the position, and perhaps on time, such as a material's or a load's: an expression, which
// runs where the points are, or a function of the host.
//
//   PointFunction hydrostatic = [](std::span<const double> x, std::span<double> values) { ... };
//   PointFunction ramped = [](std::span<const double> x, double t, std::span<double> values) { ... };
//   PointFunction height = 9810 * (12 - PointExpression::z());
#pragma once

#include "mesh/functions/point_expression.hpp"

#include <memory>
#include <span>
#include <utility>

namespace ritz {

// Callable with positions [point][3] and room for values [point].
template <class F>
concept FunctionOfPosition = requires(const F& f, std::span<const double> points, std::span<double> values) {
  f(points, values);
};
// The same with the time t between them. A member depends_on_time() may say that t changes nothing.
template <class F>
concept FunctionOfTime = requires(const F& f, std::span<const double> points, double t, std::span<double> values) {
  f(points, t, values);
};
// The same with points that know their cells.
template <class F>
concept FunctionInCells = requires(const F& f, const EvaluationPoints& points, double t, std::span<double> values) {
  f(points, t, values);
};

// A function of the host may be called from one thread at a time, and throws Error where it has no value.
class PointFunction {
 public:
  PointFunction(const PointExpression& expression)  // NOLINT: expressions are functions
      : code_(std::make_shared<const PointCode>(expression)) {}
  PointFunction(const MeshField& field)  // NOLINT: so are fields
      : PointFunction(PointExpression::input({.field = field})) {}
  template <FunctionOfPosition F>
  PointFunction(F f)  // NOLINT: a function is meant to become one of points
      : PointFunction(PointExpression::input(
            {.function = [f = std::move(f)](const EvaluationPoints& points, double, std::span<double> values) {
              f(points.x, values);
            }})) {}
  template <class F>
  requires FunctionOfTime<F> || FunctionInCells<F> PointFunction(F f)  // NOLINT: likewise
      : PointFunction(input_of(std::move(f))) {}

  bool varies_in_time() const { return expression().reads_time(); }
  bool varies_in_space() const { return code_->reads_position() || !code_->inputs().empty(); }
  // Points, time -> values [point].
  void operator()(const EvaluationPoints& points, double t, std::span<double> values) const {
    code_->run(points, t, values);
  }
  const PointExpression& expression() const { return code_->expression(); }
  const PointCode& code() const { return *code_; }

 private:
  template <class F>
  static PointExpression input_of(F f) {
    bool varies = true;
    if constexpr (requires { f.depends_on_time(); }) varies = f.depends_on_time();
    return PointExpression::input(
        {.function =
             [f = std::move(f)](const EvaluationPoints& points, double t, std::span<double> values) {
               if constexpr (FunctionInCells<F>) f(points, t, values);
               else f(points.x, t, values);
             },
         .varies_in_time = varies});
  }

  std::shared_ptr<const PointCode> code_;
};

inline PointFunction constant(double value) { return PointExpression(value); }

}  // namespace ritz
