// Kinds of errors in words: the name that scripts may rely on, the reason and the remedy. The error itself also names
// the place, the value and the nearest match. `ritz errors` prints the catalogue as docs/errors.md.
//
//   entry_of(error).name    // "unknown-key"
#pragma once

#include "device/error.hpp"

#include <span>
#include <string>

namespace ritz {

struct ErrorEntry {
  ErrorKind kind;
  const char* name;
  const char* what;  // one sentence
  const char* why;   // common reasons
  const char* remedy;
};

// In the order of ErrorKind, without gaps.
std::span<const ErrorEntry> error_catalogue();
const ErrorEntry& entry_of(const Error& error);

std::string catalogue_as_markdown();
std::string catalogue_as_json();

}  // namespace ritz
