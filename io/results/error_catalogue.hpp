// The kinds of errors that Ritz reports: a name that scripts may rely on, the exit code, the reason and the remedy.
// The error itself also names the place, the value and the nearest match. `ritz errors` prints the catalogue as
// docs/errors.md.
//
//   kind_of(error).name    // "unknown-key"
//
// The kind follows from the words of the message, so code that throws an error needs no number;
// tests/cases/errors_test.py reads every `throw` of the sources and fails when its message fits no kind.
#pragma once

#include "device/error.hpp"

#include <span>
#include <string>
#include <vector>

namespace ritz {

struct ErrorKind {
  const char* name;
  Exit exit;
  const char* what;  // one sentence
  const char* why;   // common reasons
  const char* remedy;
  std::vector<const char*> patterns;  // of "<what>\n<why>"; * stands for any text; the first kind that fits is taken
};

// Kinds in the order of exit codes; the last of each code fits all messages that no other fits.
std::span<const ErrorKind> error_catalogue();
const ErrorKind& kind_of(const Error& error);

// Key, value and place of a message of the usual form: "'material.0.young' is -1 at case.toml:7:9".
struct ErrorParts {
  std::string key, value, place;  // empty: not in the message
};
ErrorParts parts_of(const Error& error);

std::string catalogue_as_markdown();
std::string catalogue_as_json();

}  // namespace ritz
