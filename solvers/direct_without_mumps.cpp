// The CPU's direct solver in a build without MUMPS: says what to install.
#include "device/error.hpp"
#include "solvers/direct_factor.hpp"

namespace ritz {

std::unique_ptr<DirectFactor> analyse_on_cpu(const Device&, const HostMatrix&, const DirectAnalysis&) {
  throw Error(Exit::environment, "this build has no direct solver for the CPU", "MUMPS was not found when Ritz was configured",
              "install the sequential MUMPS (package libmumps-seq-dev on Debian and Ubuntu) and build again, "
              "or use an iterative solver");
}

}  // namespace ritz
