// A function of the position, of time and of inputs as a flat list of instructions over registers, which kernels and
// the host run at many points alike. PointExpression (point_expression.hpp) makes it. Plain numbers and pointers.
//
//   run_point_program<64>(program, points, first, values);      // values at points first ... first + 63
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace ritz {

// A part without a value is NaN, and makes all that is computed from it NaN: comparisons, min and max, too. Of a choice
// only the part that is taken counts.
enum class PointOperation : std::uint8_t {
  // clang-format off
  number, x, y, z, t, input,                                                 // of nothing
  negate, square, cube, fourth, sine, cosine, tangent, arcsine, arccosine, arctangent, sinh, cosh, tanh, exponential,
  logarithm, logarithm10, root, absolute, floor, ceiling, sign, limit,       // of a
  add, subtract, multiply, divide, power, angle, lesser, greater, is_less, is_less_equal, is_greater, is_greater_equal,
  is_equal, is_unequal, both, either,                                        // of a and b
  table,                                                                     // of a, b and c
  begin_choice, skip_unless_taken, take, take_rest, skip_if_all_taken,       // PointExpression::choice
  // clang-format on
};

// take: where a is not yet taken and b is not 0 (`number` 1: is 0), `to` becomes c, and a taken. Skips pass over
// `which` instructions.
struct PointInstruction {
  PointOperation operation;
  std::uint8_t to = 0, a = 0, b = 0, c = 0;  // registers
  std::int32_t which = 0;                    // of the inputs, tables or bounds; instructions to skip
  double number = 0;
};

struct PointBounds {
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  double minimum = -infinity, maximum = infinity, above = -infinity, below = infinity;
  constexpr bool allow(double v) const { return v >= minimum && v <= maximum && v > above && v < below; }
};

// previous: the value at the largest argument that is not larger
enum class Interpolation : std::uint8_t { linear, nearest, previous };

// Values on a grid of one to three ascending arguments: [..][second argument][first argument].
struct TableView {
  int arguments = 1;
  Interpolation interpolation = Interpolation::linear;
  bool continued = false;  // as constants
  const double *axis[3] = {}, *values = nullptr;
  std::int64_t size[3] = {};
};

namespace point_programs {

inline constexpr double none = std::numeric_limits<double>::quiet_NaN();

constexpr bool has_none(double a) { return a != a; }

// The lower neighbour among ascending coordinates, and how far on to the next; false outside.
constexpr bool place_on(const TableView& table, int argument, double x, std::int64_t& low, double& fraction) {
  const double* axis = table.axis[argument];
  const std::int64_t size = table.size[argument];
  low = 0;
  fraction = 0;
  if (has_none(x) || (!table.continued && (x < axis[0] || x > axis[size - 1]))) return false;
  if (x < axis[0]) x = axis[0];
  if (x > axis[size - 1]) x = axis[size - 1];
  if (size == 1) return true;
  std::int64_t high = size - 1;  // the neighbour lies in [low, high)
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    if (axis[middle] <= x) low = middle;
    else high = middle;
  }
  fraction = (x - axis[low]) / (axis[low + 1] - axis[low]);
  if (table.interpolation == Interpolation::nearest) fraction = fraction < 0.5 ? 0 : 1;
  if (table.interpolation == Interpolation::previous) fraction = fraction < 1 ? 0 : 1;
  return true;
}

}  // namespace point_programs

// NaN outside of the table, unless constants are continued there.
constexpr double table_value(const TableView& table, const double* arguments) {
  std::int64_t low[3] = {};
  double fraction[3] = {};
  for (int a = 0; a < table.arguments; ++a)
    if (!point_programs::place_on(table, a, arguments[a], low[a], fraction[a])) return point_programs::none;
  double sum = 0;
  for (unsigned corner = 0; corner < 1U << table.arguments; ++corner) {
    double weight = 1;
    std::int64_t index = 0;
    for (int a = table.arguments; a-- > 0;) {
      const bool high = (corner >> a & 1U) != 0;
      weight *= high ? fraction[a] : 1 - fraction[a];
      const std::int64_t at = low[a] + (high ? 1 : 0);
      index = index * table.size[a] + (at < table.size[a] ? at : table.size[a] - 1);
    }
    if (weight != 0) sum += weight * table.values[index];
  }
  return sum;
}

// Registers of a program: those of a formula of 10,000 characters are fewer (PointExpression::compile).
inline constexpr int most_point_registers = 48;

struct PointTable {  // its axes, then its values, from `first` among the program's numbers
  int arguments;
  Interpolation interpolation;
  bool continued;
  std::int64_t size[3], first;
};

struct PointProgram {
  const PointInstruction* code = nullptr;
  const PointTable* tables = nullptr;
  const PointBounds* bounds = nullptr;
  const double* numbers = nullptr;
  std::int32_t length = 0, result = 0;  // register of the result

  constexpr TableView table(int which) const {
    const PointTable& t = tables[which];
    TableView view;
    view.arguments = t.arguments;
    view.interpolation = t.interpolation;
    view.continued = t.continued;
    const double* next = numbers + t.first;
    for (int a = 0; a < t.arguments; ++a) {
      view.axis[a] = next;
      view.size[a] = t.size[a];
      next += t.size[a];
    }
    view.values = next;
    return view;
  }
};

// The points at which a program runs.
struct ProgramPoints {
  const double* x = nullptr;  // [point][3]; none: the program reads no position
  double t = 0;
  const double* inputs = nullptr;  // [input][stride]
  std::int64_t stride = 0, count = 0;
};

// W points side by side, so that a processor reads each instruction once for all of them; W = 1 on a GPU.
template <int W>
class PointMachine {
 public:
  constexpr PointMachine(const PointProgram& program, const ProgramPoints& points, std::int64_t first)
      : program_(program), points_(points), first_(first) {}

  // Entries beyond the last point have the value of that one.
  constexpr const double* run() {
    for (int at = 0; at < program_.length; ++at) at += step(program_.code[at]);
    return register_[program_.result];
  }

 private:
  constexpr std::int64_t point(int lane) const {
    const std::int64_t i = first_ + lane;
    return i < points_.count ? i : points_.count - 1;
  }
  template <class F>
  constexpr void set(const PointInstruction& i, const F& f) {
    double* to = register_[i.to];
    for (int l = 0; l < W; ++l) to[l] = f(l);
  }
  template <class F>
  constexpr void map(const PointInstruction& i, const F& f) {
    const double* a = register_[i.a];
    set(i, [&](int l) { return f(a[l]); });
  }
  template <class F>
  constexpr void combine(const PointInstruction& i, const F& f) {
    const double *a = register_[i.a], *b = register_[i.b];
    set(i, [&](int l) { return f(a[l], b[l]); });
  }
  template <class F>  // NaN where a or b is
  constexpr void judge(const PointInstruction& i, const F& f) {
    using point_programs::has_none;
    combine(i, [&](double a, double b) { return has_none(a) || has_none(b) ? point_programs::none : double(f(a, b)); });
  }

  // Instructions to skip.
  constexpr int step(const PointInstruction& i) {
    if (i.operation <= PointOperation::input) return load(i), 0;
    if (i.operation <= PointOperation::limit) return function(i), 0;
    if (i.operation <= PointOperation::either) return pair(i), 0;
    if (i.operation == PointOperation::table) return look_up(i), 0;
    return choose(i);
  }

  constexpr void load(const PointInstruction& i) {
    using enum PointOperation;
    const double *at = points_.x, *given = points_.inputs + i.which * points_.stride;
    switch (i.operation) {
      case number: return set(i, [&](int) { return i.number; });
      case PointOperation::x: return set(i, [&](int l) { return at[3 * point(l)]; });
      case y: return set(i, [&](int l) { return at[3 * point(l) + 1]; });
      case z: return set(i, [&](int l) { return at[3 * point(l) + 2]; });
      case t: return set(i, [&](int) { return points_.t; });
      default: return set(i, [&](int l) { return given[point(l)]; });
    }
  }

  constexpr void function(const PointInstruction& i) {
    using enum PointOperation;
    switch (i.operation) {
      case negate: return map(i, [](double a) { return -a; });
      case square: return map(i, [](double a) { return a * a; });
      case cube: return map(i, [](double a) { return a * a * a; });
      case fourth: return map(i, [](double a) { return a * a * a * a; });
      case sine: return map(i, [](double a) { return std::sin(a); });
      case cosine: return map(i, [](double a) { return std::cos(a); });
      case tangent: return map(i, [](double a) { return std::tan(a); });
      case arcsine: return map(i, [](double a) { return std::asin(a); });
      case arccosine: return map(i, [](double a) { return std::acos(a); });
      case arctangent: return map(i, [](double a) { return std::atan(a); });
      case PointOperation::sinh: return map(i, [](double a) { return std::sinh(a); });
      case PointOperation::cosh: return map(i, [](double a) { return std::cosh(a); });
      case PointOperation::tanh: return map(i, [](double a) { return std::tanh(a); });
      case exponential: return map(i, [](double a) { return std::exp(a); });
      case logarithm: return map(i, [](double a) { return std::log(a); });
      case logarithm10: return map(i, [](double a) { return std::log10(a); });
      case root: return map(i, [](double a) { return std::sqrt(a); });
      case absolute: return map(i, [](double a) { return std::fabs(a); });
      case PointOperation::floor: return map(i, [](double a) { return std::floor(a); });
      case ceiling: return map(i, [](double a) { return std::ceil(a); });
      case sign:
        return map(i, [](double a) { return point_programs::has_none(a) ? a : double(a > 0) - double(a < 0); });
      default: {
        const PointBounds bounds = program_.bounds[i.which];
        return map(i, [&](double a) {
          return bounds.allow(a) && std::fabs(a) < PointBounds::infinity ? a : point_programs::none;
        });
      }
    }
  }

  constexpr void pair(const PointInstruction& i) {
    using enum PointOperation;
    switch (i.operation) {
      case add: return combine(i, [](double a, double b) { return a + b; });
      case subtract: return combine(i, [](double a, double b) { return a - b; });
      case multiply: return combine(i, [](double a, double b) { return a * b; });
      case divide: return combine(i, [](double a, double b) { return a / b; });
      case power: return judge(i, [](double a, double b) { return std::pow(a, b); });
      case angle: return combine(i, [](double a, double b) { return std::atan2(a, b); });
      case lesser: return judge(i, [](double a, double b) { return a < b ? a : b; });
      case greater: return judge(i, [](double a, double b) { return a > b ? a : b; });
      case is_less: return judge(i, [](double a, double b) { return a < b; });
      case is_less_equal: return judge(i, [](double a, double b) { return a <= b; });
      case is_greater: return judge(i, [](double a, double b) { return a > b; });
      case is_greater_equal: return judge(i, [](double a, double b) { return a >= b; });
      case is_equal: return judge(i, [](double a, double b) { return a == b; });
      case is_unequal: return judge(i, [](double a, double b) { return a != b; });
      case both: return judge(i, [](double a, double b) { return a != 0 && b != 0; });
      default: return judge(i, [](double a, double b) { return a != 0 || b != 0; });
    }
  }

  constexpr void look_up(const PointInstruction& i) {
    const TableView table = program_.table(i.which);
    const double *a = register_[i.a], *b = register_[i.b], *c = register_[i.c];
    set(i, [&](int l) {
      const double arguments[3] = {a[l], b[l], c[l]};
      return table_value(table, arguments);
    });
  }

  constexpr int choose(const PointInstruction& i) {
    double *to = register_[i.to], *open = register_[i.a];  // 1: not yet taken
    const double *condition = register_[i.b], *value = register_[i.c];
    const auto is_taken = [&](int l) {
      return open[l] != 0 && (point_programs::has_none(condition[l]) || (condition[l] != 0) == (i.number == 0));
    };
    bool some = false;
    switch (i.operation) {
      case PointOperation::begin_choice:
        for (int l = 0; l < W; ++l) open[l] = 1;
        return 0;
      case PointOperation::skip_unless_taken:
        for (int l = 0; l < W; ++l) some = some || is_taken(l);
        return some ? 0 : i.which;
      case PointOperation::skip_if_all_taken:
        for (int l = 0; l < W; ++l) some = some || open[l] != 0;
        return some ? 0 : i.which;
      case PointOperation::take:
        for (int l = 0; l < W; ++l) {
          if (!is_taken(l)) continue;
          to[l] = point_programs::has_none(condition[l]) ? point_programs::none : value[l];
          open[l] = 0;
        }
        return 0;
      default:  // take_rest
        for (int l = 0; l < W; ++l)
          if (open[l] != 0) to[l] = value[l];
        return 0;
    }
  }

  const PointProgram& program_;
  const ProgramPoints& points_;
  std::int64_t first_;
  double register_[most_point_registers][W];
};

}  // namespace ritz
