// Numbers that netCDF and legacy VTK files store with the highest byte first. Private to io.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ritz {

template <class T>
requires std::is_arithmetic_v<T> T big_endian_number(const char* place) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, place, sizeof(T));
  std::uint64_t bits = 0;
  for (const unsigned char byte : bytes) bits = bits << 8 | byte;
  if constexpr (sizeof(T) == 8) {
    return std::bit_cast<T>(bits);
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<T>(static_cast<std::uint16_t>(bits));
  } else {
    return std::bit_cast<T>(static_cast<std::uint8_t>(bits));
  }
}

}  // namespace ritz
