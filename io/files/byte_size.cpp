#include "io/files/byte_size.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

namespace ritz {
namespace {

constexpr std::string_view prefixes = "KMGT";

}  // namespace

std::optional<std::int64_t> byte_size(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str() || !std::isfinite(number) || number < 0) return std::nullopt;
  std::string unit;
  for (; *end != '\0'; ++end)
    if (*end != ' ') unit += static_cast<char>(std::toupper(static_cast<unsigned char>(*end)));
  double factor = 1;
  if (!unit.empty() && unit != "B") {
    const std::size_t power = prefixes.find(unit[0]);
    if (power == std::string_view::npos) return std::nullopt;
    const std::string rest = unit.substr(1);
    if (!rest.empty() && rest != "B" && rest != "I" && rest != "IB") return std::nullopt;
    factor = std::pow(rest.starts_with('I') ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  const double bytes = std::floor(number * factor + 0.5);
  if (bytes > 4.6e18) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

std::string text_of_bytes(std::int64_t bytes) {
  if (std::abs(bytes) < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (value /= 1000; std::abs(value) >= 999.5 && unit + 1 < prefixes.size(); value /= 1000) ++unit;
  const int digits = std::abs(value) < 9.995 ? 2 : std::abs(value) < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}B", value, digits, unit == 0 ? 'k' : prefixes[unit]);
}

}  // namespace ritz
