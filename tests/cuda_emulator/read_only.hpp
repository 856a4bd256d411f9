// Loads through the cache for what no kernel writes meanwhile, for kernels that have them.
#pragma once

namespace ritz::emulator {
void load_read_only(const void* p, unsigned bytes);
}

template <class T>
T __ldg(const T* p) {
  ritz::emulator::load_read_only(p, sizeof(T));
  return *p;
}
