// Cycles before and after the matrix has got new values, on any device: on a GPU the first runs plainly, the second is
// recorded, the third replayed, and a recording of old values must be gone.
#pragma once

#include "tests/solvers/multigrid/models.hpp"

#include <gtest/gtest.h>

namespace ritz::testing {

// Values times 4 make a cycle's result exactly a quarter: all numbers change their exponents alone.
inline void expect_cycles_follow_values(const Device& device) {
  const System s = heat_cube(CellKind::hex8, 9, device);
  SmoothedAggregation multigrid(*s.K, s.multigrid());
  ASSERT_GT(multigrid.levels().size(), 1u);
  Vector x = s.space->zeros(), first = s.space->zeros();
  multigrid.apply(s.b, first);
  const std::vector<double> expected = first.host();
  for (int repeat = 0; repeat < 3; ++repeat) {
    fill(1.0, x);
    multigrid.apply(s.b, x);
    EXPECT_EQ(x.host(), expected) << "repetition " << repeat;
  }
  axpby(0.0, s.K->values(), 4.0, s.K->values());
  EXPECT_TRUE(multigrid.refresh());
  for (int repeat = 0; repeat < 4; ++repeat) {
    multigrid.apply(s.b, x);
    axpby(0.0, x, 4.0, x);
    EXPECT_EQ(x.host(), expected) << "after new values, repetition " << repeat;
  }
}

}  // namespace ritz::testing
