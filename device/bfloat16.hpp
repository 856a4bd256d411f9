// A number of 16 bits with the range of float and 8 binary digits (bfloat16): for storage, where the bytes of a matrix
// that only preconditions are worth more than its digits. Arithmetic is that of float; the conversion is a shift, in
// the kernels of every device.
#pragma once

#include <cstdint>

namespace ritz {

struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  // Rounds to the nearest value, ties to even; NaN stays NaN, and values out of range become infinite.
  constexpr explicit BFloat16(double value) {
    const auto u = __builtin_bit_cast(std::uint32_t, static_cast<float>(value));
    const bool is_nan = (u & 0x7fffffffu) > 0x7f800000u;
    bits = static_cast<std::uint16_t>(is_nan ? (u >> 16) | 0x40u : (u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
  constexpr operator float() const { return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16); }
};

}  // namespace ritz
