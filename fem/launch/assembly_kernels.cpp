// The assembly loop for every block size: 1 to 6 in vectors, their squares in matrices, up to 16 derived quantities,
// and result_sizes of more.
#include "device/error.hpp"
#include "device/kernels.hpp"
#ifdef __CUDACC__
#include "fem/launch/assembly_cuda.hpp"
#else
#include "fem/launch/assembly_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND::assembly_kernels {
namespace {

// Calls run_assembly<job.block>; sizes from 1 to Largest are compiled.
template <int Largest, class Real>
void run_block(const Device& device, const AssemblyJob<Real>& job) {
  if constexpr (Largest > 0) {
    if (job.block == Largest) return run_assembly<Largest, Real>(device, job);
    return run_block<Largest - 1, Real>(device, job);
  } else {
    throw Error(ErrorKind::plugin, "a form has " + std::to_string(job.block) +
                                       " derived quantities; at most 16 are possible, of a law 40");
  }
}

void run(const Device& device, const AssemblyJob<double>& job) {
  if (job.block == 25) return run_assembly<25, double>(device, job);
  if (job.block == 36) return run_assembly<36, double>(device, job);
  if (job.block == 20) return run_assembly<20, double>(device, job);
  if (job.block == 40) return run_assembly<40, double>(device, job);
  run_block<16>(device, job);
}
void run_single(const Device& device, const AssemblyJob<float>& job) { run_block<6>(device, job); }

#ifdef __CUDACC__
// Results of vectors stay in a block's shared memory, of which every architecture gives 48 KB unasked.
const AssemblyKernels table{run, run_single, {48 << 10, 256}, {384 << 10, 256}, true, halve_sources};
#else
constexpr ChunkLimits limits{384 << 10, 32};  // stay in a core's cache of the second level
const AssemblyKernels table{run, run_single, limits, limits, false, nullptr};
#endif
const Registration registration("assembly", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::assembly_kernels
