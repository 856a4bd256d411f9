#include "apps/run/short_spinning.hpp"

#include "apps/run/spin_count.hpp"

#include <cstdlib>
#include <unistd.h>

namespace ritz {

void use_short_spinning(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return;
  setenv("GOMP_SPINCOUNT", spin_count().c_str(), 0);
  execv("/proc/self/exe", argv);  // if this fails, the run continues as it is
}

}  // namespace ritz
