#include "solvers/algebra/vectors.hpp"

#include "tests/solvers/matrices.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace ritz::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Vectors, SumsAreBitwiseTheSameForAnyNumberOfThreads) {
  const std::vector<double> x = random_numbers(100'003, 1), y = random_numbers(100'003, 2);
  const Device one = Device::named("cpu", 1);
  const double reference = dot(Vector(one, x, "test"), Vector(one, y, "test"));
  for (const int threads : {1, 2, 3}) {
    const Device device = Device::named("cpu", threads);
    EXPECT_EQ(dot(Vector(device, x, "test"), Vector(device, y, "test")), reference);
  }
}

TEST(Vectors, VerbsDoWhatTheySayOnEveryBackEnd) {
  for (const std::string& name : back_ends()) {
    const Device device = Device::named(name, 2);
    const std::vector<double> a = random_numbers(4099, 3), b = random_numbers(4099, 4);
    const Vector x(device, a, "test");
    Vector y(device, b, "test"), z(device, 4099, "test");
    axpy(2.0, x, y);
    multiply(x, y, z);
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_NEAR(y.host()[i], b[i] + 2 * a[i], 1e-15);
      EXPECT_EQ(z.host()[i], a[i] * y.host()[i]);
      if (i == 20) break;
    }
    axpby(-1.0, x, 0.5, y);
    EXPECT_NEAR(y.host()[4098], 0.5 * (b[4098] + 2 * a[4098]) - a[4098], 1e-15);
    fill(3.0, z);
    EXPECT_EQ(dot(z, z), 9.0 * 4099);
    copy(x, z);
    EXPECT_EQ(z.host(), a);
  }
}

TEST(Vectors, OverwritingDoesNotReadTheTarget) {
  const Device device = Device::named("cpu");
  const Vector x(device, std::vector<double>{1, 2}, "test");
  Vector y(device, std::vector<double>{nan, infinity}, "test");
  axpby(2.0, x, 0.0, y);
  EXPECT_EQ(y.host(), (std::vector<double>{2, 4}));
}

TEST(Vectors, NormNeitherOverflowsNorUnderflows) {
  const Device device = Device::named("cpu");
  for (const double scale : {1.0, 1e200, 1e-200, 1e300, 1e-310}) {
    const Vector x(device, std::vector<double>{3 * scale, 4 * scale}, "test");
    EXPECT_NEAR(norm2(x) / scale, 5.0, 1e-12) << scale;
  }
  EXPECT_EQ(norm2(Vector(device, std::vector<double>{0, 0}, "test")), 0.0);
  EXPECT_EQ(norm2(Vector(device, std::vector<double>{1, infinity}, "test")), infinity);
  EXPECT_TRUE(std::isnan(norm2(Vector(device, std::vector<double>{1, nan}, "test"))));
}

TEST(Vectors, LargestEntryIsFoundWhereverItIs) {
  const Device device = Device::named("cpu", 2);
  for (const std::size_t place : {0u, 63u, 64u, 4999u, 9999u}) {
    std::vector<double> values = random_numbers(10'000, 5);
    values[place] = -17;
    EXPECT_EQ(max_abs(Vector(device, values, "test")), 17.0);
  }
  EXPECT_EQ(max_abs(Vector(device, 0, "test")), 0.0);
}

TEST(Vectors, FirstEntryThatIsNotFiniteIsNamed) {
  const Device device = Device::named("fake");
  std::vector<double> values(5000, 1.0);
  EXPECT_EQ(first_not_finite(Vector(device, values, "test")), -1);
  values[4321] = nan;
  EXPECT_EQ(first_not_finite(Vector(device, values, "test")), 4321);
  values[77] = -infinity;
  EXPECT_EQ(first_not_finite(Vector(device, values, "test")), 77);
  values[0] = infinity;
  EXPECT_EQ(first_not_finite(Vector(device, values, "test")), 0);
}

TEST(Vectors, StartVectorIsTheSameOnEveryBackEnd) {
  std::vector<double> reference;
  for (const std::string& name : back_ends()) {
    Vector x(Device::named(name), 1000, "test");
    fill_start_vector(x);
    if (reference.empty()) reference = x.host();
    EXPECT_EQ(x.host(), reference);
  }
  for (const double value : reference) EXPECT_TRUE(std::abs(value) >= 0.5 && std::abs(value) < 1.5);
}

TEST(Vectors, DifferentSizesAreRejected) {
  const Device device = Device::named("cpu");
  Vector x(device, 3, "test"), y(device, 4, "test");
  EXPECT_THROW(axpy(1.0, x, y), Error);
  EXPECT_THROW(dot(x, y), Error);
}

}  // namespace
}  // namespace ritz::testing
