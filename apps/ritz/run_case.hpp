// Starts the program that a case is for.
#pragma once

#include <string>
#include <vector>

namespace ritz {

struct RunCase {
  std::string case_file;
  std::vector<std::string> arguments;  // of the program
};

// This process becomes the program. Throws Error: Exit::input: the file is no case, or none or several of the programs
// read it; Error: Exit::environment: the program is not beside this one.
[[noreturn]] void run_case(const RunCase& run);

}  // namespace ritz
