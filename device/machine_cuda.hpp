// What the CUDA module (ritz_device.cuda.so) offers to device.cpp: how many GPUs there are, and one as a machine.
#pragma once

#include "device/machine.hpp"

#include <vector>

namespace ritz {

struct CudaFactory {
  // The GPUs that this build can use; when there are none, `why` says the reason in a sentence.
  std::vector<MachineInfo> (*list)(std::string& why);
  Machine* (*create)(int ordinal);  // the caller owns it; throws Error(Exit::environment)
};

}  // namespace ritz
