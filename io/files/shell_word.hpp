// A file name as a shell takes it, for commands that messages propose.
#pragma once

#include <string>

namespace ritz {

// In single quotes where it has other characters than those of plain names.
inline std::string shell_word(const std::string& name) {
  constexpr const char* plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=+,@%";
  if (!name.empty() && name.find_first_not_of(plain) == std::string::npos) return name;
  std::string word = "'";
  for (const char letter : name) word += letter == '\'' ? "'\\''" : std::string(1, letter);
  return word + "'";
}

}  // namespace ritz
