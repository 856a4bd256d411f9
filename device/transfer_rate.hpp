// How fast bytes cross between host and device, from and to page-locked ("pinned") host memory where the device is a
// GPU.
//
//   const TransferRate rate = measure_transfer_rate(device);   // rate.to_device, rate.to_host [bytes/s]
#pragma once

#include "device/device.hpp"

namespace ritz {

struct TransferRate {
  double to_device = 0, to_host = 0;  // [bytes/s] best of three
  bool pinned = false;                // false: not a GPU, or the system locks no more pages
};

// Throws Error: Exit::environment when a copy fails, Error: Exit::internal when other bytes come back than were sent,
// and Error: Exit::resources when the device has no room for `bytes`.
TransferRate measure_transfer_rate(const Device& device, Index bytes = Index{1} << 26);

}  // namespace ritz
