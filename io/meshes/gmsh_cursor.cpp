#include "io/meshes/gmsh_cursor.hpp"

#include "device/error.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace ritz {

std::string GmshFile::place(const char* position) const {
  const auto offset = static_cast<std::size_t>(position - bytes.data());
  if (binary) return fmt::format("byte {}", offset);
  return fmt::format("line {}", 1 + std::count(bytes.data(), position, '\n'));
}

void GmshFile::fail(const char* position, std::string_view section, const std::string& what, const std::string& why,
                    const std::string& fix) const {
  const std::string where = section.empty() ? std::string() : fmt::format(" in ${}", section);
  throw Error(
      ErrorKind::mesh_contents, fmt::format("{} at '{}', {}{}", what, path, place(position), where), why,
      fix.empty() ? "write the file again with the mesher; it may have been cut short or changed by hand" : fix);
}

void GmshCursor::fail_expected(const char* position, const char* what) const {
  if (position >= end_ || end_ - position < 0)
    fail(position, fmt::format("expected {}, but ${} ends here", what, section_));
  if (file_->binary) fail(position, fmt::format("expected {}, but only {} bytes are left", what, end_ - position));
  const char* stop = std::min(token_end(position, end_), position + 40);
  fail(position, fmt::format("expected {}, found '{}'", what, std::string_view(position, stop)));
}

std::int64_t GmshCursor::size(const char* what) {
  const char* start = position_;
  const std::int64_t value = file_->binary ? raw<std::int64_t>(what) : text_integer(what);
  if (value < 0) fail(start, fmt::format("expected {}, found {}", what, value), "a count cannot be negative");
  return value;
}

std::int64_t GmshCursor::text_integer(const char* what) {
  position_ = skip_blanks(position_, end_);
  std::int64_t value = 0;
  const char* stop = parse_number(position_, end_, value);
  if (stop == nullptr) fail_expected(position_, what);
  position_ = stop;
  return value;
}

double GmshCursor::text_real(const char* what) {
  position_ = skip_blanks(position_, end_);
  double value = 0;
  const char* stop = parse_number(position_, end_, value);
  if (stop == nullptr) fail_expected(position_, what);
  position_ = stop;
  return value;
}

std::string_view GmshCursor::rest_of_line() {
  const char* start = position_;
  const char* stop = std::find(position_, end_, '\n');
  position_ = stop < end_ ? stop + 1 : end_;
  if (stop > start && stop[-1] == '\r') --stop;
  return {start, stop};
}

std::int64_t GmshCursor::count(const char* what, std::int64_t least_bytes_binary, std::int64_t least_bytes_text) {
  const char* start = position_;
  const std::int64_t value = size(what);
  const char* after = position_;
  position_ = start;  // the place to name when the count is absurd
  check_count(value, what, file_->binary ? least_bytes_binary : least_bytes_text);
  position_ = after;
  return value;
}

void GmshCursor::check_count(std::int64_t count, const char* what, std::int64_t least_bytes) {
  if (count < 0) fail(position_, fmt::format("expected {}, found {}", what, count), "a count cannot be negative");
  const std::int64_t left = end_ - position_ + 1;
  if (count > left / least_bytes)
    fail(position_, fmt::format("{} is {}, but only {} bytes are left", what, count, left - 1),
         fmt::format("each takes at least {} bytes", least_bytes));
}

void GmshCursor::skip_integers(std::int64_t count, const char* what) {
  for (std::int64_t i = 0; i < count; ++i) integer(what);
}

void GmshCursor::expect_end() {
  const char* position = skip_blanks(position_, end_);
  if (position < end_ && (!file_->binary || end_ - position_ > 2))
    fail(position, fmt::format("expected $End{}", section_),
         fmt::format("{} bytes follow the announced number of entries", end_ - position));
}

}  // namespace ritz
