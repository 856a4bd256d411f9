// The command line that all simulation executables share.
#pragma once

#include "apps/run/options.hpp"

#include <optional>

namespace ritz {

// Fills `options`; returns an exit code when there is nothing to run (--help, or a mistake, which is explained).
std::optional<int> parse_command_line(int argc, char** argv, const AppInfo& info, RunOptions& options);

}  // namespace ritz
