// Where a run's time went: named phases with seconds, bytes moved between host and device, and peak memory.
//
//   { auto phase = device.profile().phase("assembly");  ... }      // ends with the scope
//
// Phases do not nest in the table: a phase opened inside another is counted under "outer/inner".
#pragma once

#include "device/machine.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace ritz {

class MemoryPool;

struct PhaseRecord {
  std::string name;
  int calls = 0;
  double seconds = 0;
  Index bytes_to_device = 0, bytes_to_host = 0, scalar_reads = 0;
  Index peak_memory = 0;  // [bytes] on the device, largest live sum seen up to the end of the phase
};

class Profile {
 public:
  Profile(Machine& machine, MemoryPool& memory);

  class Phase {
   public:
    Phase(Profile& profile, std::string name);
    ~Phase();
    Phase(const Phase&) = delete;
    Phase& operator=(const Phase&) = delete;

   private:
    Profile& profile_;
    std::string name_, outer_;
    Traffic traffic_;
    std::chrono::steady_clock::time_point start_;
  };

  [[nodiscard]] Phase phase(std::string name) { return Phase(*this, std::move(name)); }
  const std::vector<PhaseRecord>& phases() const { return phases_; }  // in the order of their first start
  double seconds_since_start() const;

 private:
  PhaseRecord& record(const std::string& name);
  Machine& machine_;
  MemoryPool& memory_;
  std::vector<PhaseRecord> phases_;
  std::string open_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace ritz
