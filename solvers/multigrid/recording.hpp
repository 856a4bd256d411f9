// A fixed sequence of launches, recorded once and replayed as one: a CUDA graph on a GPU, where the many small launches
// of a multigrid cycle's coarse levels cost more than their work. Elsewhere, or when recording fails, it is simply run
// each time.
//
//   recording.run(device, [&] { cycle(...); });   // launches only: no allocation, no transfer, always the same arrays
#pragma once

#include "device/device.hpp"
#include "device/function_ref.hpp"

#include <functional>
#include <string>

namespace ritz {

// Table "recording" of the solvers' module.
struct RecordingKernels {
  // Collects the launches of launches(context), without running them. nullptr: not possible; why: a reason to report,
  // or nullptr.
  void* (*record)(const Device&, void (*launches)(const void* context), const void* context, const char** why);
  void (*replay)(const Device&, void* recorded);
  void (*release)(void* recorded);
};

class Recording {
 public:
  Recording() = default;
  Recording(Recording&& other) noexcept { *this = std::move(other); }
  Recording& operator=(Recording&& other) noexcept {
    std::swap(kernels_, other.kernels_);
    std::swap(recorded_, other.recorded_);
    std::swap(runs_, other.runs_);
    std::swap(why_not_, other.why_not_);
    return *this;
  }
  ~Recording() { forget(); }

  // The first run is a plain one (kernels are loaded at their first launch), the second records, then it is replayed.
  void run(const Device& device, FunctionRef<void()> launches);
  void forget();  // for changed arrays or numbers
  // empty: recorded, not yet tried, or not meant for this device
  const std::string& why_not() const { return why_not_; }

 private:
  const RecordingKernels* kernels_ = nullptr;
  void* recorded_ = nullptr;
  int runs_ = 0;
  std::string why_not_;
};

}  // namespace ritz
