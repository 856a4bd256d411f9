// Fixture and helpers of the tests of a space's arrays on a GPU.
#pragma once

#include "device/memory_needs.hpp"
#include "solvers/algebra/sparse_matrix.hpp"
#include "tests/fem/models.hpp"

namespace ritz::test {

struct OnAGpu : ::testing::Test {
  void SetUp() override {
    if (!has_gpu()) GTEST_SKIP() << "skipped: no GPU";
    gpu = Device::named("gpu");
  }
  Device gpu;
};

// Rounded as the pool does it.
inline Index bytes_of(const SparsityPattern& pattern) {
  return MemoryNeeds()
      .array<Index>("pattern", pattern.rows() + 1)
      .array<std::int32_t>("pattern", pattern.nonzeros())
      .by_tag()
      .at("pattern");
}

}  // namespace ritz::test
