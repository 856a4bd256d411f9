// The kinds of errors that Ritz reports: a name that scripts may rely on, the exit code, what it means and what to do.
// An error itself says more: the place, the value, the nearest match. `ritz errors` prints the catalogue,
// docs/errors.md is that.
//
//   kind_of(error).name    // "unknown-key"
//
// An error is known by the words of its sentence, so that code that throws one needs no number;
// tests/cases/errors_test.py looks at every `throw` of the source and fails when its sentence fits no kind.
#pragma once

#include "device/error.hpp"

#include <span>
#include <string>
#include <vector>

namespace ritz {

struct ErrorKind {
  const char* name;
  Exit exit;
  const char* what;  // in one sentence
  const char* why;   // how it comes about
  const char* remedy;
  std::vector<const char*> patterns;  // of "<what>\n<why>"; * stands for anything; the first kind that fits is it
};

// In the order of exit codes; the last of each code takes what no other takes.
std::span<const ErrorKind> error_catalogue();
const ErrorKind& kind_of(const Error& error);

// What the sentence says of the place and the value, where it follows the usual form: "'material.0.young' is -1 at
// case.toml:7:9".
struct ErrorParts {
  std::string key, value, place;  // empty: not said
};
ErrorParts parts_of(const Error& error);

std::string catalogue_as_markdown();
std::string catalogue_as_json();

}  // namespace ritz
