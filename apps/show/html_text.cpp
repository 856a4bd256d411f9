#include "apps/show/html_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

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

std::string residual_curve(const std::vector<double>& residuals, long long first) {
  std::vector<std::pair<double, double>> points;  // place in the list, power of ten
  for (std::size_t i = 0; i < residuals.size(); ++i)
    if (residuals[i] > 0 && std::isfinite(residuals[i])) points.emplace_back(double(i), std::log10(residuals[i]));
  if (points.size() < 2) return "";
  const auto [lowest, highest] = std::ranges::minmax_element(points, {}, &std::pair<double, double>::second);
  const int low = static_cast<int>(std::floor(lowest->second));
  const int high = std::max(low + 1, static_cast<int>(std::ceil(highest->second)));
  constexpr int width = 560, height = 220;
  const auto x = [&](double place) { return 60 + (width - 80) * place / double(residuals.size() - 1); };
  const auto y = [&](double power) { return 15 + (height - 45) * (high - power) / (high - low); };
  std::string text = fmt::format(
      "<figure><svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" font-size=\"12\" "
      "role=\"img\">",
      width, height);
  for (int power = low; power <= high; power += std::max(1, (high - low) / 6))
    text += fmt::format(
        "<line x1=\"60\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>"
        "<text x=\"52\" y=\"{:.1f}\" text-anchor=\"end\">1e{}</text>",
        width - 20, y(power), y(power), y(power) + 4, power);
  text += "<polyline points=\"";
  for (const auto& [place, power] : points) text += fmt::format("{:.1f},{:.1f} ", x(place), y(power));
  text.back() = '"';
  return text + fmt::format(
                    " fill=\"none\" stroke=\"#3b4cc0\" stroke-width=\"2\"/><text x=\"60\" y=\"{0}\">{1}</text>"
                    "<text x=\"{2}\" y=\"{0}\" text-anchor=\"end\">{3}</text></svg><figcaption>Relative residual "
                    "over iterations of the linear solver</figcaption></figure>\n",
                    height - 8, first, width - 20, first + static_cast<long long>(residuals.size()) - 1);
}

}  // namespace ritz
