// Decides whether this build runs on a GPU with its driver. The decision uses plain facts, so that tests can describe
// machines that do not exist.
//
//   const GpuFacts facts = gpu_facts();
//   if (const auto fault = gpu_fault(facts, facts.gpus[0])) ... fault->what, fault->fix ...
#pragma once

#include "device/machine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct GpuFacts {
  // of a build without CUDA, or one whose CUDA libraries are missing; empty: there is one
  std::string why_no_module;
  std::string why_no_gpu;       // empty when there is one
  std::string architectures;    // that the kernels are built for, as CMake writes them: "80-real,90"
  std::string driver, toolkit;  // CUDA versions, "13.0"; driver is empty without a driver
  std::vector<MachineInfo> gpus;
};

// Facts of this machine and this build. Creates no context: a few milliseconds once the driver is up.
GpuFacts gpu_facts();

struct GpuFault {
  std::string what, fix;
};

// A driver of an older major version than the toolkit runs nothing of it; newer drivers run older toolkits, and within
// a major version either may be newer (NVIDIA, CUDA Compatibility, "Minor Version Compatibility").
std::optional<GpuFault> driver_fault(const GpuFacts& facts);
// Machine code for x.y runs on x.z with z >= y; the intermediate code (PTX) of an architecture on every later one,
// compiled by a driver at least as new as the toolkit (CUDA C++ Programming Guide, "Compute Capability and Application
// Compatibility"). Architectures that are no numbers ("native", "all") are not judged: nullopt.
std::optional<GpuFault> gpu_fault(const GpuFacts& facts, const MachineInfo& gpu);

// Throws the first of these faults as Error: Exit::environment.
void check_gpu(const GpuFacts& facts, const MachineInfo& gpu);

}  // namespace ritz
