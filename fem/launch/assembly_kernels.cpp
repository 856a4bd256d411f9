// The assembly loop for every block size: 1, 2, 3 in vectors; 1, 4, 9 in matrices; 12 for strain and stress.
#include "device/error.hpp"
#include "device/kernels.hpp"
#ifdef __CUDACC__
#include "fem/launch/assembly_cuda.hpp"
#else
#include "fem/launch/assembly_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND {
namespace {

void run(const Device& device, const AssemblyJob& job) {
  switch (job.block) {
    case 1: return run_assembly<1>(device, job);
    case 2: return run_assembly<2>(device, job);
    case 3: return run_assembly<3>(device, job);
    case 4: return run_assembly<4>(device, job);
    case 9: return run_assembly<9>(device, job);
    case 12: return run_assembly<12>(device, job);
    default: throw Error(Exit::internal, "assembly of blocks of " + std::to_string(job.block) + " numbers");
  }
}

#ifdef __CUDACC__
const AssemblyKernels table{run, true};
#else
const AssemblyKernels table{run, false};
#endif
const Registration registration("assembly", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
