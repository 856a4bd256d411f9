#include "solvers/multigrid/recording.hpp"

#include "device/kernels.hpp"
#ifdef __CUDACC__
#include "solvers/multigrid/recording_cuda.hpp"
#else
#include "solvers/multigrid/recording_cpu.hpp"
#endif

namespace ritz::RITZ_BACKEND::recording_kernels {
namespace {

const RecordingKernels table{record, replay, release};
const Registration registration("recording", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::recording_kernels
