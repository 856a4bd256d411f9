#include "device/forks.hpp"

#include <atomic>
#include <omp.h>
#include <pthread.h>

namespace ritz {

namespace {
std::atomic<bool> forked{false};

void begin_as_fork() {
  forked = true;
  omp_set_num_threads(1);  // host loops of the thread that forked
}
}  // namespace

void threads_may_start() {
  [[maybe_unused]] static const int noticed = pthread_atfork(nullptr, nullptr, &begin_as_fork);
}

bool is_fork_of_threads() { return forked; }

}  // namespace ritz
