// How long a thread that waits for others at the end of a loop spins before it gives up its core: as many turns of the
// OpenMP library's loop (GOMP_SPINCOUNT) as take 25 microseconds, some times what waking a thread costs. Shorter, small
// problems are slow on a quiet machine; longer, all are where other programs want the cores too. Solution of
// examples/heat_sink on two threads, alone and next to a program that counts (23 November 2026): 0 turns 0.18 s, and
// 0.18 and 0.19 s; 1000 turns (25 microseconds) 0.08 s, and 0.26 and 0.19 s; 20000 turns 0.08 s, and 0.39 and 0.65 s.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

namespace ritz {

inline std::string spin_count() {
  using Clock = std::chrono::steady_clock;
  constexpr int pauses = 100;
  double seconds = 1;
  for (int attempt = 0; attempt < 3; ++attempt) {  // another program may come between
    const auto begin = Clock::now();
    // what such a turn waits: 10 to 150 cycles, so it is measured
    for (int i = 0; i < pauses; ++i) __builtin_ia32_pause();
    seconds = std::min(seconds, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return std::to_string(std::clamp(static_cast<int>(25e-6 * pauses / std::max(seconds, 1e-7)), 100, 10000));
}

}  // namespace ritz
