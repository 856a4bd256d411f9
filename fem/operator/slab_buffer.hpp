// Where a GPU's element kernels write the results of a slab of chunks. Slabs of many chunks fill a GPU better; one
// chunk at a time will do where memory is short, and is a step down that is told.
#pragma once

#include "device/array.hpp"

#include <string>
#include <vector>

namespace ritz {

// Of `size` numbers, or of `least` where these do not fit: then `steps` gets a sentence. Throws Error(Exit::resources).
Vector slab_buffer(const Device& device, Index size, Index least, std::vector<std::string>& steps);

}  // namespace ritz
