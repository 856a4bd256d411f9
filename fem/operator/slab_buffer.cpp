#include "fem/operator/slab_buffer.hpp"

#include "device/error.hpp"

#include <fmt/format.h>

namespace ritz {

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
