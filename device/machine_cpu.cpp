#include "device/machine_cpu.hpp"

#include "device/error.hpp"
#include "device/host_limits.hpp"
#include "device/host_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <malloc.h>
#include <sys/mman.h>

namespace ritz {
namespace {

bool supports_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

bool supports_v4() {
  return supports_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
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
    info.memory_free = host_limits().memory_available;
    if (host_memory_limit() > 0) info.memory_free = std::min(info.memory_free, host_memory_limit() - host_memory_live());
    return info;
  }

 protected:
  // Large blocks are aligned to huge pages and ask for them: gathers over nodes miss the TLB less.
  void* do_allocate(Index bytes) override {
    constexpr std::size_t huge_page = std::size_t{2} << 20;
    const auto size = static_cast<std::size_t>(bytes);
    const std::size_t step = size < huge_page ? 256 : huge_page;
    void* memory = std::aligned_alloc(step, (size + step - 1) / step * step);
    if (memory == nullptr) return nullptr;
    if (!take_host_memory(usable(memory))) {
      std::free(memory);
      return nullptr;
    }
    if (step == huge_page) madvise(memory, size, MADV_HUGEPAGE);
    return memory;
  }
  void do_free(void* memory) noexcept override {
    give_host_memory(usable(memory));
    std::free(memory);
  }
  void do_copy_to_device(void* device, const void* host, Index bytes) override { copy(device, host, bytes); }
  void do_copy_to_host(void* host, const void* device, Index bytes) override { copy(host, device, bytes); }
  void do_copy_on_device(void* target, const void* source, Index bytes) override { copy(target, source, bytes); }
  void do_fill_zero(void* device, Index bytes) override { std::memset(device, 0, static_cast<std::size_t>(bytes)); }

 private:
  static Index usable(void* memory) { return static_cast<Index>(malloc_usable_size(memory)); }
  static void copy(void* target, const void* source, Index bytes) {
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
  }
};

}  // namespace

std::unique_ptr<Machine> make_cpu_machine(const std::string& backend) {
  const std::string best = supports_v4() ? "v4" : supports_v3() ? "v3" : "";
  const std::string chosen = backend.empty() ? best : backend;
  const bool possible = chosen == "v4" ? supports_v4() : chosen == "v3" && supports_v3();
  if (!possible)
    throw Error(Exit::environment,
                fmt::format("this processor ({}) lacks the instruction set x86-64-{}", processor_name(),
                            chosen.empty() ? "v3" : chosen),
                "Ritz's CPU kernels need AVX2 and FMA (v3) or AVX-512 (v4)",
                best.empty() ? "use a processor from 2013 or later, or a GPU" : "use --device cpu:" + best);
  return std::make_unique<CpuMachine>(chosen);
}

}  // namespace ritz
