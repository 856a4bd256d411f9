// Interface of the CUDA module (ritz_device.cuda.so) to the rest of device/: the number of GPUs, and one GPU as a
// machine.
#pragma once

#include "device/launch_records.hpp"
#include "device/machine.hpp"

#include <vector>

namespace ritz {

struct CudaFactory {
  // The GPUs that this build can use, without a context on any of them; memory_free is 0 where NVML does not say it.
  // When there are none, `why` says the reason in a sentence.
  std::vector<MachineInfo> (*list)(std::string& why);
  Machine* (*create)(int ordinal);                              // the caller owns it; throws Error: Exit::environment
  void (*versions)(std::string& driver, std::string& toolkit);  // of CUDA: "13.0"; driver empty: there is none
  const char* architectures;                                    // RITZ_CUDA_ARCHITECTURES, commas between: "80-real,90"
  bool (*pin)(void* memory, Index bytes);                       // locks host pages; false: the system does not let us
  void (*unpin)(void* memory);
  Index (*second_level_cache)(int ordinal);                 // [bytes]; 0: not known
  std::vector<LaunchRecord> (*launches)(Machine& machine);  // take_launch_records()
};

// nullptr when this build or this machine has no CUDA; `why` says the reason.
const CudaFactory* cuda_factory(std::string& why);

}  // namespace ritz
