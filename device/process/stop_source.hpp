// Stops that come from the program around Ritz, which keeps its own signals: an interpreter, a window.
//
//   const StopSource source([&] { return window.was_closed(); });
//   solve(...);                   // throws as after Ctrl-C, device/process/stop_request.hpp
#pragma once

#include <functional>

namespace ritz {

// Asked where stop requests are looked for, fifty times a second at most, in whatever thread looks. One at a time.
class StopSource {
 public:
  explicit StopSource(std::function<bool()> asked);
  ~StopSource();  // forgets the stop: the next work begins without one
  StopSource(const StopSource&) = delete;
  StopSource& operator=(const StopSource&) = delete;
};

}  // namespace ritz
