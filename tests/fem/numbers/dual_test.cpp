// Dual numbers against derivatives in closed form. Every operation rounds a few times: 8 unit roundoffs, relative.
#include "fem/numbers/dual.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace ritz::test {
namespace {

using D = Dual<double>;
constexpr double x = 1.7, y = -0.6, dx = 0.9, dy = 2.3;
constexpr double tolerance = 8 * 0x1p-53;

void expect_dual(D d, double value, double derivative) {
  EXPECT_NEAR(d.value, value, tolerance * std::abs(value));
  EXPECT_NEAR(d.derivative, derivative, tolerance * (1 + std::abs(derivative)));
}

TEST(DualNumbers, DifferentiateSumsAndDifferences) {
  const D a(x, dx), b(y, dy);
  expect_dual(a + b, x + y, dx + dy);
  expect_dual(a - b, x - y, dx - dy);
  expect_dual(-a, -x, -dx);
}

TEST(DualNumbers, DifferentiateProducts) {
  const D a(x, dx), b(y, dy);
  expect_dual(a * b, x * y, dx * y + x * dy);
  expect_dual(a * a * a, x * x * x, 3 * x * x * dx);
}

TEST(DualNumbers, DifferentiateQuotients) {
  const D a(x, dx), b(y, dy);
  expect_dual(a / b, x / y, (dx * y - x * dy) / (y * y));
  expect_dual(1.0 / a, 1 / x, -dx / (x * x));
}

TEST(DualNumbers, TakePlainNumbersAsConstants) {
  const D a(x, dx);
  expect_dual(3.0 + a, 3 + x, dx);
  expect_dual(a + 3.0, 3 + x, dx);
  expect_dual(3.0 - a, 3 - x, -dx);
  expect_dual(a - 3.0, x - 3, dx);
  expect_dual(3.0 * a, 3 * x, 3 * dx);
  expect_dual(a * 3.0, 3 * x, 3 * dx);
  expect_dual(a / 3.0, x / 3, dx / 3);
  expect_dual(3.0 / a, 3 / x, -3 * dx / (x * x));
}

TEST(DualNumbers, DifferentiateInPlace) {
  D a(x, dx);
  a += D(y, dy);
  expect_dual(a, x + y, dx + dy);
  a -= D(y, dy);
  a *= D(x, dx);
  expect_dual(a, x * x, 2 * x * dx);
}

TEST(DualNumbers, DifferentiateSquareRoots) { expect_dual(sqrt(D(x, dx)), std::sqrt(x), dx / (2 * std::sqrt(x))); }
TEST(DualNumbers, DifferentiateExponentials) { expect_dual(exp(D(x, dx)), std::exp(x), dx * std::exp(x)); }
TEST(DualNumbers, DifferentiateLogarithms) { expect_dual(log(D(x, dx)), std::log(x), dx / x); }

TEST(DualNumbers, DifferentiatePowers) {
  for (const double p : {2.0, 3.0, 0.5, -1.3})
    expect_dual(pow(D(x, dx), p), std::pow(x, p), p * std::pow(x, p - 1) * dx);
}

// At zero a^p with p > 1 has the value and the slope 0, and a^1 the slope 1: no NaN from 0 * infinity.
TEST(DualNumbers, DifferentiatePowersAtZero) {
  expect_dual(pow(D(0.0, dx), 2.0), 0, 0);
  expect_dual(pow(D(0.0, dx), 1.0), 0, dx);
}

TEST(DualNumbers, NestToSecondDerivatives) {
  using Second = Dual<D>;
  const Second a(D(x, 1.0), D(1.0, 0.0));
  const Second cube = a * a * a;
  EXPECT_NEAR(cube.derivative.derivative, 6 * x, tolerance * 6 * x);
}

TEST(DualNumbers, FollowTheChainRule) {
  const D a(x, dx);
  const double e = std::exp(-x * x), expected = -2 * x * e / (1 + x) - e / ((1 + x) * (1 + x));
  expect_dual(exp(-(a * a)) / (1.0 + a), e / (1 + x), expected * dx);
}

// Packs of floats do the same: a product in double precision, rounded, would be another number, and slow on many GPUs.
TEST(DualNumbers, PlainNumbersBesideSinglePrecisionAreRoundedFirst) {
  int rounded_last = 0;
  for (int i = 1; i < 100; ++i) {
    const double a = 1.0 / i;
    const float b = static_cast<float>(i) / 7.0f;
    const Dual<float> d(b, 2 * b), product = a * d;
    EXPECT_EQ(product.value, static_cast<float>(a) * b);
    EXPECT_EQ(product.derivative, static_cast<float>(a) * (2 * b));
    EXPECT_EQ((d / a).value, b / static_cast<float>(a));
    EXPECT_EQ((a + d).value, static_cast<float>(a) + b);
    rounded_last += product.value != static_cast<float>(a * static_cast<double>(b)) ? 1 : 0;
  }
  EXPECT_GT(rounded_last, 0) << "there is a difference";
}

}  // namespace
}  // namespace ritz::test
