// Runs another program and keeps what it prints: for compilers.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct ProgramOutcome {
  int exit;            // 128 + signal when a signal ended it
  std::string output;  // standard output and standard error together
};

// arguments[0] is found on the PATH. Empty when there is no such program. Throws Error: Exit::environment when it
// cannot be started for another reason.
std::optional<ProgramOutcome> run_program(const std::vector<std::string>& arguments);

}  // namespace ritz
