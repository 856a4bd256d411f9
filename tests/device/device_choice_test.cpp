// The choice of `auto`, from facts alone.
#include "device/device_choice.hpp"
#include "device/error.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ritz {
namespace {

MachineInfo gpu(const std::string& name, double free_gb, double total_gb = 80) {
  MachineInfo info;
  info.kind = "gpu";
  info.name = name;
  info.memory_free = static_cast<Index>(1e9 * free_gb);
  info.memory_total = static_cast<Index>(1e9 * total_gb);
  return info;
}

Error error_of_rank(const DeviceFacts& facts) {
  try {
    choose_for_rank(facts);
  } catch (const Error& error) { return error; }
  return Error(ErrorKind{}, "no error");
}

TEST(DeviceChoice, WithoutGpusIsTheCpuAndSaysWhy) {
  const DeviceChoice choice = choose_device({.why_no_gpu = "no NVIDIA driver is installed"});
  EXPECT_EQ(choice.gpu, -1);
  EXPECT_EQ(choice.why, "no NVIDIA driver is installed");
}

TEST(DeviceChoice, TakesTheFreestOfEquals) {
  const DeviceChoice choice = choose_device({.gpus = {gpu("A100", 10), gpu("A100", 60), gpu("A100", 30)}});
  EXPECT_EQ(choice.gpu, 1);
  EXPECT_NE(choice.why.find("most free memory of 3 equal GPUs"), std::string::npos) << choice.why;
}

TEST(DeviceChoice, FreeMemoryOfASlowerCardDoesNotCount) {
  EXPECT_EQ(choose_device({.gpus = {gpu("H200", 20, 141), gpu("T4", 15, 16), gpu("H200", 90, 141)}}).gpu, 2);
  EXPECT_EQ(choose_device({.gpus = {gpu("H200", 20, 141), gpu("RTX 6000", 45, 48)}}).gpu, 0);
}

TEST(DeviceChoice, AGpuThatCannotBeUsedIsLeftOutAndNamed) {
  DeviceFacts facts{.gpus = {gpu("Quadro", 4, 4), gpu("H200", 140), gpu("H200", 100)}};
  for (std::size_t i = 0; i < facts.gpus.size(); ++i) facts.gpus[i].ordinal = static_cast<int>(i);
  const DeviceChoice choice = choose_usable(facts, [](const MachineInfo& each) {
    if (each.ordinal == 1) throw Error(ErrorKind::no_gpu, "GPU 1 is taken by another process");
    if (each.name == "Quadro") throw Error(ErrorKind::no_gpu, "GPU 0 is too old for this build");
  });
  EXPECT_EQ(choice.gpu, 2);
  EXPECT_EQ(
      choice.why,
      "the only GPU that can be used; left out: GPU 0 is too old for this build; GPU 1 is taken by another process");
}

// A context takes memory of a card, and may lock it.
TEST(DeviceChoice, OnlyTheChosenGpuIsOpened) {
  DeviceFacts facts{.gpus = {gpu("H200", 100), gpu("H200", 140), gpu("H200", 120)}};
  for (std::size_t i = 0; i < facts.gpus.size(); ++i) facts.gpus[i].ordinal = static_cast<int>(i);
  std::vector<int> opened;
  EXPECT_EQ(choose_usable(facts, [&](const MachineInfo& each) { opened.push_back(each.ordinal); }).gpu, 1);
  EXPECT_EQ(opened, std::vector<int>{1});
}

// Another would be another rank's.
TEST(DeviceChoice, ARankDoesNotTakeAnotherGpuThanItsOwn) {
  DeviceFacts facts{.gpus = {gpu("H200", 100), gpu("H200", 140)}, .local_rank = 1, .local_ranks = 2};
  const auto taken = [](const MachineInfo&) { throw Error(ErrorKind::environment, "taken"); };
  EXPECT_THROW(choose_usable(facts, taken), Error);
}

TEST(DeviceChoice, WhereNoGpuCanBeUsedAutoIsTheCpuAndSaysWhy) {
  DeviceFacts facts{.gpus = {gpu("Quadro", 4, 4)}};
  const DeviceChoice choice = choose_usable(
      facts, [](const MachineInfo&) { throw Error(ErrorKind::no_gpu, "GPU 0 is too old for this build"); });
  EXPECT_EQ(choice.gpu, -1);
  EXPECT_EQ(choice.why, "GPU 0 is too old for this build");
}

TEST(DeviceChoice, SmallProblemsStayOnTheCpu) {
  DeviceFacts facts{.gpus = {gpu("H200", 100)}, .unknowns = 5'000, .crossover = 20'000};
  EXPECT_EQ(choose_device(facts).gpu, -1);
  EXPECT_NE(choose_device(facts).why.find("20000"), std::string::npos);
  facts.unknowns = 50'000;
  EXPECT_EQ(choose_device(facts).gpu, 0);
  facts.unknowns = 0;  // not known
  EXPECT_EQ(choose_device(facts).gpu, 0);
  facts.unknowns = 5'000;
  facts.crossover.reset();  // not measured
  EXPECT_EQ(choose_device(facts).gpu, 0);
}

// Under SLURM a run alone is rank 0 of 1: it looks for free memory as without.
TEST(DeviceChoice, OneRankAloneChoosesAsNone) {
  const std::vector<MachineInfo> gpus{gpu("A100", 10), gpu("A100", 60)};
  for (const int ranks : {0, 1}) {
    const DeviceFacts alone{.gpus = gpus, .local_rank = 0, .local_ranks = ranks};
    EXPECT_FALSE(is_one_of_several_ranks(alone));
    EXPECT_EQ(choose_device(alone).gpu, 1);
  }
  EXPECT_FALSE(is_one_of_several_ranks({.gpus = gpus}));
  EXPECT_TRUE(is_one_of_several_ranks({.gpus = gpus, .local_rank = 0, .local_ranks = 2}));
  EXPECT_TRUE(is_one_of_several_ranks({.gpus = gpus, .local_rank = 1}));
}

TEST(DeviceChoice, RanksTakeOneGpuEach) {
  DeviceFacts facts{.gpus = {gpu("A100", 10), gpu("A100", 60)}, .local_ranks = 2};
  for (const int rank : {0, 1}) {
    facts.local_rank = rank;
    EXPECT_EQ(choose_device(facts).gpu, rank) << "whatever is free there";
  }
}

TEST(DeviceChoice, TwoRanksOnOneGpuAreRefusedUnlessAllowed) {
  DeviceFacts facts{.gpus = {gpu("A100", 10), gpu("A100", 60)}, .local_rank = 2, .local_ranks = 3};
  EXPECT_EQ(error_of_rank(facts).exit(), Exit::environment);
  EXPECT_NE(error_of_rank(facts).message().find("3 ranks, 2 GPUs"), std::string::npos)
      << error_of_rank(facts).message();
  facts.local_rank = 0;  // the first is told, too: all ranks end alike
  EXPECT_EQ(error_of_rank(facts).exit(), Exit::environment);
  facts.may_share = true;
  for (const int rank : {0, 1, 2}) {
    facts.local_rank = rank;
    EXPECT_EQ(choose_device(facts).gpu, rank % 2);
    EXPECT_EQ(choose_device(facts).ranks, rank % 2 == 0 ? 2 : 1) << "ranks 0 and 2 have the first";
  }
}

TEST(DeviceChoice, AutoIsTheCpuForAllRanksWhereTheyWouldShareAGpu) {
  DeviceFacts facts{.gpus = {gpu("A100", 10), gpu("A100", 60)}, .local_ranks = 3};
  for (const int rank : {0, 1, 2}) {
    facts.local_rank = rank;
    EXPECT_EQ(choose_device(facts).gpu, -1);
    EXPECT_NE(choose_device(facts).why.find("3 ranks, 2 GPUs"), std::string::npos) << choose_device(facts).why;
  }
}

TEST(DeviceChoice, AGpuByNumberIsForOneRank) {
  DeviceFacts facts{.gpus = {gpu("A100", 10), gpu("A100", 60)}, .local_rank = 0, .local_ranks = 2};
  EXPECT_THROW(check_named_gpu(facts, "gpu:1"), Error);
  facts.may_share = true;
  EXPECT_NO_THROW(check_named_gpu(facts, "gpu:1"));
  EXPECT_NO_THROW(check_named_gpu({.gpus = facts.gpus, .local_rank = 0, .local_ranks = 1}, "gpu:1"));
  // each rank sees one of its own
  EXPECT_NO_THROW(
      check_named_gpu({.gpus = {gpu("A100", 10)}, .visible = "0", .local_rank = 1, .local_ranks = 2}, "gpu:0"));
}

TEST(DeviceChoice, ARankThatSeesOneGpuOfItsOwnTakesIt) {
  const DeviceChoice choice = choose_device(
      {.gpus = {gpu("A100 MIG 1g.10gb", 9, 10)}, .visible = "MIG-4f3c", .local_rank = 3, .local_ranks = 4});
  EXPECT_EQ(choice.gpu, 0);
  EXPECT_NE(choice.why.find("a slice of a GPU"), std::string::npos) << choice.why;
}

TEST(DeviceChoice, ALoneRankIsNoRank) {
  EXPECT_EQ(choose_device({.gpus = {gpu("A100", 1), gpu("A100", 2)}, .local_rank = 0, .local_ranks = 1}).gpu, 1);
}

TEST(DeviceChoice, ReadsRanksOfTheBatchSystem) {
  for (const char* name : {"SLURM_LOCALID", "SLURM_NTASKS_PER_NODE", "OMPI_COMM_WORLD_LOCAL_RANK",
                           "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALRANKID", "RITZ_SHARE_GPU"})
    ::unsetenv(name);
  EXPECT_EQ(facts_of_environment({}, "").local_rank, -1);
  ::setenv("SLURM_LOCALID", "3", 1);
  ::setenv("SLURM_NTASKS_PER_NODE", "4(x2)", 1);
  EXPECT_EQ(facts_of_environment({}, "").local_rank, 3);
  EXPECT_EQ(facts_of_environment({}, "").local_ranks, 4);
  ::setenv("SLURM_LOCALID", "x", 1);
  EXPECT_EQ(facts_of_environment({}, "").local_rank, -1);
  EXPECT_FALSE(facts_of_environment({}, "").may_share);
  ::setenv("RITZ_SHARE_GPU", "1", 1);
  EXPECT_TRUE(facts_of_environment({}, "").may_share);
  ::unsetenv("RITZ_SHARE_GPU");
  ::unsetenv("SLURM_LOCALID");
  ::unsetenv("SLURM_NTASKS_PER_NODE");
}

TEST(Crossover, LiesWhereTheLinesMeet) {
  // CPU: n ns; GPU: 10 us + n / 10 ns. They meet at n = 11111.
  std::vector<Index> sizes;
  std::vector<double> cpu, gpu_seconds;
  for (Index n = 1000; n <= 1'024'000; n *= 2) {
    sizes.push_back(n);
    cpu.push_back(1e-9 * double(n));
    gpu_seconds.push_back(1e-5 + 1e-10 * double(n));
  }
  EXPECT_NEAR(double(crossover_of(sizes, cpu, gpu_seconds)), 11111, 600);
  EXPECT_EQ(crossover_of(sizes, gpu_seconds, cpu), 0) << "ahead from the start";
  EXPECT_EQ(crossover_of(sizes, cpu, std::vector<double>(sizes.size(), 1)), sizes.back()) << "never ahead";
}

}  // namespace
}  // namespace ritz
