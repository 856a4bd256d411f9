// An environment variable as text.
#pragma once

#include <cstdlib>
#include <string>

namespace ritz {

// Empty where it is not set.
inline std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace ritz
