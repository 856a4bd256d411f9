// Drivers and GPUs that are too old, from facts alone.
#include "device/error.hpp"
#include "device/gpu_check.hpp"

#include <gtest/gtest.h>

namespace ritz {
namespace {

MachineInfo gpu(const std::string& capability) {
  MachineInfo info;
  info.kind = "gpu";
  info.name = "a GPU";
  info.compute_capability = capability;
  return info;
}

GpuFacts facts(const std::string& architectures, const std::string& driver = "13.0",
               const std::string& toolkit = "13.0") {
  GpuFacts result;
  result.architectures = architectures;
  result.driver = driver;
  result.toolkit = toolkit;
  return result;
}

bool runs(const GpuFacts& f, const std::string& capability) { return !gpu_fault(f, gpu(capability)); }

TEST(GpuCheck, MachineCodeRunsOnLaterMinorVersionsOnly) {
  const GpuFacts f = facts("80-real");
  EXPECT_TRUE(runs(f, "8.0"));
  EXPECT_TRUE(runs(f, "8.6"));
  EXPECT_TRUE(runs(f, "8.9"));
  EXPECT_FALSE(runs(f, "9.0"));
  EXPECT_FALSE(runs(f, "7.5"));
  EXPECT_FALSE(runs(facts("86-real"), "8.0"));
  EXPECT_TRUE(runs(facts("80-real,90-real"), "9.0"));
  EXPECT_FALSE(runs(facts("80-real,90-real"), "10.0"));
  EXPECT_TRUE(runs(facts("100-real"), "10.3"));
}

TEST(GpuCheck, IntermediateCodeRunsOnLaterGpusWithADriverAsNewAsTheToolkit) {
  EXPECT_TRUE(runs(facts("90"), "12.0"));
  EXPECT_TRUE(runs(facts("80-real,90-virtual"), "10.0"));
  EXPECT_FALSE(runs(facts("90"), "8.9"));
  const auto fault = gpu_fault(facts("90", "13.0", "13.1"), gpu("12.0"));
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->fix.find("CUDA 13.1"), std::string::npos);
  EXPECT_TRUE(runs(facts("90", "13.0", "13.1"), "9.0"));  // its machine code needs no compiler
}

TEST(GpuCheck, ArchitectureSpecificCodeRunsNowhereElse) {
  EXPECT_TRUE(runs(facts("90a"), "9.0"));
  EXPECT_FALSE(runs(facts("90a"), "10.0"));
  EXPECT_FALSE(runs(facts("100a"), "10.3"));
}

TEST(GpuCheck, AGpuThatIsTooOldIsToldWhatToConfigure) {
  const auto ampere = gpu_fault(facts("90"), gpu("8.0"));
  ASSERT_TRUE(ampere);
  EXPECT_NE(ampere->what.find("too old for this build"), std::string::npos);
  EXPECT_NE(ampere->fix.find("-DRITZ_CUDA_ARCHITECTURES=80"), std::string::npos);
  const auto volta = gpu_fault(facts("90"), gpu("7.0"));  // nvcc 13 has no code for it: no remedy of that kind
  ASSERT_TRUE(volta);
  EXPECT_EQ(volta->fix.find("RITZ_CUDA_ARCHITECTURES"), std::string::npos);
  EXPECT_NE(volta->fix.find("7.5"), std::string::npos);
  const auto by_twelve = gpu_fault(facts("90", "12.8", "12.8"), gpu("7.0"));
  ASSERT_TRUE(by_twelve);
  EXPECT_NE(by_twelve->fix.find("RITZ_CUDA_ARCHITECTURES=70"), std::string::npos);
  // Maxwell, the oldest of nvcc 12, is 5.0.
  EXPECT_NE(gpu_fault(facts("90", "12.8", "12.8"), gpu("5.0"))->fix.find("RITZ_CUDA_ARCHITECTURES=50"),
            std::string::npos);
  EXPECT_NE(gpu_fault(facts("90", "12.8", "12.8"), gpu("3.7"))->fix.find("5.0"), std::string::npos);
}

TEST(GpuCheck, AnOlderMajorVersionOfTheDriverIsTooOld) {
  const auto fault = driver_fault(facts("90", "12.8", "13.0"));
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->what.find("12.8"), std::string::npos);
  EXPECT_NE(fault->fix.find("driver to one for CUDA 13, "), std::string::npos);
  EXPECT_NE(fault->fix.find("a toolkit of CUDA 12, "), std::string::npos);
  EXPECT_FALSE(driver_fault(facts("90", "13.0", "13.1")));
  EXPECT_FALSE(driver_fault(facts("90", "13.1", "12.8")));
  EXPECT_FALSE(driver_fault(facts("90", "", "13.0")));    // no driver: no GPU, and that is no fault
  EXPECT_TRUE(driver_fault(facts("90", "9.2", "10.0")));  // numbers, not text
}

TEST(GpuCheck, WordsThatAreNoArchitecturesAreNotJudged) {
  for (const char* words : {"native", "all", "all-major", ""}) EXPECT_TRUE(runs(facts(words), "7.0")) << words;
}

TEST(GpuCheck, EachFaultEndsARunWithTheExitCodeOfTheEnvironment) {
  for (const GpuFacts& f : {facts("90", "12.8"), facts("100")}) try {
      check_gpu(f, gpu("9.0"));
      FAIL() << f.architectures;
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::environment);
      EXPECT_FALSE(error.fix().empty());
      EXPECT_EQ(error.message().rfind("GPU ", 0), 0u) << error.message();  // as the catalogue of errors knows it
    }
  EXPECT_NO_THROW(check_gpu(facts("90"), gpu("9.0")));
}

}  // namespace
}  // namespace ritz
