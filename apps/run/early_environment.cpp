// The OpenMP library reads its environment when it is loaded. This code sets it just before, so that the program need
// not start again for it (short_spinning.hpp), which takes as long as the first start. Libraries are initialised after
// those that they need, else those that were loaded later first: the program needs this one by way of last_library.cpp.
// On systems with another order, main() starts again.
#include "apps/run/spin_count.hpp"

#include <cstdlib>
#include <dlfcn.h>

namespace {

// OpenMP that is not yet initialised reports one thread; with only one thread, none spins.
bool openmp_is_to_come() {
  const auto most_threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  return most_threads != nullptr && most_threads() == 1;
}

__attribute__((constructor)) void spin_shortly() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr && std::getenv("GOMP_SPINCOUNT") == nullptr && openmp_is_to_come())
    setenv("GOMP_SPINCOUNT", ritz::spin_count().c_str(), 0);
}

}  // namespace
