// A number that depends on the position, and perhaps on time, such as a material's or a load's.
//
//   PointFunction hydrostatic = [](std::span<const double> x, std::span<double> values) { ... };
//   PointFunction ramped = [](std::span<const double> x, double t, std::span<double> values) { ... };
#pragma once

#include "mesh/evaluation_points.hpp"

#include <functional>
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

// It may be called from one thread at a time, and throws Error where it has no value.
class PointFunction {
 public:
  template <FunctionOfPosition F>
  PointFunction(F f)  // NOLINT: a function is meant to become one of points
      : evaluate_([f = std::move(f)](const EvaluationPoints& points, double, std::span<double> values) {
          f(points.x, values);
        }) {}
  template <class F>
  requires FunctionOfTime<F> || FunctionInCells<F> PointFunction(F f)  // NOLINT: likewise
      : varies_in_time_(depends_on_time(f)),
        evaluate_([f = std::move(f)](const EvaluationPoints& points, double t, std::span<double> values) {
          if constexpr (FunctionInCells<F>) f(points, t, values);
          else f(points.x, t, values);
        }) {}

  bool varies_in_time() const { return varies_in_time_; }
  // Points, time -> values [point].
  void operator()(const EvaluationPoints& points, double t, std::span<double> values) const {
    evaluate_(points, t, values);
  }

 private:
  template <class F>
  static bool depends_on_time(const F& f) {
    if constexpr (requires { f.depends_on_time(); }) return f.depends_on_time();
    else return true;
  }

  bool varies_in_time_ = false;
  std::function<void(const EvaluationPoints&, double, std::span<double>)> evaluate_;
};

inline PointFunction constant(double value) {
  return [value](std::span<const double>, std::span<double> values) {
    for (double& each : values) each = value;
  };
}

}  // namespace ritz
