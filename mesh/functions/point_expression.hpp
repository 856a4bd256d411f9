// Functions of the position, of time and of inputs as expressions, which formulas of case files and materials are made
// of. They compile to a PointProgram, which runs where the points are: on the device, or here.
//
//   const PointExpression f = 2 * sqrt(PointExpression::x()) + PointExpression::input(temperature);
//   f.at({0.25, 0, 0});      PointCode(f).run(points, t, values);
#pragma once

#include "device/function_ref.hpp"
#include "mesh/evaluation_points.hpp"
#include "mesh/functions/mesh_field.hpp"
#include "mesh/functions/point_program.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

// Values that are there before a program runs: a field, which is evaluated where the program runs, or a function of the
// host.
struct PointInput {
  std::optional<MeshField> field = {};
  std::function<void(const EvaluationPoints& points, double t, std::span<double> values)> function = {};  // without one
  bool varies_in_time = false;
  void at(const EvaluationPoints& points, double t, std::span<double> values) const {
    if (field) (*field)(points, t, values);
    else function(points, t, values);
  }
};

// The same as PointTable with its numbers.
struct TableValues {
  std::vector<std::vector<double>> axes;  // [argument], ascending
  std::vector<double> values;             // [..][second argument][first argument]
  Interpolation interpolation = Interpolation::linear;
  bool continued = false;
  TableView view() const;
};

// A value that is not allowed, where it is, and what a table said that was left on the way to it. Throws Error.
using RefusePoint = std::function<void(double value, const EvaluationPoints& point, double t, const std::string& left)>;

// Immutable, and cheap to copy.
class PointExpression {
 public:
  PointExpression(double number = 0);  // NOLINT: numbers are expressions
  static PointExpression x() { return of(PointOperation::x, {}); }
  static PointExpression y() { return of(PointOperation::y, {}); }
  static PointExpression z() { return of(PointOperation::z, {}); }
  static PointExpression t() { return of(PointOperation::t, {}); }
  static PointExpression input(PointInput input);
  // An operation of one or two arguments; of numbers a number.
  static PointExpression of(PointOperation operation, std::vector<PointExpression> arguments);
  // `left` tells what was left, for errors: "'wind' at (12) ..."
  static PointExpression table(std::shared_ptr<const TableValues> table, std::vector<PointExpression> arguments,
                               std::function<std::string(std::span<const double>)> left = {});
  static PointExpression choice(PointExpression condition, PointExpression then, PointExpression otherwise);
  // The value, where it is finite and within the bounds; else evaluation throws what `refuse` throws.
  PointExpression limited(const PointBounds& bounds, RefusePoint refuse) const;

  // The same of other inputs.
  PointExpression with_inputs(FunctionRef<PointInput(const PointInput&)> other) const;

  bool is_number() const;
  double number() const;               // of a number
  bool reads_time() const;             // or has an input that varies in time
  const PointInput* as_input() const;  // nullptr: it is something else

  // At one point of the host. NaN: there is no value.
  double at(const Point& x, double t = 0) const;
  // Finds what has no value at a point, and throws as it says; returns where nothing says so. `left`: what was said of
  // the first table that was left.
  void explain(const EvaluationPoints& point, double t, std::string* left = nullptr) const;

 private:
  friend class PointCode;
  friend class PointCompiler;
  struct Node;
  explicit PointExpression(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  std::shared_ptr<const Node> node_;
};

#define RITZ_OF_TWO(symbol, name)                                                              \
  inline PointExpression operator symbol(const PointExpression& a, const PointExpression& b) { \
    return PointExpression::of(PointOperation::name, {a, b});                                  \
  }
RITZ_OF_TWO(+, add)
RITZ_OF_TWO(-, subtract)
RITZ_OF_TWO(*, multiply)
RITZ_OF_TWO(/, divide)
RITZ_OF_TWO(<, is_less)
RITZ_OF_TWO(>=, is_greater_equal)
#undef RITZ_OF_TWO
inline PointExpression operator-(const PointExpression& a) { return PointExpression::of(PointOperation::negate, {a}); }
inline PointExpression sqrt(const PointExpression& a) { return PointExpression::of(PointOperation::root, {a}); }
inline PointExpression max(const PointExpression& a, const PointExpression& b) {
  return PointExpression::of(PointOperation::greater, {a, b});
}
inline PointExpression min(const PointExpression& a, const PointExpression& b) {
  return PointExpression::of(PointOperation::lesser, {a, b});
}

// A compiled expression: the program with what it points to.
class PointCode {
 public:
  // Throws Error: Exit::input where it takes too many registers.
  explicit PointCode(PointExpression expression);

  // Points and the time -> values [point], on the host. Throws what the expression's limits say.
  void run(const EvaluationPoints& points, double t, std::span<double> values) const;
  // The points are the first of those without a value that the expression explains.
  void explain(const EvaluationPoints& points, double t, std::span<const double> values) const;

  const PointExpression& expression() const { return expression_; }
  PointProgram program() const;  // that reads the arrays below
  const std::vector<PointInstruction>& code() const { return code_; }
  const std::vector<PointTable>& tables() const { return tables_; }
  const std::vector<PointBounds>& bounds() const { return bounds_; }
  const std::vector<double>& numbers() const { return numbers_; }
  const std::vector<std::shared_ptr<const PointInput>>& inputs() const { return inputs_; }
  bool reads_position() const { return reads_position_; }  // x, y or z
  bool is_limited() const { return !bounds_.empty(); }     // NaN is an error

 private:
  friend class PointCompiler;
  PointExpression expression_;
  std::vector<PointInstruction> code_;
  std::vector<PointTable> tables_;
  std::vector<PointBounds> bounds_;
  std::vector<double> numbers_;
  std::vector<std::shared_ptr<const PointInput>> inputs_;
  bool reads_position_ = false;
  int result_ = 0;
};

}  // namespace ritz
