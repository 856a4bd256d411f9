#include "device/machine_cpu.hpp"

#include "device/error.hpp"
#include "device/host_limits.hpp"
#include "device/host_memory.hpp"
#include "device/huge_pages.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <malloc.h>
#include <map>
#include <new>

namespace ritz {
namespace {

bool supports_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

bool supports_v4() {
  return supports_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
}

// Returns whether this build has the kernels of an instruction set.
bool is_built(const std::string& backend) {
  return std::string(RITZ_BUILT_CPU_BACKENDS).find(backend) != std::string::npos;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "CPU";
}

class CpuMachine final : public Machine {
 public:
  explicit CpuMachine(const std::string& backend) {
    info_.kind = "cpu";
    info_.name = processor_name();
    info_.backend = backend;
    const HostLimits limits = host_limits();
    info_.memory_total = limits.memory_total;
    info_.memory_free = limits.memory_available;
  }
  MachineInfo current_info() override {
    MachineInfo info = info_;
    info.memory_free = host_limits().memory_available + static_cast<Index>(kept_pages());
    if (host_memory_limit() > 0)
      info.memory_free = std::min(info.memory_free, host_memory_limit() - host_memory_live());
    return info;
  }

 protected:
  // Large blocks are mapped one by one, so that they return to the system when freed; malloc keeps blocks between
  // others.
  void* do_allocate(Index bytes) override {
    const auto size = static_cast<std::size_t>(bytes);
    if (size >= large) return allocate_pages(size);
    void* memory = std::aligned_alloc(256, (size + 255) / 256 * 256);
    if (memory == nullptr) return nullptr;
    if (!take_host_memory(usable(memory))) {
      std::free(memory);
      return nullptr;
    }
    return memory;
  }
  void do_free(void* memory) noexcept override {
    if (const auto mapped = mapped_.find(memory); mapped != mapped_.end()) {
      unmap_pages(memory, mapped->second);
      give_host_memory(static_cast<Index>(mapped_size(mapped->second)));
      mapped_.erase(mapped);
      return;
    }
    give_host_memory(usable(memory));
    std::free(memory);
  }
  void do_copy_to_device(void* device, const void* host, Index bytes) override { copy(device, host, bytes); }
  void do_copy_to_host(void* host, const void* device, Index bytes) override { copy(host, device, bytes); }
  void do_copy_on_device(void* target, const void* source, Index bytes) override { copy(target, source, bytes); }
  void do_fill_zero(void* device, Index bytes) override { std::memset(device, 0, static_cast<std::size_t>(bytes)); }

 private:
  static constexpr std::size_t large = std::size_t{1} << 20;

  void* allocate_pages(std::size_t bytes) {
    const auto size = static_cast<Index>(mapped_size(bytes));
    void* const memory = map_pages(bytes);
    if (memory == nullptr) return nullptr;
    try {
      if (take_host_memory(size)) {
        mapped_[memory] = bytes;
        return memory;
      }
    } catch (const std::bad_alloc&) { give_host_memory(size); }
    unmap_pages(memory, bytes);
    return nullptr;
  }
  static Index usable(void* memory) { return static_cast<Index>(malloc_usable_size(memory)); }
  static void copy(void* target, const void* source, Index bytes) {
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
  }

  std::map<void*, std::size_t> mapped_;  // bytes
};

}  // namespace

std::unique_ptr<Machine> make_cpu_machine(const std::string& backend) {
  const std::string best = supports_v4() && is_built("v4") ? "v4" : supports_v3() && is_built("v3") ? "v3" : "";
  const std::string chosen = backend.empty() ? best : backend;
  const bool possible = chosen == "v4" ? supports_v4() : chosen == "v3" && supports_v3();
  if (!possible)
    throw Error(ErrorKind::processor,
                fmt::format("this processor ({}) lacks the instruction set x86-64-{}", processor_name(),
                            chosen.empty() ? "v3" : chosen),
                "Ritz's CPU kernels need AVX2 and FMA (v3) or AVX-512 (v4)",
                best.empty() ? "use a processor from 2013 or later, or a GPU" : "use --device cpu:" + best);
  if (!is_built(chosen))
    throw Error(ErrorKind::processor, fmt::format("this build has no CPU kernels for x86-64-{}", chosen),
                "it was configured with RITZ_CPU_BACKENDS=" RITZ_BUILT_CPU_BACKENDS,
                "configure with -DRITZ_CPU_BACKENDS=\"v3;v4\"");
  return std::make_unique<CpuMachine>(chosen);
}

}  // namespace ritz
