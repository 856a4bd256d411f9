// The second-level cache of a device, which launches that hand over results from one to the next should not exceed.
#pragma once

#include "device/device.hpp"

namespace ritz {

Index second_level_cache(const Device& device);  // [bytes] of a GPU; 0: not a GPU, or not known

}  // namespace ritz
