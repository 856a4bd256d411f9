#include "fem/operator/slab_buffer.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {

Index slab_size(Index second_level_cache, Index element_results) {
  constexpr Index number = sizeof(double), of_h200 = 50 << 20, most = 64 << 20, elements = 4096;
  const Index third = (second_level_cache > 0 ? second_level_cache : of_h200) / 3;
  return std::min(most, std::max(third, elements * element_results * number)) / number;
}

Vector slab_buffer(const Device& device, Index size, Index least, std::vector<std::string>& steps) {
  try {
    return Vector(device, size, "assembly buffers");
  } catch (const Error& error) {
    if (error.exit() != Exit::resources || size <= least) throw;
    Vector buffer(device, least, "assembly buffers");
    steps.push_back(
        fmt::format("memory: element results in slabs of {:.1f} MB instead of {:.1f} MB ({}); cost: more launches",
                    1e-6 * double(buffer.bytes()), 1e-6 * double(size) * sizeof(double), error.message()));
    return buffer;
  }
}

}  // namespace ritz
