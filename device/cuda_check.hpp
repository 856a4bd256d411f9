// Turns CUDA status codes into errors that name the call. Included by .cu files and launch_cuda.hpp only.
#pragma once

#include "device/error.hpp"
#include "device/last_launch.hpp"

#include <cuda_runtime.h>

namespace ritz {

// What is thrown is told: the runtime's note of it is cleared, that no later launch is blamed for it (where it is not
// sticky).
inline void cuda_check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  const Exit exit = status == cudaErrorMemoryAllocation ? Exit::resources : Exit::environment;
  throw Error(exit, std::string(what) + " failed on the GPU: " + cudaGetErrorString(status), {},
              "run 'ritz devices' to see what this machine offers, or use --device cpu");
}

inline void launch_check(cudaError_t status) {
  if (status != cudaSuccess) cuda_check(status, (std::string("the launch '") + last_launch() + "'").c_str());
}

}  // namespace ritz
