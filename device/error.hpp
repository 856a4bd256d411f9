// Errors that users can act on: what is wrong (with the value and the place), why, and what to do. Every error has a
// kind, whose name and exit code scripts can rely on.
//
//   throw Error(ErrorKind::inverted_cells, "cell 12 of kind tet4 has volume -0.3",
//               "its nodes are ordered inside out", "swap two of its nodes, or let the mesher write it again");
#pragma once

#include "device/error_kinds.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ritz {

// The key of a case file that an error is about. Empty texts are not known.
struct ErrorSubject {
  std::string key, value, place;  // "material.0.young", "-1", "case.toml:7:9"
};

class Error : public std::runtime_error {
 public:
  // `what` is one sentence with the place and the value; `why` and `fix` may be empty.
  Error(ErrorKind kind, std::string what, std::string why = {}, std::string fix = {});
  ErrorKind kind() const { return kind_; }
  Exit exit() const { return exit_of(kind_); }
  const std::string& message() const { return message_; }
  const std::string& why() const { return why_; }
  const std::string& fix() const { return fix_; }

  Error&& about(ErrorSubject subject) &&;
  // Adds where the user asked for it to the message: "[[tie]] #1 at case.toml:14". Empty: a caller that has no file.
  Error&& at(const std::string& origin) &&;
  const ErrorSubject& subject() const { return subject_; }

 private:
  ErrorKind kind_;
  std::string message_, why_, fix_;
  ErrorSubject subject_;
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
