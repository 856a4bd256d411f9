#include "apps/ritz/run_case.hpp"

#include "device/error.hpp"
#include "io/case/foreign_case.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

namespace ritz {

void run_case(const RunCase& run) {
  const CaseValue root = parse_case(text_of_case(run.case_file), run.case_file);
  const std::vector<std::string> programs = programs_of(root);
  if (programs.size() > 1)
    throw Error(ErrorKind::other_program,
                fmt::format("'{}' is a case for {}", run.case_file, fmt::join(programs, " or ")),
                "nothing in it is read by one of them only",
                fmt::format("call the program by its name, such as {} {}", programs.front(), run.case_file));
  // The closest program names the tables and keys that no program reads.
  const std::string name = programs.empty() ? closest_program(root) : programs.front();
  const std::string program = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
  std::vector<std::string> words{program, run.case_file};
  words.insert(words.end(), run.arguments.begin(), run.arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw Error(ErrorKind::no_compiler, fmt::format("'{}' cannot be started", program), std::strerror(errno),
              "install Ritz again, with all of its programs");
}

}  // namespace ritz
