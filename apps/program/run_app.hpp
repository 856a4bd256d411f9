// The process around a run: streams, signals, the command line, and what becomes of every error.
#pragma once

#include "apps/cases/run.hpp"
#include "device/function_ref.hpp"

#include <functional>

namespace ritz {

// Parses the command line, runs the program, and turns whatever happens into a message, a report and an exit code.
int run_app(int argc, char** argv, const AppInfo& info, FunctionRef<void(Run&)> app);

}  // namespace ritz
