// Stops a run in order: Ctrl-C, SIGTERM, SIGHUP and a time limit set a flag, which long work checks between two of its
// steps. A second signal ends the process at once; files promised by RemovedWhenStopped are still removed.
//
//   listen_for_stop_signals();  ...  throw_if_stop_requested();   // in every iteration: one load of an atomic
#pragma once

#include "device/error.hpp"

#include <functional>
#include <string>

namespace ritz {

// The shell's convention for signals, and that of timeout(1); not an exit code of Ritz.
constexpr Exit time_is_up = static_cast<Exit>(124);
constexpr Exit exit_of_signal(int signal) { return static_cast<Exit>(128 + signal); }

void listen_for_stop_signals();
// Counts from now. Zero or less: no limit.
void set_time_limit(double seconds);
// A sentence saying why, or empty.
std::string stop_reason();
// Throws Error with time_is_up or exit_of_signal.
void throw_if_stop_requested();
// The signal that came, or 0.
int stop_signal() noexcept;

// Work that never looks at stop requests: a library's factorisation, a parser, a refinement. Where one comes within it,
// and half a second has passed, the ending that end_long_work_by() was given runs in a thread of its own, and the
// process ends there: the thread at work is stopped where it next enters or leaves such work.
//
//   const LongWork here;   mumps.factorise();
class LongWork {
 public:
  LongWork();  // throws like throw_if_stop_requested()
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;
};

// `ending` tells, writes what is kept, and returns the exit code; temporaries and locks are removed after it. It may
// touch what no LongWork does. Once, before the work begins.
void end_long_work_by(std::function<int()> ending);

// A file that a second signal removes on the way out (a temporary, a lock). Paths beyond 4095 bytes, or more than eight
// files at a time, are not removed.
class RemovedWhenStopped {
 public:
  explicit RemovedWhenStopped(const std::string& path) noexcept;
  ~RemovedWhenStopped();
  RemovedWhenStopped(const RemovedWhenStopped&) = delete;
  RemovedWhenStopped& operator=(const RemovedWhenStopped&) = delete;

 private:
  int slot_ = -1;
};

}  // namespace ritz
