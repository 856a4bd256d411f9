// The phases of a run as a table for people: seconds, bytes, and how near its kernels came to the rate of a plain copy.
#pragma once

#include "io/results/report.hpp"

#include <string>
#include <vector>

namespace ritz {

// A heading and a line for each phase, in the order of their first starts.
std::vector<std::string> phase_table(const RunReport& report);

}  // namespace ritz
