// Turns CUDA status codes into errors that name the call. Included by .cu files and launch_cuda.hpp only.
#pragma once

#include "device/error.hpp"
#include "device/last_launch.hpp"

#include <cuda_runtime.h>

namespace ritz {

// Throws on a CUDA error and clears the runtime's last-error flag, so that a later launch is not blamed for it (sticky
// errors stay).
inline void cuda_check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  const ErrorKind kind = status == cudaErrorMemoryAllocation ? ErrorKind::device_memory : ErrorKind::environment;
  throw Error(kind, std::string(what) + " failed on the GPU: " + cudaGetErrorString(status), {},
              "run 'ritz devices' to see what this machine offers, or use --device cpu");
}

inline void launch_check(cudaError_t status) {
  if (status != cudaSuccess) cuda_check(status, (std::string("the launch '") + last_launch() + "'").c_str());
}

}  // namespace ritz
