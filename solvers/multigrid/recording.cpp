#include "solvers/multigrid/recording.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "solvers/algebra/matrix_kernels.hpp"

#include <algorithm>

namespace ritz {
namespace {

// Set while this thread records: a recording that runs inside another's launches becomes a part of that one, since a
// stream that is being recorded takes launches, but no other recording.
thread_local bool recording_now = false;

class RecordingScope {
 public:
  RecordingScope() { recording_now = true; }
  ~RecordingScope() { recording_now = false; }
  RecordingScope(const RecordingScope&) = delete;
  RecordingScope& operator=(const RecordingScope&) = delete;
};

// Runs the launches and returns false if they do what a replay could not: allocate memory, which would belong to others
// by then, or make the host wait.
bool only_launches(const Device& device, FunctionRef<void()> launches) {
  MemoryPool& memory = device.memory();
  const Traffic before = device.machine().traffic();
  const Index peak_before = memory.take_recent_peak(), live = memory.live();
  launches();
  const Index peak = memory.take_recent_peak();
  memory.record_recent_peak(std::max(peak_before, peak));
  const Traffic& now = device.machine().traffic();
  return peak == live && now.to_device == before.to_device && now.to_host == before.to_host &&
         now.scalar_reads == before.scalar_reads;
}

}  // namespace

void Recording::run(const Device& device, FunctionRef<void()> launches) {
  if (recording_now || !device.machine().is_apart()) return launches();
  if (recorded_ != nullptr) return kernels_->replay(device, recorded_);
  if (device.is_gpu() && ++runs_ == 2) {
    kernels_ = &kernels<RecordingKernels>(device, solver_kernels, "recording");
    const char* why = nullptr;
    const auto call = [](const void* context) { (*static_cast<const FunctionRef<void()>*>(context))(); };
    {
      const RecordingScope scope;
      recorded_ = kernels_->record(device, call, &launches, &why);
    }
    if (why != nullptr) why_not_ = why;
    if (recorded_ != nullptr) return kernels_->replay(device, recorded_);
  }
  if (only_launches(device, launches)) return;
  if (!device.is_gpu())
    throw Error(ErrorKind::internal, "what is to be recorded takes memory of the device, or reads from it");
  runs_ = 2;  // never
  why_not_ = "it takes memory, or reads";
}

void Recording::forget() {
  if (recorded_ != nullptr) kernels_->release(recorded_);
  recorded_ = nullptr;
  runs_ = 0;
}

}  // namespace ritz
