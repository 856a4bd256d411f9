// Conditions of a recording. On a GPU, replayed launches that allocate would write to memory that others use by then.
#include "device/array.hpp"
#include "device/error.hpp"
#include "solvers/multigrid/recording.hpp"
#include "tests/solvers/multigrid/followed_values.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

TEST(Recording, LaunchesThatTakeMemoryOrReadAreFoundOnTheFakeDevice) {
  const Device fake = Device::named("fake");
  Vector x(fake, 100, "test"), y(fake, 100, "test");
  Recording recording;
  const auto take = [&] { const Vector more(fake, 100, "test"); };
  for (int repeat = 0; repeat < 3; ++repeat) {  // from the machine, then from what the pool keeps
    EXPECT_NO_THROW(recording.run(fake, [&] {
      x.fill_zero();
      y.copy_from(x);
    }));
    EXPECT_THROW(recording.run(fake, take), Error);
    EXPECT_THROW(recording.run(fake, [&] { x.host(); }), Error);
  }
}

TEST(Recording, TheCheckLeavesThePeakOfMemoryAsItWas) {
  const Device fake = Device::named("fake");
  { const Vector large(fake, 1'000'000, "test"); }
  Vector x(fake, 100, "test");
  Recording recording;
  recording.run(fake, [&] { x.fill_zero(); });
  EXPECT_GE(fake.memory().take_recent_peak(), 8'000'000);
}

TEST(Recording, CyclesFollowNewValues) {  // the same test for a GPU: tests/solvers/multigrid/gpu_test.cpp
  for (const char* device : {"cpu", "fake"}) testing::expect_cycles_follow_values(Device::named(device));
}

TEST(Recording, ACpuRunsWhateverItIs) {
  const Device cpu = Device::named("cpu");
  Recording recording;
  int runs = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    recording.run(cpu, [&] {
      const Vector more(cpu, 100, "test");
      ++runs;
    });
  }
  EXPECT_EQ(runs, 3);
  EXPECT_TRUE(recording.why_not().empty());
}

}  // namespace
}  // namespace ritz
