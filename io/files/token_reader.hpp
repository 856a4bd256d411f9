// Words and numbers, one after the other, from text in which line ends mean nothing and # starts a comment. Private to
// io.
#pragma once

#include "io/files/number_text.hpp"
#include "io/files/text_file.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace ritz {

class TokenReader {
 public:
  explicit TokenReader(const TextFile& file) : file_(&file), position_(file.begin()), end_(file.end()) {}

  const TextFile& file() const { return *file_; }
  // The start of the next token; the end of the file when there is none.
  const char* next() {
    for (;;) {
      position_ = skip_blanks(position_, end_);
      if (position_ == end_ || *position_ != '#') return position_;
      position_ = line_end(position_, end_);
    }
  }
  bool at_end() { return next() == end_; }
  void move_to(const char* position) { position_ = position; }

  std::string_view word(const char* what) {
    const char* start = next();
    if (start == end_) file_->fail_expected(start, what);
    position_ = token_end(start, end_);
    return {start, position_};
  }
  void expect(std::string_view expected) {
    const char* start = next();
    if (start == end_ || word("a word") != expected) file_->fail_expected(start, fmt::format("'{}'", expected));
  }
  std::int64_t integer(const char* what) { return number<std::int64_t>(what); }
  double real(const char* what) {
    const char* start = next();
    const double value = number<double>(what);
    if (!std::isfinite(value)) file_->fail_expected(start, what);
    return value;
  }
  // A count of entries of at least `least_bytes` each that must still be in the file.
  std::int64_t count(const char* what, std::int64_t least_bytes) {
    const char* start = next();
    const std::int64_t value = integer(what);
    if (value < 0) file_->fail(start, fmt::format("{} is {}", what, value), "a count cannot be negative");
    if (value > (end_ - position_) / least_bytes + 1)
      file_->fail(start, fmt::format("{} is {}, but only {} bytes are left", what, value, end_ - position_),
                  fmt::format("each takes at least {} bytes", least_bytes));
    return value;
  }

 private:
  template <class T>
  T number(const char* what) {
    const char* start = next();
    T value{};
    const char* stop = start == end_ ? nullptr : parse_number(start, end_, value);
    if (stop == nullptr) file_->fail_expected(start, what);
    position_ = stop;
    return value;
  }

  const TextFile* file_;
  const char *position_, *end_;
};

}  // namespace ritz
