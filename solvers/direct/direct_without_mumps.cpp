// The CPU's direct solver in a build without MUMPS: says what to install.
#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/direct/direct_factor.hpp"

namespace ritz::cpu {
namespace {

DirectFactor* analyse(const Device&, const HostMatrix&, const DirectAnalysis&) {
  throw Error(ErrorKind::environment, "this build has no direct solver for the CPU",
              "MUMPS was not found when Ritz was configured",
              "install the sequential MUMPS (package libmumps-seq-dev on Debian and Ubuntu) and build again, "
              "or use an iterative solver");
}

const DirectFactory table{analyse};
const Registration registration("direct", &table);

}  // namespace
}  // namespace ritz::cpu
