// When this process began.
#pragma once

namespace ritz {

// [s] It is at least so old: the system notes ticks of 10 ms, and the processor time since then tells more where the
// process has not waited. exec() changes the program, not the process. What the first call finds is kept: make it
// early.
double process_age();

}  // namespace ritz
