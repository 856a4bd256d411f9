#include "device/ranks/device_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ritz {
namespace {

using ::testing::HasSubstr;

RankDevice on(const std::string& host, const std::string& card, int version = 23203) {
  return {.is_gpu = true, .why_not = "", .host = host, .card = card, .version = version};
}

TEST(DeviceMessages, GoByNcclWhereEachRankHasAGpuOfItsOwn) {
  EXPECT_EQ(why_not_nccl(std::vector{on("a", "0000:01:00.0"), on("a", "0000:02:00.0"), on("b", "0000:01:00.0")}), "");
  EXPECT_EQ(why_not_nccl(std::vector{on("a", "0000:01:00.0"), on("b", "0000:01:00.0"), on("b", "0000:01:00.0")}),
            "ranks 1 and 2 have the same GPU, 0000:01:00.0 of b");
}

TEST(DeviceMessages, GoThroughTheHostsWhereOneRankLacksWhatTheOthersHave) {
  RankDevice without = on("b", "");
  without.why_not = "libnccl.so.2: no such file";
  EXPECT_EQ(why_not_nccl(std::vector{on("a", "0"), without}), "rank 1: libnccl.so.2: no such file");
  EXPECT_EQ(why_not_nccl(std::vector{on("a", "0"), on("a", "1", 22809)}),
            "rank 0 has NCCL 2.32.3 and rank 1 has 2.28.9");
}

// Needs no GPU: the library says its version, and has all functions that are called.
TEST(DeviceMessages, LibraryOfThisMachineHasWhatIsCalled) {
  const DeviceMessagesModule* module = nullptr;
  if (const std::string why = load_device_messages(module); !why.empty()) {
    EXPECT_THAT(why, ::testing::AnyOf(HasSubstr("this build has no"), HasSubstr("cannot open shared object file")));
    GTEST_SKIP() << "skipped: no NCCL: " << why;
  }
  EXPECT_GE(module->version(), 20700);
  EXPECT_EQ(module->id().size(), 128u);
}

}  // namespace
}  // namespace ritz
