// Runs one of our executables as a user would, and keeps what it printed and its exit code.
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include <sys/wait.h>

namespace ritz::test {

struct CommandResult {
  int exit_code = -1;
  std::string output;  // of the command line given: standard output, or both streams
};

// `command` is for the shell; standard error is joined unless `output_only`.
inline CommandResult run_command(const std::string& command, bool output_only = false) {
  CommandResult result;
  std::FILE* pipe = ::popen((command + (output_only ? " 2>/dev/null" : " 2>&1")).c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> block;
  for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;) result.output.append(block.data(), n);
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

}  // namespace ritz::test
