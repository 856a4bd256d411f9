// Free memory of a GPU without a context on it, by NVML, whose library comes with the driver: it is opened when first
// asked, and nothing depends on it. A context takes a third of a second and half a gigabyte, and where the compute mode
// lets one process in, it locks the card against others.
#pragma once

#include "device/machine.hpp"

#include <cuda_runtime.h>
#include <dlfcn.h>

namespace ritz::cuda {

class Nvml {
 public:
  // In the process already (tests), or the driver's.
  Nvml() {
    if (find("nvmlInit_v2") == nullptr) library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    const auto init = function<int (*)()>("nvmlInit_v2");
    works_ = init != nullptr && init() == 0;
  }
  ~Nvml() {
    if (const auto shutdown = function<int (*)()>("nvmlShutdown"); works_ && shutdown != nullptr) shutdown();
    if (library_ != nullptr) dlclose(library_);
  }
  Nvml(const Nvml&) = delete;

  // [bytes]; 0: not known
  Index free_memory(int ordinal) const {
    const auto handle_of = function<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
    const auto memory_of = function<int (*)(void*, Memory*)>("nvmlDeviceGetMemoryInfo");
    char bus[32] = {};
    if (!works_ || handle_of == nullptr || memory_of == nullptr) return 0;
    if (cudaDeviceGetPCIBusId(bus, sizeof bus, ordinal) != cudaSuccess) {
      cudaGetLastError();
      return 0;
    }
    void* handle = nullptr;
    Memory memory{};
    if (handle_of(bus, &handle) != 0 || memory_of(handle, &memory) != 0) return 0;
    return static_cast<Index>(memory.free);
  }

 private:
  struct Memory {  // nvmlMemory_t
    unsigned long long total, free, used;
  };
  void* find(const char* name) const { return dlsym(library_ != nullptr ? library_ : RTLD_DEFAULT, name); }
  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(find(name));
  }
  void* library_ = nullptr;
  bool works_ = false;
};

}  // namespace ritz::cuda
