#include "tests/ptx/fat_binary.hpp"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <lz4.h>
#include <stdexcept>
#include <zstd.h>

namespace ritz::ptx {
namespace {

constexpr std::uint32_t magic = 0xba55ed50;
constexpr std::uint64_t lz4_flag = 0x2000, zstd_flag = 0x8000;

// Layouts as in files of nvcc 12 and 13; sizes in bytes.
struct Header {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // of what follows
};
struct Entry {
  std::uint16_t kind, version;  // kind 1: PTX, 2: machine code
  std::uint32_t header_bytes;
  std::uint64_t bytes;  // padded
  std::uint32_t compressed_bytes, unknown;
  std::uint16_t minor, major;
  std::uint32_t architecture, name_offset, name_bytes;
  std::uint64_t flags, zero, unpacked_bytes;
};
static_assert(sizeof(Header) == 16 && sizeof(Entry) == 64);

std::string unpacked(const Entry& e, const char* data) {
  if (e.unpacked_bytes == 0 || (e.flags & (lz4_flag | zstd_flag)) == 0) {
    std::string text(data, e.bytes);
    return text.substr(0, text.find('\0'));
  }
  std::string text(e.unpacked_bytes, '\0');
  bool done = false;
  if ((e.flags & zstd_flag) != 0) {
    const std::size_t n = ZSTD_decompress(text.data(), text.size(), data, e.compressed_bytes);
    done = ZSTD_isError(n) == 0 && n == text.size();
  } else {
    done = LZ4_decompress_safe(data, text.data(), static_cast<int>(e.compressed_bytes),
                               static_cast<int>(text.size())) == static_cast<int>(text.size());
  }
  if (!done) throw std::runtime_error("a text in a fat binary cannot be unpacked");
  return text.substr(0, text.find('\0'));
}

void add_texts(const char* at, std::vector<PtxText>& found) {
  Header h;
  std::memcpy(&h, at, sizeof h);
  if (h.magic != magic || h.version != 1) throw std::runtime_error("a fat binary of an unknown form");
  const char* const end = at + h.header_bytes + h.bytes;
  for (at += h.header_bytes; at < end;) {
    Entry e;
    std::memcpy(&e, at, sizeof e);
    if (e.header_bytes == 0) throw std::runtime_error("a fat binary of an unknown form");
    if (e.kind == 1) {
      std::string name = "PTX " + std::to_string(e.architecture);
      found.push_back({name, unpacked(e, at + e.header_bytes), e.architecture});
    }
    at += e.header_bytes + e.bytes;
  }
}

}  // namespace

std::vector<PtxText> ptx_of_fat_binary(const void* fat_binary) {
  std::vector<PtxText> found;
  add_texts(static_cast<const char*>(fat_binary), found);
  return found;
}

std::vector<PtxText> ptx_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot be read");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!bytes.starts_with("\x7f"
                         "ELF"))
    return {{path, bytes, 0}};
  std::vector<PtxText> found;
  const std::string_view wanted("\x50\xed\x55\xba\x01\x00", 6);
  for (std::size_t at = bytes.find(wanted); at != std::string::npos; at = bytes.find(wanted, at + 16))
    add_texts(bytes.data() + at, found);
  for (PtxText& t : found) t.name = path + ", " + t.name;
  return found;
}

}  // namespace ritz::ptx
