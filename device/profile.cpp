#include "device/profile.hpp"

#include "device/memory.hpp"

#include <algorithm>

namespace ritz {
namespace {

double seconds_from(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Profile::Profile(Machine& machine, MemoryPool& memory) : machine_(machine), memory_(memory) {}

PhaseRecord& Profile::record(const std::string& name) {
  const auto found = std::ranges::find(phases_, name, &PhaseRecord::name);
  if (found != phases_.end()) return *found;
  PhaseRecord& added = phases_.emplace_back();
  added.name = name;
  return added;
}

double Profile::seconds_since_start() const { return seconds_from(start_); }

Profile::Phase::Phase(Profile& profile, std::string name)
    : profile_(profile),
      name_(profile.open_.empty() ? std::move(name) : profile.open_ + "/" + name),
      outer_(profile.open_),
      traffic_(profile.machine_.traffic()) {
  profile_.record(name_);
  profile_.open_ = name_;
  profile_.machine_.push_range(name_.c_str());
  start_ = std::chrono::steady_clock::now();
}

Profile::Phase::~Phase() {
  try {
    profile_.machine_.synchronize();
  } catch (...) {
    // The error shows again at the next call on this device; a destructor must not throw.
  }
  PhaseRecord& record = profile_.record(name_);
  const Traffic& now = profile_.machine_.traffic();
  record.calls += 1;
  record.seconds += seconds_from(start_);
  record.bytes_to_device += now.to_device - traffic_.to_device;
  record.bytes_to_host += now.to_host - traffic_.to_host;
  record.scalar_reads += now.scalar_reads - traffic_.scalar_reads;
  record.peak_memory = std::max(record.peak_memory, profile_.memory_.statistics().peak);
  profile_.open_ = outer_;
  profile_.machine_.pop_range();
}

}  // namespace ritz
