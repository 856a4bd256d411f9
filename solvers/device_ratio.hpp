// The quotient of two numbers on the device, as an argument of kernels: 0 unless the denominator is positive.
#pragma once

#ifdef __CUDACC__
#include "solvers/device_ratio_cuda.hpp"
#else
#include "solvers/device_ratio_cpu.hpp"
#endif
