#include "device/bfloat16.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace ritz {
namespace {

TEST(BFloat16, KeepsWhatHasEightBinaryDigits) {
  for (const double x : {0.0, 1.0, -1.5, 255.0, 0x1p-126, 0x1.fep127, -0x1.02p-20})
    EXPECT_EQ(static_cast<double>(BFloat16(x)), x);
}

// Half of the distance between neighbours, 2^-7 of a power of two.
TEST(BFloat16, RoundsToTheNearest) {
  double x = 1e-30;
  for (int i = 0; i < 1000; ++i, x *= -1.147)
    EXPECT_LE(std::abs(static_cast<double>(BFloat16(x)) - x), std::abs(x) * 0x1.0001p-8) << x;
  EXPECT_EQ(static_cast<double>(BFloat16(1 + 0x1p-8)), 1.0);  // halfway: the even one
  EXPECT_EQ(static_cast<double>(BFloat16(1 + 3 * 0x1p-8)), 1 + 0x1p-6);
}

TEST(BFloat16, InfiniteAndNotANumberStayWhatTheyAre) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(static_cast<double>(BFloat16(infinite)), infinite);
  EXPECT_EQ(static_cast<double>(BFloat16(-1e300)), -infinite);
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::nan("")))));
}

}  // namespace
}  // namespace ritz
