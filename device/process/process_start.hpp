// When this process began, and what it begins with.
#pragma once

namespace ritz {

// Age of the process, at least [s]. The system counts ticks of 10 ms; the processor time since then is more exact if
// the process has not waited. exec() changes the program, not the process. The result of the first call is kept: make
// it early.
double process_age();

// Opens /dev/null in place of standard streams that are closed: else the first file that is opened would have the
// number of one, and the log would go into the results. Call it first in main().
void keep_standard_streams_open();

}  // namespace ritz
