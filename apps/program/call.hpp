// A run as a function of another program: no command line, no signals, no exit code. What it finds wrong is thrown.
//
//   RunOptions options{.case_file = "model.toml"};
//   options.case_text = "...";   options.mesh = ...;   options.take = [&](SolvedStep step) { ... };
//   const RunReport report = call({"ritz-heat", "", ""}, options, [](Run& run) { run_case(run, read_heat); });
#pragma once

#include "apps/cases/run.hpp"
#include "device/function_ref.hpp"

#include <functional>

namespace ritz {

// Throws Error. With `check` nothing is solved. A case with [sweep] is an Error: Exit::input.
RunReport call(const AppInfo& info, const RunOptions& options, FunctionRef<void(Run&)> app);

}  // namespace ritz
