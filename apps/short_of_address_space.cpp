#include "apps/short_of_address_space.hpp"

#include <cstdlib>
#include <sys/resource.h>
#include <unistd.h>

namespace ritz {

void use_one_blas_thread_where_addresses_are_limited(char** argv) {
  rlimit space{};
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr || getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return;
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  execv("/proc/self/exe", argv);  // when this fails, the run goes on as it is
}

}  // namespace ritz
