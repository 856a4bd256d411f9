// The phases of a run as a Chrome trace: open it in ui.perfetto.dev or chrome://tracing.
//
//   write_trace("trace.json", device.profile(), 0.03);
#pragma once

#include "device/profile.hpp"

#include <string>

namespace ritz {

// One complete event ("X") for every time that a phase was open, and the memory of the device's pool as a counter.
// Times in microseconds since the start of the process, `start` seconds before the profile's (Trace Event Format,
// Google 2016). Throws Error: Exit::output.
std::string text_of_trace(const Profile& profile, double start);
void write_trace(const std::string& path, const Profile& profile, double start);

}  // namespace ritz
