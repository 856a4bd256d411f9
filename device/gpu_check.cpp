#include "device/gpu_check.hpp"

#include "device/error.hpp"
#include "device/machine_cuda.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace ritz {
namespace {

// "13.0" -> 130, "9.0" -> 90, "12.4" -> 124
int number_of(const std::string& version) {
  const std::size_t dot = version.find('.');
  return 10 * std::atoi(version.c_str()) + (dot == std::string::npos ? 0 : std::atoi(version.c_str() + dot + 1));
}

std::string version_of(int number) { return fmt::format("{}.{}", number / 10, number % 10); }

struct Code {
  int capability;              // 90 for 9.0
  bool machine, intermediate;  // 90: both; 90-real, 90-virtual: one of them
  bool only_here;              // 90a, 100f: not on later ones
};

// Empty where a word is no architecture.
std::vector<Code> codes_of(const std::string& list) {
  std::vector<Code> codes;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find_first_of(",;", begin), list.size());
    const std::string word = list.substr(begin, end - begin);
    begin = end + 1;
    char* rest = nullptr;
    const long capability = std::strtol(word.c_str(), &rest, 10);
    if (capability < 10) return {};
    codes.push_back({static_cast<int>(capability), !word.ends_with("-virtual"), !word.ends_with("-real"),
                     *rest == 'a' || *rest == 'f'});
  }
  return codes;
}

std::string name_of(const MachineInfo& gpu) {
  return fmt::format("GPU {} ({}, compute capability {})", gpu.ordinal, gpu.name, gpu.compute_capability);
}

// nvcc 13 compiles for Turing and later, nvcc 12 for Maxwell and later (release notes of the CUDA toolkit).
int least_capability(const GpuFacts& facts) { return number_of(facts.toolkit) >= 130 ? 75 : 50; }

}  // namespace

GpuFacts gpu_facts() {
  GpuFacts facts;
  const CudaFactory* factory = cuda_factory(facts.why_no_module);
  if (factory == nullptr) return facts;
  facts.architectures = factory->architectures;
  factory->versions(facts.driver, facts.toolkit);
  facts.gpus = factory->list(facts.why_no_gpu);
  return facts;
}

std::optional<GpuFault> driver_fault(const GpuFacts& facts) {
  const int driver = number_of(facts.driver), toolkit = number_of(facts.toolkit);
  if (facts.driver.empty() || driver / 10 >= toolkit / 10) return std::nullopt;
  return GpuFault{
      fmt::format("GPU driver too old: it is for CUDA {}, and this build was made with CUDA {}", facts.driver,
                  facts.toolkit),
      fmt::format(
          "update the NVIDIA driver to one for CUDA {}, build Ritz with a toolkit of CUDA {}, or use --device cpu",
          toolkit / 10, driver / 10)};
}

std::optional<GpuFault> gpu_fault(const GpuFacts& facts, const MachineInfo& gpu) {
  const int here = number_of(gpu.compute_capability);
  const std::vector<Code> codes = codes_of(facts.architectures);
  const auto runs = [here](const Code& c) {
    return c.machine && (c.only_here ? c.capability == here : c.capability / 10 == here / 10 && c.capability <= here);
  };
  const auto compiles = [here](const Code& c) { return c.intermediate && !c.only_here && c.capability <= here; };
  if (codes.empty() || std::ranges::any_of(codes, runs)) return std::nullopt;
  const std::string configure = fmt::format("configure with -DRITZ_CUDA_ARCHITECTURES={}, or use --device cpu", here);
  if (std::ranges::any_of(codes, compiles)) {
    if (number_of(facts.driver) >= number_of(facts.toolkit)) return std::nullopt;
    return GpuFault{fmt::format("{} needs code that the driver compiles, and the driver (CUDA {}) is older than the "
                                "toolkit of this build (CUDA {})",
                                name_of(gpu), facts.driver, facts.toolkit),
                    fmt::format("update the NVIDIA driver to one for CUDA {}, or {}", facts.toolkit, configure)};
  }
  const bool too_old = std::ranges::all_of(codes, [here](const Code& c) { return c.capability > here; });
  return GpuFault{
      fmt::format("{} {}; this build holds code for {}", name_of(gpu),
                  too_old ? "is too old for this build" : "is not among those of this build", facts.architectures),
      here >= least_capability(facts) ? configure
                                      : fmt::format("CUDA {} compiles for compute capability {} and later: use "
                                                    "--device cpu, another GPU, or a build with an older toolkit",
                                                    facts.toolkit, version_of(least_capability(facts)))};
}

void check_gpu(const GpuFacts& facts, const MachineInfo& gpu) {
  std::optional<GpuFault> fault = driver_fault(facts);
  if (!fault) fault = gpu_fault(facts, gpu);
  if (fault) throw Error(ErrorKind::no_gpu, fault->what, {}, fault->fix);
}

}  // namespace ritz
