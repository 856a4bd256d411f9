#include "device/memory_shortage.hpp"

#include "device/host_memory.hpp"

#include <fmt/format.h>

namespace ritz {

Error host_memory_error() {
  const HostRefusal refusal = take_last_refusal();
  const Index limit = host_memory_limit();
  const std::string bound = limit > 0 ? fmt::format(" (limit {:.1f} MB)", 1e-6 * double(limit)) : "";
  const std::string asked = refusal.bytes > 0
                                ? fmt::format(": {:.1f} MB on top of {:.1f} MB{}", 1e-6 * double(refusal.bytes),
                                              1e-6 * double(refusal.live), bound)
                                : "";
  return Error(
      ErrorKind::host_memory, "out of host memory" + asked, {},
      "use a coarser mesh, order 1, a larger --host-memory-limit, or a machine or control group with more memory");
}

}  // namespace ritz
