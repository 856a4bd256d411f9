// RITZ_LAUNCH_TABLE=1: how long each launch takes on the GPU, by two events around it, summed by name and written to
// stderr when the device is closed. Replaces a profiler where there is none. Launches that are recorded are not timed
// one by one, their replays are; events between launches cost about a microsecond each.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <map>
#include <string>
#include <vector>

namespace ritz::cuda {

class LaunchTable {
 public:
  LaunchTable() = default;
  LaunchTable(const LaunchTable&) = delete;
  ~LaunchTable() {
    read();
    write();
    for (Pair& pair : pairs_) {
      cudaEventDestroy(pair.first);
      cudaEventDestroy(pair.last);
    }
  }

  void begin(cudaStream_t stream, const char* name) {
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
    cudaEventRecord(open_->first, stream);
  }
  void end(cudaStream_t stream) {
    if (open_ == nullptr) return;
    cudaEventRecord(open_->last, stream);
    ++used_;
    open_ = nullptr;
  }

 private:
  struct Pair {
    cudaEvent_t first = nullptr, last = nullptr;
    const char* name = "";
  };
  struct Row {
    long count = 0;
    double sum = 0, least = 1e300;  // [ms]
  };
  static constexpr std::size_t most = 4096;  // pairs that are not read yet

  void read() {
    for (std::size_t i = 0; i < used_; ++i) {
      float milliseconds = 0;
      if (cudaEventSynchronize(pairs_[i].last) != cudaSuccess ||
          cudaEventElapsedTime(&milliseconds, pairs_[i].first, pairs_[i].last) != cudaSuccess)
        continue;
      Row& row = rows_[pairs_[i].name];
      ++row.count;
      row.sum += milliseconds;
      row.least = std::min(row.least, double(milliseconds));
    }
    used_ = 0;
    cudaGetLastError();
  }
  void write() const {
    std::vector<std::pair<std::string, Row>> sorted(rows_.begin(), rows_.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.sum > b.second.sum; });
    std::fprintf(stderr, "%-32s %9s %12s %12s %12s\n", "launch", "count", "sum [ms]", "mean [us]", "least [us]");
    for (const auto& [name, row] : sorted)
      std::fprintf(stderr, "%-32s %9ld %12.3f %12.2f %12.2f\n", name.c_str(), row.count, row.sum,
                   1e3 * row.sum / double(row.count), 1e3 * row.least);
  }

  std::vector<Pair> pairs_;
  std::size_t used_ = 0;
  Pair* open_ = nullptr;
  std::map<std::string, Row> rows_;
};

}  // namespace ritz::cuda
