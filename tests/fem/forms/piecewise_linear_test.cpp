// Tables over the temperature: values, integrals in closed form, and derivatives by dual numbers.
#include "fem/forms/piecewise_linear.hpp"

#include "device/error.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace ritz::test::piecewise_linear_test {
namespace {

const PiecewiseLinear steel = PiecewiseLinear::through({{20, 50}, {300, 44}, {730, 30}, {740, 500}, {750, 27}});

TEST(PiecewiseLinear, GoesThroughItsRows) {
  for (const auto& [x, y] : {std::pair{20.0, 50.0}, {300.0, 44.0}, {730.0, 30.0}, {740.0, 500.0}, {750.0, 27.0}})
    EXPECT_NEAR(steel.value(x), y, 1e-12 * y);
  EXPECT_NEAR(steel.value(160.0), 47, 1e-13);
}

TEST(PiecewiseLinear, IsConstantOutsideOfItsRows) {
  EXPECT_EQ(steel.value(-273.0), 50);
  EXPECT_NEAR(steel.value(2000.0), 27, 1e-12);
  EXPECT_EQ(steel.integral(20.0), 0);
  EXPECT_NEAR(steel.integral(-80.0), -100 * 50, 1e-12);
  EXPECT_NEAR(steel.integral(1750.0) - steel.integral(750.0), 1000 * 27, 1e-8);
}

// Trapezoids of the rows are exact.
TEST(PiecewiseLinear, IntegralIsThatOfTheValue) {
  EXPECT_NEAR(steel.integral(300.0), 280 * 47, 1e-10);
  EXPECT_NEAR(steel.integral(750.0), 280 * 47 + 430 * 37 + 5 * 530 + 5 * 527, 1e-9);
}

// Also where the value jumps from the integrand of one segment to the next, and outside.
TEST(PiecewiseLinear, DerivativeOfTheIntegralIsTheValue) {
  for (double x = -40; x < 900; x += 3.7)
    EXPECT_NEAR(steel.integral(Dual<double>(x, 1.0)).derivative, steel.value(x), 1e-11);
  for (const double row : {20.0, 300.0, 730.0, 740.0, 750.0})
    EXPECT_NEAR(steel.integral(Dual<double>(row, 1.0)).derivative, steel.value(row), 1e-11);
}

TEST(PiecewiseLinear, DerivativeOfTheValueIsTheSlope) {
  const auto slope = [](double x) { return steel.value(Dual<double>(x, 1.0)).derivative; };
  EXPECT_EQ(slope(0), 0);
  EXPECT_NEAR(slope(100), -6.0 / 280, 1e-15);
  EXPECT_NEAR(slope(735), 47, 1e-12);
  EXPECT_NEAR(slope(740), 47, 1e-12);  // a row belongs to the segment below it
  EXPECT_NEAR(slope(745), -47.3, 1e-12);
  EXPECT_EQ(slope(800), 0);
}

TEST(PiecewiseLinear, RowsOnALineDoNotCount) {
  std::vector<std::array<double, 2>> rows;
  for (int i = 0; i <= 100; ++i) rows.push_back({double(i), 3 + 0.5 * i});
  const PiecewiseLinear line = PiecewiseLinear::through(rows);
  EXPECT_EQ(line.rows, 2);
  EXPECT_NEAR(line.value(33.0), 19.5, 1e-13);
}

TEST(PiecewiseLinear, OneRowIsAConstant) {
  const PiecewiseLinear constant = PiecewiseLinear::through({{100, 7}});
  EXPECT_EQ(constant.value(-5.0), 7);
  EXPECT_EQ(constant.value(500.0), 7);
  EXPECT_EQ(constant.integral(Dual<double>(500.0, 1.0)).derivative, 7);
  EXPECT_EQ(constant.integral(90.0), -70);
}

TEST(PiecewiseLinear, RefusesWhatIsNoFunction) {
  EXPECT_THROW(PiecewiseLinear::through({{1, 2}, {1, 3}}), Error);
  EXPECT_THROW(PiecewiseLinear::through({{2, 2}, {1, 3}}), Error);
  EXPECT_THROW(PiecewiseLinear::through({{2, std::numeric_limits<double>::infinity()}}), Error);
  EXPECT_THROW(PiecewiseLinear::through(std::span<const std::array<double, 2>>()), Error);
  std::vector<std::array<double, 2>> zigzag;
  for (int i = 0; i <= PiecewiseLinear::most_rows; ++i) zigzag.push_back({double(i), double(i % 2)});
  EXPECT_THROW(PiecewiseLinear::through(zigzag), Error);
}

}  // namespace
}  // namespace ritz::test::piecewise_linear_test
