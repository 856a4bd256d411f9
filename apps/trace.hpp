// The phases of a run as a Chrome trace: open it in ui.perfetto.dev or chrome://tracing.
//
//   write_trace("trace.json", device.profile());
#pragma once

#include "device/profile.hpp"

#include <string>

namespace ritz {

// One complete event ("X") for every time that a phase was open, and the memory of the device's pool as a counter. Times in
// microseconds since the start (Trace Event Format, Google 2016). Throws Error(Exit::output).
std::string text_of_trace(const Profile& profile);
void write_trace(const std::string& path, const Profile& profile);

}  // namespace ritz
