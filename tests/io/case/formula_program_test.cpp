// Formulas as programs against functions of C++ that are called one after the other: the same bits, and no value where
// a part has none.
#include "io/case/formula.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace ritz {
namespace {

struct At {
  double x, y, z, t;
};
using Value = std::function<double(const At&)>;

// A random formula as text, and what it means.
struct Drawn {
  std::string text;
  Value value;
};

constexpr double none = std::numeric_limits<double>::quiet_NaN();

Value both(const Value& a, const Value& b, double (*f)(double, double)) {
  return [=](const At& at) {
    const double u = a(at), v = b(at);
    return std::isnan(u) || std::isnan(v) ? none : f(u, v);
  };
}

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  Drawn formula(int depth) {
    if (depth == 0) return leaf();
    switch (number_below(7)) {
      case 0: return leaf();
      case 1: return unary(depth);
      case 2: return function_of_two(depth);
      case 3: return choice(depth);
      case 4: return power(depth);
      default: return pair(depth);
    }
  }

 private:
  int number_below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  Drawn leaf() {
    switch (number_below(6)) {
      case 0: return {"x", [](const At& at) { return at.x; }};
      case 1: return {"y", [](const At& at) { return at.y; }};
      case 2: return {"z", [](const At& at) { return at.z; }};
      case 3: return {"t", [](const At& at) { return at.t; }};
      default: {
        const double number = number_below(1000) / 64.0;
        return {fmt::format("{}", number), [=](const At&) { return number; }};
      }
    }
  }

  Drawn unary(int depth) {
    using Function = double (*)(double);
    static const std::pair<const char*, Function> all[] = {
        {"-", [](double a) { return -a; }},
        {"sin", [](double a) { return std::sin(a); }},
        {"cos", [](double a) { return std::cos(a); }},
        {"tan", [](double a) { return std::tan(a); }},
        {"asin", [](double a) { return std::asin(a); }},
        {"acos", [](double a) { return std::acos(a); }},
        {"atan", [](double a) { return std::atan(a); }},
        {"sinh", [](double a) { return std::sinh(a); }},
        {"cosh", [](double a) { return std::cosh(a); }},
        {"tanh", [](double a) { return std::tanh(a); }},
        {"exp", [](double a) { return std::exp(a); }},
        {"log", [](double a) { return std::log(a); }},
        {"log10", [](double a) { return std::log10(a); }},
        {"sqrt", [](double a) { return std::sqrt(a); }},
        {"abs", [](double a) { return std::abs(a); }},
        {"floor", [](double a) { return std::floor(a); }},
        {"ceil", [](double a) { return std::ceil(a); }},
        {"sign", [](double a) { return std::isnan(a) ? a : double((a > 0) - (a < 0)); }}};
    const auto& [name, function] = all[number_below(std::size(all))];
    const Drawn a = formula(depth - 1);
    return {fmt::format("({}({}))", name, a.text), [f = function, of = a.value](const At& at) { return f(of(at)); }};
  }

  Drawn pair(int depth) {
    using Function = double (*)(double, double);
    static const std::pair<const char*, Function> all[] = {
        {"+", [](double a, double b) { return a + b; }},
        {"-", [](double a, double b) { return a - b; }},
        {"*", [](double a, double b) { return a * b; }},
        {"/", [](double a, double b) { return a / b; }},
        {"<", [](double a, double b) { return double(a < b); }},
        {"<=", [](double a, double b) { return double(a <= b); }},
        {">", [](double a, double b) { return double(a > b); }},
        {">=", [](double a, double b) { return double(a >= b); }},
        {"==", [](double a, double b) { return double(a == b); }},
        {"!=", [](double a, double b) { return double(a != b); }},
        {"&&", [](double a, double b) { return double(a != 0 && b != 0); }},
        {"||", [](double a, double b) { return double(a != 0 || b != 0); }}};
    const auto& [name, function] = all[number_below(4) > 0 ? number_below(4) : number_below(std::size(all))];
    const Drawn a = formula(depth - 1), b = formula(depth - 1);
    return {fmt::format("({} {} {})", a.text, name, b.text), both(a.value, b.value, function)};
  }

  Drawn function_of_two(int depth) {
    using Function = double (*)(double, double);
    static const std::pair<const char*, Function> all[] = {
        {"atan2", [](double a, double b) { return std::atan2(a, b); }},
        {"min", [](double a, double b) { return a < b ? a : b; }},
        {"max", [](double a, double b) { return a > b ? a : b; }}};
    const auto& [name, function] = all[number_below(3)];
    const Drawn a = formula(depth - 1), b = formula(depth - 1);
    return {fmt::format("{}({}, {})", name, a.text, b.text), both(a.value, b.value, function)};
  }

  Drawn choice(int depth) {
    const Drawn c = formula(depth - 1), a = formula(depth - 1), b = formula(depth - 1);
    return {fmt::format("({} ? {} : {})", c.text, a.text, b.text), [=](const At& at) {
              const double chosen = c.value(at);
              return std::isnan(chosen) ? none : chosen != 0 ? a.value(at) : b.value(at);
            }};
  }

  // Small powers are products; pow() may differ from them in the last bit.
  Drawn power(int depth) {
    const Drawn a = formula(depth - 1);
    const int exponent = 2 + number_below(4);
    return {fmt::format("({} + 0*x)^{}", a.text, exponent), [=](const At& at) {
              const double u = a.value(at) + 0 * at.x;
              return exponent == 2   ? u * u
                     : exponent == 3 ? u * u * u
                     : exponent == 4 ? u * u * u * u
                     : std::isnan(u) ? none
                                     : std::pow(u, 5.0);
            }};
  }

  std::mt19937 random_;
};

TEST(FormulaProgram, HasTheBitsOfItsFunctionsForRandomFormulas) {
  std::mt19937 random(7);
  constexpr std::size_t count = 150;  // points: two blocks, and a part of one
  std::vector<double> points(3 * count), values(count);
  for (double& each : points) each = static_cast<double>(random() % 4096) / 512 - 4;
  int finite = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    const Drawn drawn = Draw(seed).formula(static_cast<int>(2 + seed % 5));
    const PointCode code(Expression(drawn.text, Formula::variables(true)).value());
    code.run(points, 0.625, values);
    for (std::size_t i = 0; i < count; ++i) {
      const double expected = drawn.value({points[3 * i], points[3 * i + 1], points[3 * i + 2], 0.625});
      ASSERT_TRUE(values[i] == expected || (std::isnan(values[i]) && std::isnan(expected)))
          << drawn.text << " is " << values[i] << ", not " << expected;
      finite += std::isfinite(expected) ? 1 : 0;
    }
  }
  EXPECT_GT(finite, 40000);
}

TEST(FormulaProgram, LongFormulasTakeFewRegisters) {
  std::string sum = "x", nested = "x", chain = "0", choices = "x";
  for (int i = 0; i < 1500; ++i) sum += " + y";
  for (int i = 0; i < 190; ++i) nested = "y*(1 + " + nested + ")";
  for (int i = 0; i < 500; ++i) chain = fmt::format("x < {} ? {} : {}", 499 - i, 499 - i, i == 0 ? "-1" : chain);
  for (int i = 0; i < 60; ++i) choices = fmt::format("y > {} ? ({}) : -1", i % 7, choices);
  const auto at = [](const std::string& text, const Point& x) {
    return Expression(text, Formula::variables()).value().at(x);
  };
  EXPECT_EQ(at(sum, {1, 2, 0}), 3001);
  EXPECT_EQ(at(nested, {1, 1, 0}), 191);
  EXPECT_EQ(at(chain, {7.5, 0, 0}), 8);
  EXPECT_EQ(at(chain, {1000, 0, 0}), -1);
  EXPECT_EQ(at(choices, {5, 10, 0}), 5);
  EXPECT_EQ(at(choices, {5, 3, 0}), -1);
}

TEST(FormulaProgram, PartsThatOccurTwiceAreComputedOnce) {
  const PointExpression root = sqrt(PointExpression::x() + 1), all = root * root + root / (2 + root);
  EXPECT_EQ(all.at({3, 0, 0}), 4.5);
  const PointCode code(all);
  int roots = 0;
  for (const PointInstruction& each : code.code()) roots += each.operation == PointOperation::root ? 1 : 0;
  EXPECT_EQ(roots, 1);
}

}  // namespace
}  // namespace ritz
