#include "device/host_limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <sched.h>
#include <unistd.h>

namespace ritz {
namespace {

namespace fs = std::filesystem;

// A machine of 64 GB with 50 GB available, as files.
class HostLimitsTest : public ::testing::Test {
 protected:
  HostLimitsTest() {
    write("proc/meminfo", "MemTotal:       64000000 kB\nMemFree:        10000000 kB\nMemAvailable:   50000000 kB\n");
  }
  ~HostLimitsTest() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  HostLimits read() const { return host_limits(root_.string()); }
  fs::path root_ = fs::temp_directory_path() / ("ritz-limits-" + std::to_string(::getpid()));
};

TEST_F(HostLimitsTest, WithoutGroupsTheMachineIsTheLimit) {
  EXPECT_EQ(read().memory_total, 64'000'000 * 1024LL);
  EXPECT_EQ(read().memory_available, 50'000'000 * 1024LL);
  EXPECT_EQ(read().group_memory, 0);
  EXPECT_FALSE(read().group_limits_memory());
  EXPECT_EQ(read().group_processors, 0);
  EXPECT_EQ(read().threads(), read().affinity);
}

TEST_F(HostLimitsTest, RanksOfOneMachineShareItsMemoryAndThoseOfTheSameProcessorsThem) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "8000000000\n");
  const HostLimits whole = read();
  share_host({.processes = 4, .on_these_processors = 2});
  const HostLimits part = read();
  share_host({});
  EXPECT_EQ(part.memory_total, 2'000'000'000);
  EXPECT_EQ(part.group_memory, 2'000'000'000);
  EXPECT_EQ(part.memory_available, whole.memory_available / 4);
  EXPECT_TRUE(part.group_limits_memory());
  EXPECT_EQ(part.threads(), std::max(1, whole.threads() / 2));
  EXPECT_EQ(part.affinity, whole.affinity);
  EXPECT_EQ(read().group_memory, whole.group_memory);
}

TEST_F(HostLimitsTest, ProcessesWithTheSameMaskSayTheSame) {
  const std::string all = affinity_text();
  EXPECT_FALSE(all.empty());
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int processor = 0;
  while (!CPU_ISSET(processor, &before)) ++processor;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const std::string single = affinity_text();
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(std::stoull(single, nullptr, 16), 1ULL << processor);  // fewer than 64 processors before this one
  EXPECT_EQ(affinity_text(), all);
}

TEST_F(HostLimitsTest, TheTightestGroupOnTheWayUpCounts) {
  write("proc/self/cgroup", "0::/slurm/job1/step0\n");
  write("sys/fs/cgroup/slurm/job1/memory.max", "8000000000\n");
  write("sys/fs/cgroup/slurm/job1/memory.current", "3000000000\n");
  write("sys/fs/cgroup/slurm/job1/memory.stat", "anon 1000\ninactive_file 500000000\n");
  write("sys/fs/cgroup/slurm/job1/step0/memory.max", "max\n");
  write("sys/fs/cgroup/slurm/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/slurm/job1/step0/cpu.max", "50000 100000\n");
  const HostLimits limits = read();
  EXPECT_EQ(limits.group_memory, 8'000'000'000);
  EXPECT_EQ(limits.memory_total, 8'000'000'000);
  EXPECT_EQ(limits.memory_available, 5'500'000'000);  // what is cached of files can go
  EXPECT_EQ(limits.group_processors, 0.5);
  EXPECT_EQ(limits.threads(), 1);
}

TEST_F(HostLimitsTest, AGroupLimitsMemoryBelowTheMachinesOnly) {
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "8000000000\n");
  EXPECT_TRUE(read().group_limits_memory());
  write("sys/fs/cgroup/job/memory.max", "80000000000\n");
  EXPECT_EQ(read().group_memory, 80'000'000'000);
  EXPECT_FALSE(read().group_limits_memory());
}

TEST_F(HostLimitsTest, ReadsVersionOneAndItsNumberForNoLimit) {
  write("proc/self/cgroup", "5:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "4000000000\n");  // inside the container the path is not there
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1000000000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(read().memory_available, 3'000'000'000);
  EXPECT_EQ(read().group_processors, 1.5);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(read().group_memory, 0);
  EXPECT_EQ(read().group_processors, 0);
}

}  // namespace
}  // namespace ritz
