// The assembly loop for every block size: 1, 2, 3 in vectors; 1, 4, 9 in matrices; up to 16 derived quantities.
#include "device/error.hpp"
#include "device/kernels.hpp"
#ifdef __CUDACC__
#include "fem/launch/assembly_cuda.hpp"
#else
#include "fem/launch/assembly_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND {
namespace {

// Calls run_assembly<job.block>; sizes from 1 to Largest are compiled.
template <int Largest>
void run_block(const Device& device, const AssemblyJob& job) {
  if constexpr (Largest > 0) {
    if (job.block == Largest) return run_assembly<Largest>(device, job);
    return run_block<Largest - 1>(device, job);
  } else {
    throw Error(Exit::input, "a form has " + std::to_string(job.block) + " derived quantities; at most 16 are possible");
  }
}

void run(const Device& device, const AssemblyJob& job) { run_block<16>(device, job); }

#ifdef __CUDACC__
const AssemblyKernels table{run, true};
#else
const AssemblyKernels table{run, false};
#endif
const Registration registration("assembly", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND
