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
  const std::vector<std::string> programs = programs_of(parse_case(text_of_case(run.case_file), run.case_file));
  if (programs.size() != 1)
    throw Error(Exit::input,
                programs.empty() ? fmt::format("no program reads all tables of '{}'", run.case_file)
                                 : fmt::format("'{}' is a case for {}", run.case_file, fmt::join(programs, " or ")),
                programs.empty() ? "a table or a key is misspelt, or of another program than the others"
                                 : "nothing in it is read by one of them only",
                fmt::format("call the program by its name, such as {} {}",
                            programs.empty() ? "ritz-elasticity" : programs.front(), run.case_file));
  const std::string program =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / programs.front()).string();
  std::vector<std::string> words{program, run.case_file};
  words.insert(words.end(), run.arguments.begin(), run.arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw Error(Exit::environment, fmt::format("'{}' cannot be started", program), std::strerror(errno),
              "install Ritz again, with all of its programs");
}

}  // namespace ritz
