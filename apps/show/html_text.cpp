#include "apps/show/html_text.hpp"

#include <cstdint>
#include <fmt/format.h>

namespace ritz {
namespace {

std::string row_of(const std::vector<std::string>& cells, const char* tag) {
  std::string row = "<tr>";
  for (const std::string& cell : cells) row += fmt::format("<{0}>{1}</{0}>", tag, escaped(cell));
  return row + "</tr>";
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') result += "&amp;";
    else if (c == '<') result += "&lt;";
    else if (c == '>') result += "&gt;";
    else if (c == '"') result += "&quot;";
    else result += c;
  }
  return result;
}

std::string html_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  std::string text = "<table>";
  if (!head.empty()) text += "<thead>" + row_of(head, "th") + "</thead>";
  text += "<tbody>";
  for (const std::vector<std::string>& row : rows) text += row_of(row, "td");
  return text + "</tbody></table>\n";
}

std::string html_chapter(const std::string& title) { return fmt::format("<h2>{}</h2>\n", escaped(title)); }

std::string base64(const void* data, std::size_t bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* const from = static_cast<const std::uint8_t*>(data);
  std::string text;
  text.reserve(4 * (bytes / 3 + 1));
  for (std::size_t i = 0; i < bytes; i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (i + k < bytes ? from[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes ? digits[group >> (18 - 6 * k) & 63u] : '=';
  }
  return text;
}

}  // namespace ritz
