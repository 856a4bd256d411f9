#include "tests/solvers/multigrid/sparse_products.hpp"

namespace ritz::testing {
namespace {

void on_each_device(void (*check)(const Device&)) {
  for (const std::string& name : back_ends({"cpu:v3", "cpu:v4", "fake"}))
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(name);
      check(Device::named(name, threads));
    }
}

TEST(SparseProducts, AreThoseOfTheirRows) {
  on_each_device([](const Device& device) { expect_products(device, 0); });
}
TEST(SparseProducts, LongRowsAreSorted) {
  on_each_device([](const Device& device) { expect_products(device, 1); });
}
TEST(SparseProducts, SumsHaveTheColumnsOfEither) { on_each_device(expect_sums); }
TEST(SparseProducts, RowsAndColumnsAreScaled) { on_each_device(expect_scaled); }
TEST(SparseProducts, BlocksAreJoinedOnTheirDevice) { on_each_device(expect_joined); }

}  // namespace
}  // namespace ritz::testing
