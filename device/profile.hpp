// Profile of a run: named phases with seconds, bytes moved between host and device, and peak memory.
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
  // read and written by its kernels, where they say (Profile::count); least traffic, caches perfect
  Index bytes = 0;
  Index peak_memory = 0;  // [bytes] largest live sum of the pool while it was open
  bool is_inner() const { return name.find('/') != std::string::npos; }
};

// One time that a phase was open.
struct PhaseEvent {
  std::size_t record;     // position in phases()
  double start, seconds;  // since the start of the profile
  Index live;             // [bytes] of the pool at its end
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
    std::size_t record_;
    std::string outer_;
    Traffic traffic_;
    Index outer_peak_, bytes_;
    std::chrono::steady_clock::time_point start_;
  };

  [[nodiscard]] Phase phase(std::string name) { return Phase(*this, std::move(name)); }
  // Bytes that kernels have moved, for the innermost open phase and those around it.
  void count(Index bytes) { bytes_ += bytes; }
  const std::vector<PhaseRecord>& phases() const { return phases_; }  // in the order of their first start
  const std::vector<PhaseEvent>& events() const { return events_; }   // in the order of their ends
  double seconds_since_start() const;

 private:
  std::size_t record(const std::string& name);
  Machine& machine_;
  MemoryPool& memory_;
  std::vector<PhaseRecord> phases_;
  std::vector<PhaseEvent> events_;
  std::string open_;
  Index bytes_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace ritz
