// The command line that all simulation executables share.
#pragma once

#include "apps/run/options.hpp"

#include <optional>

namespace CLI {
class App;
}

namespace ritz {

// The options of all these executables.
void add_run_options(CLI::App& cli, RunOptions& options);

// Fills `options`; returns an exit code when there is nothing to run (--help, or a mistake, which is explained).
std::optional<int> parse_command_line(int argc, char** argv, const AppInfo& info, RunOptions& options);

}  // namespace ritz
