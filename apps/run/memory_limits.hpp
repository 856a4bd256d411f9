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

// The host's limit for memory that device/host_memory.hpp counts: arrays of CPU devices, containers
// (apps/run/counted_new.cpp), factors. Requests beyond it get std::bad_alloc. The default is the limit of a control
// group below the machine's memory, less the program's uncounted memory, since a group kills processes beyond its
// limit. Returns a line about this; else nothing.
std::string obey(const MemoryLimits& limits);

// The device's limit, kept by its pool to the byte.
void limit(const Device& device, const MemoryLimits& limits);

// Ends the program with a message and exit code 6 instead of a crash when std::bad_alloc cannot be caught (in a thread
// of a library).
void end_in_order_without_memory();

}  // namespace ritz
