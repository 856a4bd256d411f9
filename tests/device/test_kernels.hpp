// Kernels that the tests of device/ launch: one for_each and one reduce.
#pragma once

#include "device/device.hpp"

namespace ritz {

struct TestKernels {
  void (*count_visits)(const Device&, Index count, double* visits);                            // visits[i] += i + 1
  void (*sums)(const Device&, Index count, const double* x, const double* y, double* result);  // {sum x, sum x y}
};

}  // namespace ritz
