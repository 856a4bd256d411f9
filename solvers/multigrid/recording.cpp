#include "solvers/multigrid/recording.hpp"

#include "device/kernels.hpp"
#include "solvers/matrix_kernels.hpp"

namespace ritz {

void Recording::run(const Device& device, const std::function<void()>& launches) {
  if (recorded_ != nullptr) return kernels_->replay(device, recorded_);
  if (device.is_gpu() && ++runs_ == 2) {
    kernels_ = &kernels<RecordingKernels>(device, solver_kernels, "recording");
    const char* why = nullptr;
    const auto call = [](const void* context) { (*static_cast<const std::function<void()>*>(context))(); };
    recorded_ = kernels_->record(device, call, &launches, &why);
    if (why != nullptr) why_not_ = why;
    if (recorded_ != nullptr) return kernels_->replay(device, recorded_);
  }
  launches();
}

void Recording::forget() {
  if (recorded_ != nullptr) kernels_->release(recorded_);
  recorded_ = nullptr;
  runs_ = 0;
}

}  // namespace ritz
