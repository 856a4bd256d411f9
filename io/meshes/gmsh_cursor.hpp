// Reading numbers from one section of a Gmsh file, text or binary through the same calls, every error with its place.
// Private to io.
#pragma once

#include "io/files/number_text.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ritz {

struct GmshFile {
  std::string path;
  std::string_view bytes;
  bool binary = false;

  // "line 12" or "byte 345".
  std::string place(const char* position) const;
  // Throws Error: Exit::mesh.
  [[noreturn]] void fail(const char* position, std::string_view section, const std::string& what,
                         const std::string& why = {}, const std::string& fix = {}) const;
};

class GmshCursor {
 public:
  GmshCursor(const GmshFile& file, std::string_view section, const char* begin, const char* end)
      : file_(&file), section_(section), position_(begin), end_(end) {}

  std::int64_t integer(const char* what) { return file_->binary ? raw<std::int32_t>(what) : text_integer(what); }
  std::int64_t size(const char* what);  // 64 bits in a binary file; not negative
  double real(const char* what) { return file_->binary ? raw<double>(what) : text_real(what); }
  std::int64_t text_integer(const char* what);
  double text_real(const char* what);
  std::string_view rest_of_line();
  template <class T>
  T raw(const char* what);

  // Count of records of at least `least_bytes` each that must still be in this section.
  std::int64_t count(const char* what, std::int64_t least_bytes_binary, std::int64_t least_bytes_text);
  void check_count(std::int64_t count, const char* what, std::int64_t least_bytes);
  void skip_bytes(std::int64_t bytes) { position_ += bytes; }
  void skip_integers(std::int64_t count, const char* what);
  void expect_end();  // only white space may be left

  const GmshFile& file() const { return *file_; }
  std::string_view section() const { return section_; }
  const char* position() const { return position_; }
  const char* end() const { return end_; }
  void move_to(const char* position) { position_ = position; }
  [[noreturn]] void fail(const char* position, const std::string& what, const std::string& why = {}) const {
    file_->fail(position, section_, what, why);
  }
  [[noreturn]] void fail_expected(const char* position, const char* what) const;

 private:
  const GmshFile* file_;
  std::string_view section_;
  const char *position_, *end_;
};

template <class T>
T GmshCursor::raw(const char* what) {
  if (end_ - position_ < static_cast<std::ptrdiff_t>(sizeof(T))) fail_expected(position_, what);
  T value;
  std::memcpy(&value, position_, sizeof(T));
  position_ += sizeof(T);
  return value;
}

}  // namespace ritz
