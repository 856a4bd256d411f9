// Launches of a GPU by name, where the environment asks for them (RITZ_LAUNCH_TABLE=1): two events around each say how
// long it took.
//
//   for (const std::string& line : launch_lines(take_launch_records(device), copy_rate)) log.line(line);
#pragma once

#include "device/device.hpp"

namespace ritz {

struct LaunchRecord {
  std::string name;
  Index count = 0;
  double seconds = 0, least = 0;  // of all; of the shortest
  // Counted before a launch and after the one before it; of an operation of several kernels by its first.
  Index bytes = 0;
  double rate() const { return bytes > 0 && seconds > 0 ? double(bytes) / seconds : 0; }  // [bytes/s]; 0: not known
};

// So far, the longest first; empty where nobody asks. Who takes them writes them, otherwise the end of the device does.
std::vector<LaunchRecord> take_launch_records(const Device& device);

// "count=90 seconds=1.2e-03 least_seconds=1.1e-05 bytes=1000000 of_copy_rate=0.35", for a report; without what is not
// known.
std::string fact_of(const LaunchRecord& record, double copy_rate);
// A heading, and a line for each. copy_rate: of the device [bytes/s]; 0: not known.
std::vector<std::string> launch_lines(const std::vector<LaunchRecord>& records, double copy_rate);

}  // namespace ritz
