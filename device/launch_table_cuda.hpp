// RITZ_LAUNCH_TABLE=1: how long each launch takes on the GPU, by two events around it, summed by name. Who takes the
// records writes them (device/launch_records.hpp), else they go to stderr when the device is closed. Replaces a
// profiler where there is none. Launches that are recorded are not timed one by one, their replays are; events between
// launches cost about a microsecond each.
#pragma once

#include "device/launch_records.hpp"

#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ritz::cuda {

class LaunchTable {
 public:
  LaunchTable() = default;
  LaunchTable(const LaunchTable&) = delete;
  ~LaunchTable() {
    if (!taken_)
      for (const std::string& line : launch_lines(take(), 0)) std::fprintf(stderr, "%s\n", line.c_str());
    for (Pair& pair : pairs_) {
      cudaEventDestroy(pair.first);
      cudaEventDestroy(pair.last);
    }
  }

  // counted: bytes that have been counted so far.
  void begin(cudaStream_t stream, const char* name, Index counted) {
    open_ = nullptr;
    cudaStreamCaptureStatus recording = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &recording) != cudaSuccess || recording != cudaStreamCaptureStatusNone) return;
    if (used_ == most) read();
    if (used_ == pairs_.size()) {
      Pair pair;
      if (cudaEventCreate(&pair.first) != cudaSuccess || cudaEventCreate(&pair.last) != cudaSuccess) return;
      pairs_.push_back(pair);
    }
    open_ = &pairs_[used_];
    open_->name = name;
    open_->bytes = counted - std::exchange(counted_, counted);
    cudaEventRecord(open_->first, stream);
  }
  void end(cudaStream_t stream) {
    if (open_ == nullptr) return;
    cudaEventRecord(open_->last, stream);
    ++used_;
    open_ = nullptr;
  }
  // The longest first.
  std::vector<LaunchRecord> take() {
    read();
    taken_ = true;
    std::vector<LaunchRecord> sorted;
    for (const auto& [name, record] : records_) sorted.push_back(record);
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &LaunchRecord::seconds);
    return sorted;
  }

 private:
  struct Pair {
    cudaEvent_t first = nullptr, last = nullptr;
    const char* name = "";
    Index bytes = 0;
  };
  static constexpr std::size_t most = 4096;  // pairs that are not read yet

  void read() {
    for (std::size_t i = 0; i < used_; ++i) {
      float milliseconds = 0;
      if (cudaEventSynchronize(pairs_[i].last) != cudaSuccess ||
          cudaEventElapsedTime(&milliseconds, pairs_[i].first, pairs_[i].last) != cudaSuccess)
        continue;
      LaunchRecord& record = records_[pairs_[i].name];
      const double seconds = 1e-3 * double(milliseconds);
      record.name = pairs_[i].name;
      record.least = record.count++ == 0 ? seconds : std::min(record.least, seconds);
      record.seconds += seconds;
      record.bytes += pairs_[i].bytes;
    }
    used_ = 0;
    cudaGetLastError();
  }
  std::vector<Pair> pairs_;
  std::size_t used_ = 0;
  Pair* open_ = nullptr;
  Index counted_ = 0;
  bool taken_ = false;
  std::map<std::string, LaunchRecord> records_;
};

}  // namespace ritz::cuda
