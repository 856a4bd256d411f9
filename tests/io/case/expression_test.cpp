#include "io/case/expression.hpp"

#include "device/error.hpp"
#include "io/case/formula.hpp"
#include "io/case/row_times.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ritz {
namespace {

using ::testing::HasSubstr;

double value(const std::string& text, double x = 0, double y = 0, double z = 0, const DataTables* tables = nullptr) {
  return Expression(text, Formula::variables(), tables).value().at({x, y, z});
}

ExpressionError error_in(const std::string& text) {
  try {
    const Expression expression(text, Formula::variables());
  } catch (const ExpressionError& error) { return error; }
  return {"none", 0};
}

TEST(Expression, HasTheFunctionsOfMathematics) {
  for (const double x : {-1.7, -0.3, 0.0, 0.4, 0.9, 2.6}) {
    EXPECT_DOUBLE_EQ(value("sin(x)^2 + cos(x)^2", x), 1);
    EXPECT_DOUBLE_EQ(value("sinh(x)", x), std::sinh(x));
    EXPECT_DOUBLE_EQ(value("tan(x)", x), std::tan(x));
    EXPECT_DOUBLE_EQ(value("log(exp(x))", x), std::log(std::exp(x)));
    EXPECT_DOUBLE_EQ(value("log10(10^x)", x), std::log10(std::pow(10, x)));
    EXPECT_DOUBLE_EQ(value("atan2(sin(x), cos(x))", x), std::atan2(std::sin(x), std::cos(x)));
    EXPECT_DOUBLE_EQ(value("sqrt(x^2) - abs(x)", x), 0);
    EXPECT_DOUBLE_EQ(value("floor(x) + ceil(-x)", x), 0);
    EXPECT_DOUBLE_EQ(value("min(x, 1) + max(x, 1)", x), x + 1);
    EXPECT_DOUBLE_EQ(value("sign(x)", x), (x > 0) - (x < 0));
    EXPECT_DOUBLE_EQ(value("x < 0.4 ? 1 : 2", x), x < 0.4 ? 1 : 2);
    EXPECT_DOUBLE_EQ(value("(x >= 0 && x <= 1) || x == 2.6", x), (x >= 0 && x <= 1) || x == 2.6);
  }
  EXPECT_DOUBLE_EQ(value("acos(-1) - pi + asin(0) + atan(0) + cosh(0) + tanh(0) + log(e)"), 2);
}

TEST(Expression, PrecedenceIsThatOfTextbooks) {
  EXPECT_EQ(value("2 + 3*4^2/6 - 1"), 9);
  EXPECT_EQ(value("-2^2"), -4);
  EXPECT_EQ(value("2^3^2"), 512);
  EXPECT_EQ(value("-x^2 + 1", 3), -8);
  EXPECT_EQ(value("1e3 + 2.5E-1"), 1000.25);
}

TEST(Expression, WhatHasNoValueIsNotHiddenByComparisons) {
  for (const char* text : {"max(0, sqrt(x))", "min(sqrt(x), 0)", "sign(log(x))", "sqrt(x) > 1", "sqrt(x) != 2",
                           "x^0.5 > 1 ? 1 : 2", "x < 0 || log(x) > 0", "x*0 + 0/(x - x) >= 0", "acos(x) && 1"}) {
    EXPECT_TRUE(std::isnan(value(text, -4))) << text;
  }
  EXPECT_EQ(value("x > 0 ? sqrt(x) : 7", -4), 7);  // what is not taken is not evaluated
  EXPECT_EQ(value("sqrt(max(0, x))", -4), 0);
  EXPECT_EQ(value("exp(-1/x^2)", 0), 0);  // infinite on the way is a value
  const PointCode code(Expression("max(0, sqrt(x))", Formula::variables()).value());
  const double points[] = {-4, 0, 0, 4, 0, 0, -4, 0, 0};
  double values[3];
  code.run(std::span(points), 0, values);  // one point says nothing about the next
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[2]));
  EXPECT_EQ(values[1], 2);
}

TEST(Expression, ErrorsSayWhere) {
  EXPECT_EQ(error_in("1 + foo(x)").column, 5);
  EXPECT_THAT(error_in("coss(x)").fix, HasSubstr("'cos'"));
  for (const char* text : {"", "1 +", "(1", "1)", "1 2", "sin()", "sin(1, 2)", "max(1)", "*3", "x y", "3 $ 4", "1,2",
                           "x = 2", "sin", "\"a\"", "1..2", "?", "x ? 1", "\xc2\xb5"})
    EXPECT_NE(error_in(text).what, "none") << text;
  EXPECT_EQ(error_in("1 + x = 2").column, 7);
  EXPECT_THAT(error_in("1 < x < 2").fix, HasSubstr("1 < x && x < 2"));  // in mathematics both, in C neither
  EXPECT_THAT(error_in("x == 0 == 0").what, HasSubstr("second comparison"));
  EXPECT_EQ(error_in("(x < 1) == (x > 0)").what, "none");
  EXPECT_EQ(error_in("x < 1 && x > 0").what, "none");
  EXPECT_THAT(error_in("x + 1e999").what, HasSubstr("1e999 is beyond"));
  EXPECT_THAT(error_in("1e-400").what, HasSubstr("1e-400 is beyond"));
  EXPECT_THAT(error_in("t + 1").what, HasSubstr("no time"));
  EXPECT_THAT(error_in("t + 1").fix, HasSubstr("[time]"));
  EXPECT_EQ(error_in(std::string(300, '(') + "1" + std::string(300, ')')).column, 201);
  EXPECT_EQ(error_in(std::string(20000, '1')).column, 1);
}

TEST(Expression, ConstantsAreKnown) {
  EXPECT_TRUE(Expression("2*pi", Formula::variables()).is_constant());
  EXPECT_FALSE(Expression("x - x", Formula::variables()).is_constant());
}

TEST(Formula, ThousandsOfPointsGiveTheSameAsOne) {
  const Formula formula(Expression("x + 10*y^2 - z/3", Formula::variables()), {{}, "a number", "here"});
  std::vector<double> points, values(10000);
  for (int i = 0; i < 30000; ++i) points.push_back(std::sin(i));
  formula.at(points, values);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i], points[3 * i] + 10 * (points[3 * i + 1] * points[3 * i + 1]) - points[3 * i + 2] / 3);
}

TEST(Formula, DependsOnTimeWhereItUsesT) {
  const Formula::Rules any{{}, "a number", "here"};
  const Formula wave(Expression("x + 10*t", Formula::variables(true)), any),
      ramp(Expression("min(t, 2)", Formula::variables(true)), any), place(Expression("x", Formula::variables()), any);
  EXPECT_TRUE(wave.depends_on_time() && wave.depends_on_position());
  EXPECT_TRUE(ramp.depends_on_time() && !ramp.depends_on_position());
  EXPECT_TRUE(!place.depends_on_time() && place.depends_on_position());
  EXPECT_TRUE(!Formula(3).depends_on_time() && !Formula(3).depends_on_position());
  const std::vector<double> points = {1, 0, 0, 2, 0, 0, 4, 0, 0};
  std::vector<double> values(3);
  for (const double t : {0.0, 1.5, 3.0}) {
    wave.at(points, values, t);
    EXPECT_EQ(values, (std::vector<double>{1 + 10 * t, 2 + 10 * t, 4 + 10 * t}));
    ramp.at(points, values, t);
    EXPECT_EQ(values, std::vector<double>(3, std::min(t, 2.0)));
  }
}

TEST(Formula, TheTimeAtWhichItHasNoValueIsNamed) {
  const Formula formula(Expression("sqrt(1 - t)", Formula::variables(true)),
                        {{}, "a number", "there", ErrorKind::formula_value});
  std::vector<double> values(2);
  const std::vector<double> points(6);
  formula.at(points, values, 0.75);
  EXPECT_EQ(values[1], 0.5);
  try {
    formula.at(points, values, 2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("at (0, 0, 0), t = 2"));
    EXPECT_THAT(error.why(), HasSubstr("root of a negative number"));
    EXPECT_THAT(error.fix(), HasSubstr("at all times"));
  }
}

TEST(Formula, TheFirstPointThatIsNotAllowedIsNamed) {
  const Formula formula(Expression("x", Formula::variables()),
                        {{.below = 100}, "a number below 100", "there", ErrorKind::formula_value});
  std::vector<double> points(30000), values(10000);
  for (std::size_t i = 0; i < values.size(); ++i) points[3 * i] = static_cast<double>(i) / 50;
  try {
    formula.at(points, values);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::model);
    EXPECT_THAT(error.message(), HasSubstr("'x' of there is 100 at (100, 0, 0)"));
    EXPECT_EQ(error.why(), "");  // the fix says it all
    EXPECT_THAT(error.fix(), HasSubstr("below 100"));
  }
}

DataTable table(const std::string& text, Interpolation interpolation = Interpolation::linear,
                Outside outside = Outside::error) {
  return DataTable::from_text(text, "t.csv", interpolation, outside);
}

double at(const DataTable& table, std::initializer_list<double> arguments) {
  return table(std::span(arguments.begin(), arguments.size())).value_or(std::nan(""));
}

TEST(DataTable, LinearInterpolationIsExactForLinearFunctions) {
  std::string text = "# of three arguments\nx, y ,z,f\r\n";
  for (const double z : {2.0, 0.0})
    for (const double x : {0.0, 3.0, 1.0})
      for (const double y : {-1.0, 4.0})
        text += std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "," +
                std::to_string(1 + 2 * x - 3 * y + 5 * z) + "\n";
  const DataTable f = table(text);
  EXPECT_EQ(f.argument_count(), 3);
  for (const double x : {0.0, 0.7, 1.0, 2.9, 3.0})
    for (const double y : {-1.0, 0.3, 4.0})
      for (const double z : {0.0, 1.1, 2.0}) EXPECT_NEAR(at(f, {x, y, z}), 1 + 2 * x - 3 * y + 5 * z, 1e-12);
  EXPECT_TRUE(std::isnan(at(f, {3.0001, 0, 0})));
  EXPECT_THAT(f.range(), HasSubstr("y from -1 to 4"));
}

TEST(DataTable, StepsKeepTheirValues) {
  const char* text = "x,f\n0,1\n2,5\n1,3\n";
  const DataTable previous = table(text, Interpolation::previous),
                  nearest = table(text, Interpolation::nearest, Outside::constant);
  EXPECT_EQ(at(previous, {0.99}), 1);
  EXPECT_EQ(at(previous, {1}), 3);
  EXPECT_EQ(at(previous, {2}), 5);
  EXPECT_EQ(at(nearest, {0.49}), 1);
  EXPECT_EQ(at(nearest, {0.51}), 3);
  EXPECT_EQ(at(nearest, {-7}), 1);
  EXPECT_EQ(at(nearest, {7}), 5);
  EXPECT_EQ(at(table("x,f\n4,2\n", Interpolation::linear, Outside::constant), {9}), 2);
}

TEST(DataTable, WhatIsNoTableIsAnErrorWithItsLine) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      table(text);
    } catch (const Error& error) { return error.message(); }
    return "none";
  };
  EXPECT_THAT(message("x,f\n0,1\n\n0,2\n"), HasSubstr("t.csv:4"));
  EXPECT_THAT(message("x,f\n0,1;\n"), HasSubstr("'1;' is not a finite number at t.csv:2"));
  EXPECT_THAT(message("x,f\n0,inf\n"), HasSubstr("not a finite number"));
  EXPECT_THAT(message("0,1\n1,2\n"), HasSubstr("names of its columns"));
  EXPECT_THAT(message("x\n1\n"), HasSubstr("2 to 4 columns"));
  EXPECT_THAT(message("x,y,f\n0,0,1\n1,1,2\n"), HasSubstr("not all points of a grid"));
  EXPECT_THAT(message(""), HasSubstr("no rows"));
}

TEST(Expression, TablesAreFunctions) {
  DataTables tables;
  tables.emplace("wind", table("z,p\n0,1\n10,3\n"));
  EXPECT_DOUBLE_EQ(value("2*wind(z) + x", 1, 0, 5, &tables), 5);
  std::string two = "x,y,f\n", three = "x,y,z,f\n";
  for (int i = 0; i < 8; ++i) {
    const int x = i % 2, y = i / 2 % 2, z = i / 4;
    if (z == 0) two += fmt::format("{},{},{}\n", x, y, 2 * x + 3 * y);
    three += fmt::format("{},{},{},{}\n", x, y, z, 2 * x + 3 * y + 5 * z);
  }
  tables.emplace("plane", table(two));
  tables.emplace("solid", table(three));
  EXPECT_DOUBLE_EQ(value("plane(x, y) + solid(x, y, z)", 0.5, 0.25, 0.75, &tables),
                   2 * (2 * 0.5 + 3 * 0.25) + 5 * 0.75);
  const PointExpression outside = Expression("wind(z)", Formula::variables(), &tables).value();
  EXPECT_TRUE(std::isnan(outside.at({0, 0, 11})));
  std::string left;
  outside.explain(Point{0, 0, 11}, 0, &left);
  EXPECT_THAT(left, HasSubstr("'wind' at (11) has no value: it goes z from 0 to 10"));
  for (const char* text :
       {"max(0, wind(z))", "wind(z) > 2 ? 1 : 2", "wind(z)^0", "wind(z) != 3", "sign(wind(z))", "z > 10 || wind(z)"}) {
    EXPECT_TRUE(std::isnan(value(text, 0, 0, 11, &tables))) << text;
    EXPECT_TRUE(std::isfinite(value(text, 0, 0, 9, &tables))) << text;
  }
  EXPECT_EQ(value("z > 10 ? 0 : wind(z)", 0, 0, 11, &tables), 0);
}

TEST(RowTimes, AreThoseOfTablesThatAreCalledWithALinearFormulaOfTime) {
  DataTables tables;
  tables.emplace("q", DataTable::from_text("t,v\n1,0\n3,1\n", "q", Interpolation::linear, Outside::error));
  tables.emplace(
      "w", DataTable::from_text("x,t,v\n7,0,0\n8,0,0\n7,2,0\n8,2,0\n", "w", Interpolation::linear, Outside::error));
  const auto times = [&](const std::string& formula) { return row_times_of(formula, tables); };
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(times("2*q(t)"), ElementsAre(1, 3));
  EXPECT_THAT(times("x*q (2*(t - 5)) + q(t)"), ElementsAre(1, 3, 5.5, 6.5));
  EXPECT_THAT(times("q(-t)"), ElementsAre(-3, -1));
  EXPECT_THAT(times("w(x, 4*t)"), ElementsAre(0, 0.5));
  EXPECT_THAT(times("w(max(7, x), t)"), ElementsAre(0, 2));
  for (const char* formula : {"q(x)", "q(t*t)", "q(t - 2*floor(t/2))", "q(t + x)", "sq(t)", "3*t"})
    EXPECT_THAT(times(formula), IsEmpty()) << formula;
}

}  // namespace
}  // namespace ritz
