// The OpenMP library reads its environment when it is loaded. Here that is set just before, so that the program need
// not start again for it (short_spinning.hpp), which takes as long as the first start. Libraries are initialised behind
// those that they need, else those that were loaded later first: the program needs this one by way of last_library.cpp.
// Where another system does it otherwise, main() starts again.
#include "apps/run/spin_count.hpp"

#include <cstdlib>
#include <dlfcn.h>

namespace {

// Not yet initialised, it knows of one thread; where there is but one, nobody spins.
bool openmp_is_to_come() {
  const auto most_threads = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  return most_threads != nullptr && most_threads() == 1;
}

__attribute__((constructor)) void spin_shortly() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr && std::getenv("GOMP_SPINCOUNT") == nullptr && openmp_is_to_come())
    setenv("GOMP_SPINCOUNT", ritz::spin_count().c_str(), 0);
}

}  // namespace
