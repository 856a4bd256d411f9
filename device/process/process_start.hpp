// When this process began.
#pragma once

namespace ritz {

// Age of the process, at least [s]. The system counts ticks of 10 ms; the processor time since then is more exact if
// the process has not waited. exec() changes the program, not the process. The result of the first call is kept: make
// it early.
double process_age();

}  // namespace ritz
