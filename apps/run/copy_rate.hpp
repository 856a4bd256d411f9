// The rate at which a device copies in its memory: the yardstick of a run's phases, and of the times of a forecast. A
// measurement that is large enough is kept for later forecasts (apps/run/machine_cache.hpp): the best of all, since a
// machine that others use seems slower than it is.
#pragma once

#include "device/device.hpp"

namespace ritz {

inline constexpr Index copied_for_rate = Index{1} << 28;  // [bytes] beyond the caches, which are several times as fast

// [bytes/s] 0: no memory is left for it.
double copy_rate_or_none(const Device& device, Index bytes = copied_for_rate);

struct CopyRate {
  double rate = 0;           // [bytes/s] 0: not known
  bool from_before = false;  // measured by an earlier run
};
CopyRate known_copy_rate(const Device& device, Index available);  // [bytes] that it may take where it is to be measured

}  // namespace ritz
