// Running sums and groups on a CPU.
#pragma once

#include "device/launch.hpp"

#include <cstdint>

namespace ritz::RITZ_BACKEND {

inline void exclusive_scan(const Device& device, const std::int32_t* counts, Index n, Index* offsets) {
  const LaunchScope launch(device, "scan");
  Index sum = 0;
  for (Index i = 0; i < n; ++i) {
    offsets[i] = sum;
    sum += counts[i];
  }
  offsets[n] = sum;
}

// Keys below 0 belong to no group. offsets: [groups + 1], members: [n].
inline void group_by(const Device& device, const std::int32_t* keys, Index n, Index groups, Index* offsets,
                     Index* members) {
  const LaunchScope launch(device, "group by");
  for (Index g = 0; g <= groups; ++g) offsets[g] = 0;
  for (Index i = 0; i < n; ++i)
    if (keys[i] >= 0) ++offsets[keys[i] + 1];
  for (Index g = 0; g < groups; ++g) offsets[g + 1] += offsets[g];
  for (Index i = 0; i < n; ++i)
    if (keys[i] >= 0) members[offsets[keys[i]]++] = i;
  for (Index g = groups; g > 0; --g) offsets[g] = offsets[g - 1];
  offsets[0] = 0;
}

}  // namespace ritz::RITZ_BACKEND
