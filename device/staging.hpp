// Copies between the host's ordinary memory and a device. Where the device has memory of its own, large ones go in
// pieces through two pinned blocks of the device's pool: one is filled or emptied by the host while the other is on its
// way. Small ones, and all where the system locks no more pages, go as they are.
#pragma once

#include "device/device.hpp"

namespace ritz {

inline constexpr Index staging_piece = Index{4} << 20;  // [bytes] of each of the two blocks

// Both are done when they return. Throw Error: Exit::environment when the device reports an error.
void copy_to_device(const Device& device, void* target, const void* host, Index bytes);
void copy_to_host(const Device& device, void* host, const void* source, Index bytes);

}  // namespace ritz
