// The buffer where a GPU's element kernels write the results of a slab of chunks. Slabs of many chunks fill a GPU
// better; one chunk at a time suffices if memory is short, and is reported as a fall-back.
#pragma once

#include "device/array.hpp"

#include <string>
#include <vector>

namespace ritz {

// Numbers of a slab whose elements have so many results: a third of the second-level cache [bytes], so that results are
// read there and overwritten before they go to memory, but those of 4096 elements at least, as many multiprocessors
// need some 500 blocks of eight, and 64 MB at most. A cache of 0 is that of a GPU that is not here: as an H200's.
Index slab_size(Index second_level_cache, Index element_results);

// A vector of `size`, or `least` numbers if these do not fit: `steps` gets a sentence. Throws Error: Exit::resources.
Vector slab_buffer(const Device& device, Index size, Index least, std::vector<std::string>& steps);

}  // namespace ritz
