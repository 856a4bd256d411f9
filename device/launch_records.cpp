#include "device/launch_records.hpp"

#include "device/machine_cuda.hpp"

#include <fmt/format.h>

namespace ritz {

std::vector<LaunchRecord> take_launch_records(const Device& device) {
  std::string why;
  const CudaFactory* const factory = device.is_gpu() ? cuda_factory(why) : nullptr;
  return factory == nullptr ? std::vector<LaunchRecord>{} : factory->launches(device.machine());
}

std::string fact_of(const LaunchRecord& record, double copy_rate) {
  std::string text =
      fmt::format("count={} seconds={:.3e} least_seconds={:.3e}", record.count, record.seconds, record.least);
  if (record.bytes > 0) text += fmt::format(" bytes={}", record.bytes);
  if (record.rate() > 0 && copy_rate > 0) text += fmt::format(" of_copy_rate={:.3g}", record.rate() / copy_rate);
  return text;
}

std::vector<std::string> launch_lines(const std::vector<LaunchRecord>& records, double copy_rate) {
  std::vector<std::string> lines;
  if (records.empty()) return lines;
  lines.push_back(fmt::format("{:<32} {:>9} {:>12} {:>12} {:>12} {:>10} {:>9} {:>8}", "launch", "count", "sum [ms]",
                              "mean [us]", "least [us]", "MB", "GB/s", "of copy"));
  for (const LaunchRecord& record : records) {
    const double rate = record.rate();
    lines.push_back(fmt::format("{:<32} {:>9} {:>12.3f} {:>12.2f} {:>12.2f} {:>10} {:>9} {:>8}", record.name,
                                record.count, 1e3 * record.seconds, 1e6 * record.seconds / double(record.count),
                                1e6 * record.least, rate > 0 ? fmt::format("{:.3f}", 1e-6 * double(record.bytes)) : "",
                                rate > 0 ? fmt::format("{:.1f}", 1e-9 * rate) : "",
                                rate > 0 && copy_rate > 0 ? fmt::format("{:.0f} %", 100 * rate / copy_rate) : ""));
  }
  return lines;
}

}  // namespace ritz
