#include "io/files/text_file.hpp"

#include "device/error.hpp"
#include "io/files/number_text.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

namespace ritz {

TextFile::TextFile(std::string path) : path_(std::move(path)), mapped_(path_), text_(mapped_.bytes()) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
}

std::int64_t TextFile::line_of(const char* position) const {
  return 1 + std::count(begin(), std::min(position, end()), '\n');
}

void TextFile::fail(const char* position, const std::string& what, const std::string& why,
                    const std::string& fix) const {
  throw Error(
      ErrorKind::mesh_contents, fmt::format("{} at '{}', line {}", what, path_, line_of(position)), why,
      fix.empty() ? "write the file again with the mesher; it may have been cut short or changed by hand" : fix);
}

void TextFile::fail_expected(const char* position, const std::string& what, const std::string& why) const {
  if (position >= end()) fail(end(), fmt::format("expected {}, but the file ends", what), why);
  const char* stop = std::min(token_end(position, end()), position + 40);
  if (stop == position) fail(position, fmt::format("expected {}, but the line ends", what), why);
  fail(position, fmt::format("expected {}, found '{}'", what, std::string_view(position, stop)), why);
}

const char* line_end(const char* position, const char* end) {
  const void* found = position < end ? std::memchr(position, '\n', static_cast<std::size_t>(end - position)) : nullptr;
  return found != nullptr ? static_cast<const char*>(found) : end;
}

}  // namespace ritz
