// Packs from and to arrays [number][lane].
#pragma once

#include "device/pack.hpp"

namespace ritz::RITZ_BACKEND {

inline void load_numbers(const double* from, int count, Pack* to) {
  for (int i = 0; i < count; ++i) to[i] = Pack::load(from + i * lane_count);
}
inline void store_numbers(const Pack* from, int count, double* to) {
  for (int i = 0; i < count; ++i) from[i].store(to + i * lane_count);
}
inline bool any_positive(const Pack& x) {
  double lanes[lane_count];
  x.store(lanes);
  bool any = false;
  for (const double lane : lanes) any = any || lane > 0;
  return any;
}

}  // namespace ritz::RITZ_BACKEND
