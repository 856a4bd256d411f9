// The memory that a program may take, from its command line, and what happens when the host has none left.
//
//   MemoryLimits limits;   add_memory_options(cli, limits);   ...   obey(limits);   limit(device, limits);
#pragma once

#include "device/device.hpp"

#include <string>

namespace CLI {
class App;
}

namespace ritz {

struct MemoryLimits {
  Index device = 0, host = 0;  // [bytes]; 0: none
};

// --memory-limit and --host-memory-limit, with sizes such as 6G.
void add_memory_options(CLI::App& cli, MemoryLimits& limits);
void add_host_memory_option(CLI::App& cli, MemoryLimits& limits);  // the second alone

// The host's limit, of what device/host_memory.hpp counts: arrays of CPU devices, containers
// (apps/run/counted_new.cpp), factors. Who asks for more gets std::bad_alloc. Without one that was given: what a
// control group allows below the machine's memory, less what the program takes beside what is counted, as a group kills
// who passes its limit. Returns what to tell of that; else nothing.
std::string obey(const MemoryLimits& limits);

// The device's limit, kept by its pool to the byte.
void limit(const Device& device, const MemoryLimits& limits);

// std::bad_alloc where nobody can catch it (a thread's stack of a library) ends the program with a message and exit
// code 6 instead of a crash.
void end_in_order_without_memory();

}  // namespace ritz
