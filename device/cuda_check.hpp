// Turns CUDA status codes into errors that name the call. Included by .cu files only.
#pragma once

#include "device/error.hpp"

#include <cuda_runtime.h>

namespace ritz {

inline void cuda_check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  const Exit exit = status == cudaErrorMemoryAllocation ? Exit::resources : Exit::environment;
  throw Error(exit, std::string(what) + " failed on the GPU: " + cudaGetErrorString(status), {},
              "run 'ritz devices' to see what this machine offers, or use --device cpu");
}

}  // namespace ritz
