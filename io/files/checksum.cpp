#include "io/files/checksum.hpp"

#include "device/error.hpp"
#include "io/files/input_file.hpp"

#include <cerrno>
#include <cstring>
#include <vector>

#include <unistd.h>
#include <zlib.h>

#include <fmt/core.h>

namespace ritz {
namespace {

class InputFile {
 public:
  explicit InputFile(const std::string& path) : number_(open_regular(path)), path_(path) { check(number_); }
  ~InputFile() {
    if (number_ >= 0) ::close(number_);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  std::string_view read(std::vector<char>& block) const {
    while (true) {
      const ssize_t count = ::read(number_, block.data(), block.size());
      if (count < 0 && errno == EINTR) continue;
      check(count);
      return {block.data(), static_cast<std::size_t>(count)};
    }
  }

 private:
  void check(ssize_t result) const {
    if (result < 0)
      throw Error(ErrorKind::cannot_write, fmt::format("cannot read '{}' back: {}", path_, std::strerror(errno)),
                  "its checksum is needed", "check the disk");
  }
  int number_;
  std::string path_;
};

}  // namespace

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

FileChecksum checksum_of_file(const std::string& path) {
  const InputFile file(path);
  std::vector<char> block(std::size_t{1} << 16);
  FileChecksum sum;
  for (std::string_view bytes; !(bytes = file.read(block)).empty();) {
    sum.crc32 = crc32_of(bytes, sum.crc32);
    sum.size += bytes.size();
  }
  return sum;
}

}  // namespace ritz
