// The quotient of two numbers on the device, as an argument of kernels. DeviceRatio: 0 unless the denominator is
// positive. DeviceQuotient: of any sign, 0 where the denominator is 0; or a single number.
#pragma once

#ifdef __CUDACC__
#include "solvers/algebra/device_ratio_cuda.hpp"
#else
#include "solvers/algebra/device_ratio_cpu.hpp"
#endif
