// A text file as bytes in memory, with errors that name the file and the line. Private to io: the parsers of text
// formats share it.
#pragma once

#include "io/files/mapped_file.hpp"

#include <string>
#include <string_view>

namespace ritz {

class TextFile {
 public:
  // Throws like MappedFile. A UTF-8 byte order mark is not part of the text.
  explicit TextFile(std::string path);

  const std::string& path() const { return path_; }
  const char* begin() const { return text_.data(); }
  const char* end() const { return text_.data() + text_.size(); }
  std::int64_t line_of(const char* position) const;  // 1, 2, ...

  // Throws Error: Exit::mesh with "... at 'path', line 12".
  [[noreturn]] void fail(const char* position, const std::string& what, const std::string& why = {},
                         const std::string& fix = {}) const;
  // "expected what, found 'the next word'".
  [[noreturn]] void fail_expected(const char* position, const std::string& what, const std::string& why = {}) const;

 private:
  std::string path_;
  MappedFile mapped_;
  std::string_view text_;
};

// The end of the line at `position` (its line feed, or `end`).
const char* line_end(const char* position, const char* end);

}  // namespace ritz
