// Sizes of memory as people write them: "6G", "512MiB", "1.5e9".
//
//   const std::optional<std::int64_t> limit = byte_size("6G");   // 6'000'000'000
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ritz {

// A number, then nothing or B (bytes), K, M, G, T (powers of 1000, as disks and our messages count) or KiB, MiB, GiB,
// TiB (powers of 1024), in either case; "GB" is G. nullopt: none of these, negative, or beyond 2^62.
std::optional<std::int64_t> byte_size(std::string_view text);

// Three digits and a unit: "812 B", "3.42 MB", "12.0 GB".
std::string text_of_bytes(std::int64_t bytes);

}  // namespace ritz
