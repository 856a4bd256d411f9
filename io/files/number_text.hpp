// Numbers from text, independent of the locale, fast enough for gigabytes. Private to io.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

namespace ritz {

inline bool is_blank(char c) { return static_cast<unsigned char>(c) <= ' '; }

inline const char* skip_blanks(const char* position, const char* end) {
  while (position < end && is_blank(*position)) ++position;
  return position;
}

inline const char* token_end(const char* position, const char* end) {
  while (position < end && !is_blank(*position)) ++position;
  return position;
}

// A number from `position` to `end` that no double can hold: 1e-400 is 0, 1e400 is infinite.
inline double beyond_range(const char* position, const char* end) {
  const char* exponent = std::find_if(position, end, [](char c) { return c == 'e' || c == 'E'; });
  const bool is_small = end - exponent > 1 ? exponent[1] == '-' : *position == '0' || *position == '.';
  return is_small ? 0 : std::numeric_limits<double>::infinity();
}

// Both return the end of the number, or nullptr when the text at `position` (no leading blanks) is no number that ends
// at a blank.
inline const char* parse_number(const char* position, const char* end, std::int64_t& value) {
  if (position < end && *position == '+') ++position;
  std::int64_t digits = 0;
  const char* p = position;
  while (p < end && p - position < 18 && *p >= '0' && *p <= '9') digits = 10 * digits + (*p++ - '0');
  if (p > position && (p == end || is_blank(*p))) {
    value = digits;
    return p;
  }
  const auto [stop, error] = std::from_chars(position, end, value);
  return error == std::errc{} && (stop == end || is_blank(*stop)) ? stop : nullptr;
}

inline const char* parse_number(const char* position, const char* end, double& value) {
  if (position < end && *position == '+') ++position;
  const auto [stop, error] = std::from_chars(position, end, value);
  const bool in_range = error == std::errc{} || error == std::errc::result_out_of_range;
  if (!in_range || (stop != end && !is_blank(*stop))) return nullptr;
  if (error != std::errc{}) value = beyond_range(position, stop);
  return stop;
}

}  // namespace ritz
