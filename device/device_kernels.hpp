// The kernels that device/ itself needs.
#pragma once

#include "device/device.hpp"

namespace ritz {

struct DeviceKernels {
  void (*copy)(const Device&, Index count, const double* source, double* target);
};

}  // namespace ritz
