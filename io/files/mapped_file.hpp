// A file mapped into memory for reading. Private to io.
#pragma once

#include <string>
#include <string_view>

namespace ritz {

class MappedFile {
 public:
  // Throws Error: Exit::mesh when there is no such file, when it is a folder or when it is empty. With `ahead` the
  // pages are fetched at once: for files that are read from end to end.
  explicit MappedFile(const std::string& path, bool ahead = true);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ritz
