#include "device/device_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND {
namespace {

struct Copy {
  const double* source;
  double* target;
  constexpr void operator()(Index i) const { target[i] = source[i]; }
};

void copy(const Device& device, Index count, const double* source, double* target) {
  for_each(device, "copy", count, Copy{source, target});
}

const DeviceKernels table{copy};
const Registration registration("device", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
