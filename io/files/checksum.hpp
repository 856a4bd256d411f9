// Size and CRC-32 of what was written. CRC-32 as in zlib and gzip (polynomial 0xEDB88320): it sees every error burst of
// up to 32 bits, needs no library that VTK does not bring, and Python's zlib.crc32 or `gzip -l` can check it without
// us.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ritz {

struct FileChecksum {
  std::uint64_t size = 0;  // [bytes]
  std::uint32_t crc32 = 0;
  bool operator==(const FileChecksum&) const = default;
};

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);
// Reads the file. Throws Error: Exit::output when it cannot be read.
FileChecksum checksum_of_file(const std::string& path);

}  // namespace ritz
