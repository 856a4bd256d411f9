// Numbers of results that are summed at nodes at once: of forms of laws with many internal variables, more than they
// have; what is left over is zero.
#pragma once

namespace ritz {

inline constexpr int exact_results = 16;  // any number up to this one is summed as it is
inline constexpr int result_sizes[] = {20, 25, 36, 40};

constexpr int summed_results(int derived) {
  if (derived <= exact_results) return derived;
  for (const int size : result_sizes)
    if (derived <= size) return size;
  return derived;  // which is refused
}

}  // namespace ritz
