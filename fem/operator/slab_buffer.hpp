// The buffer where a GPU's element kernels write the results of a slab of chunks. Slabs of many chunks fill a GPU
// better; one chunk at a time suffices if memory is short, and is reported as a fall-back.
#pragma once

#include "device/array.hpp"

#include <string>
#include <vector>

namespace ritz {

// A vector of `size`, or `least` numbers if these do not fit: `steps` gets a sentence. Throws Error(Exit::resources).
Vector slab_buffer(const Device& device, Index size, Index least, std::vector<std::string>& steps);

}  // namespace ritz
