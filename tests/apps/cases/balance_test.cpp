// Loads and reactions of a state of rest add up to zero, relative to what they are sums of.
#include "apps/cases/model.hpp"
#include "device/error.hpp"

#include <gtest/gtest.h>

#include <array>

namespace ritz {
namespace {

constexpr double tolerance = 1e-8;

void check(double load, double reaction, double size) {
  check_balance("loads and reactions along x", std::array{load, reaction}, size, tolerance, " N");
}

TEST(Balance, IsOfSumsThatCancel) {
  EXPECT_NO_THROW(check(1000, -1000.05, 0));
  EXPECT_NO_THROW(check(0, 0, 0));
}

TEST(Balance, OfLoadsThatBalanceEachOtherIsRelativeToTheirSizes) {
  EXPECT_NO_THROW(check(1e-9, 2e-4, 1e6));
  EXPECT_THROW(check(1e-9, 2e-4, 0), Error);
}

TEST(Balance, ThatIsMissingIsAnErrorWithItsNumbers) {
  try {
    check(1000, -999, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::not_converged);
    EXPECT_EQ(error.message(), "loads and reactions along x are not in balance: 1 N remain of (1000, -999) N");
    EXPECT_NE(error.fix().find("direct"), std::string::npos);
  }
}

}  // namespace
}  // namespace ritz
