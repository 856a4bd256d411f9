// Errors that users can act on: what is wrong (with the value and the place), why, and what to do. Every error carries
// the exit code of its kind, which scripts can rely on.
//
//   throw Error(Exit::mesh, "cell 12 of kind tet4 has volume -0.3", "its nodes are ordered inside out",
//               "swap two of its nodes, or let the mesher write it again");
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

// The exit codes of every Ritz executable. Documented in README.md; scripts rely on them.
enum class Exit : int {
  ok = 0,
  internal = 1,  // a bug of ours
  input = 2,     // command line or case file
  mesh = 3,      // mesh file or geometry
  model = 4,     // not well posed: unsupported body, missing material, conflicting conditions
  not_converged = 5,
  resources = 6,    // out of host or device memory
  output = 7,       // results or checkpoints could not be written
  environment = 8,  // GPU, driver
  checkpoint = 9,   // restart data unusable
  stopped = 75,     // stopped on request, with a committed checkpoint
};

class Error : public std::runtime_error {
 public:
  // `what` is one sentence with the place and the value; `why` and `fix` may be empty.
  Error(Exit exit, std::string what, std::string why = {}, std::string fix = {});
  Exit exit() const { return exit_; }
  const std::string& message() const { return message_; }
  const std::string& why() const { return why_; }
  const std::string& fix() const { return fix_; }

 private:
  Exit exit_;
  std::string message_, why_, fix_;
};

// Several independent errors reported in one run. The exit code is that of the first.
class ErrorList {
 public:
  void add(Error error) { errors_.push_back(std::move(error)); }
  void add(const ErrorList& other);
  bool empty() const { return errors_.empty(); }
  const std::vector<Error>& errors() const { return errors_; }
  void throw_if_any() const;  // throws Error (one) or Errors (several)

 private:
  std::vector<Error> errors_;
};

// Thrown by ErrorList when it holds more than one error.
class Errors : public Error {
 public:
  explicit Errors(std::vector<Error> list);
  const std::vector<Error>& list() const { return list_; }

 private:
  std::vector<Error> list_;
};

// "did you mean" support: the candidate with the smallest edit distance, or empty when nothing is near.
std::string nearest_match(std::string_view word, const std::vector<std::string>& candidates);

// "'a', 'b' and 'c'", for lists of valid names in messages.
std::string quoted_list(const std::vector<std::string>& names);

}  // namespace ritz
