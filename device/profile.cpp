#include "device/profile.hpp"

#include "device/counted_bytes.hpp"
#include "device/memory.hpp"

#include <algorithm>
#include <map>
#include <mutex>

namespace ritz {
namespace {

double seconds_between(std::chrono::steady_clock::time_point start, std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

// phases open at once, whose events have room: the end of a phase must not allocate
constexpr std::size_t nesting = 16;

// A machine's profile is made before its first launch, and a later machine at its address has a profile of its own.
struct Counts {
  std::mutex mutex;
  std::map<const Machine*, const Index*> of_machine;
};
Counts& counts() {
  static Counts instance;
  return instance;
}

}  // namespace

const Index* counted_bytes(const Machine& machine) {
  const std::lock_guard lock(counts().mutex);
  const auto found = counts().of_machine.find(&machine);
  return found == counts().of_machine.end() ? nullptr : found->second;
}

Profile::Profile(Machine& machine, MemoryPool& memory) : machine_(machine), memory_(memory) {
  const std::lock_guard lock(counts().mutex);
  counts().of_machine[&machine] = &bytes_;
}

std::size_t Profile::record(const std::string& name) {
  const auto position =
      static_cast<std::size_t>(std::ranges::find(phases_, name, &PhaseRecord::name) - phases_.begin());
  if (position == phases_.size()) {
    PhaseRecord added;
    added.name = name;
    phases_.push_back(std::move(added));
  }
  return position;
}

double Profile::seconds_since_start() const { return seconds_between(start_, std::chrono::steady_clock::now()); }

Profile::Phase::Phase(Profile& profile, std::string name)
    : profile_(profile), outer_(profile.open_), traffic_(profile.machine_.traffic()) {
  std::string full = outer_.empty() ? std::move(name) : outer_ + "/" + name;
  record_ = profile_.record(full);
  if (profile_.events_.size() + nesting >= profile_.events_.capacity())
    profile_.events_.reserve(2 * profile_.events_.size() + nesting + 1);
  outer_peak_ = profile_.memory_.take_recent_peak();
  bytes_ = profile_.bytes_;
  profile_.machine_.push_range(full.c_str());
  profile_.open_ = std::move(full);
  start_ = std::chrono::steady_clock::now();
}

// Allocates nothing: it also runs while an Error that says there is no memory passes by.
Profile::Phase::~Phase() {
  try {
    profile_.machine_.synchronize();
  } catch (...) {
    // The error shows again at the next call on this device; a destructor must not throw.
  }
  const auto end = std::chrono::steady_clock::now();
  PhaseRecord& record = profile_.phases_[record_];
  const Traffic& now = profile_.machine_.traffic();
  const double seconds = seconds_between(start_, end);
  record.calls += 1;
  record.seconds += seconds;
  record.bytes_to_device += now.to_device - traffic_.to_device;
  record.bytes_to_host += now.to_host - traffic_.to_host;
  record.scalar_reads += now.scalar_reads - traffic_.scalar_reads;
  record.bytes += profile_.bytes_ - bytes_;
  const Index peak = profile_.memory_.take_recent_peak();
  record.peak_memory = std::max(record.peak_memory, peak);
  profile_.memory_.record_recent_peak(std::max(outer_peak_, peak));
  if (profile_.events_.size() < profile_.events_.capacity())
    profile_.events_.push_back({record_, seconds_between(profile_.start_, start_), seconds, profile_.memory_.live()});
  profile_.open_ = std::move(outer_);
  profile_.machine_.pop_range();
}

}  // namespace ritz
