// Sorts pairs on a GPU by CUB. A CUDA module that uses it has device/scan_cuda.cu among its sources.
#pragma once

#include "device/device.hpp"

#include <cstdint>

namespace ritz::RITZ_BACKEND {

// Stable, ascending, in place.
void sort_by_key(const Device& device, std::uint64_t* keys, std::uint32_t* values, Index n);

}  // namespace ritz::RITZ_BACKEND
