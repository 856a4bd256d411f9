#include "apps/run/short_of_address_space.hpp"

#include <cstdlib>
#include <malloc.h>
#include <sys/resource.h>

namespace ritz {

void spare_addresses_where_they_are_limited() {
  rlimit space{};
  if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return;
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  mallopt(M_ARENA_MAX, 1);
}

}  // namespace ritz
