// The CPU as a machine, and its double for tests.
#pragma once

#include "device/machine.hpp"

#include <memory>

namespace ritz {

// backend: "v3" or "v4"; empty picks the best that this processor has.
// Throws Error: Exit::environment when the processor lacks it.
std::unique_ptr<Machine> make_cpu_machine(const std::string& backend);

// A CPU that behaves like a GPU: its memory can be touched only inside launches and copies. Host code that reads or
// writes it otherwise dies with SIGSEGV, which is what a test wants of a hidden transfer.
std::unique_ptr<Machine> make_fake_machine();

}  // namespace ritz
