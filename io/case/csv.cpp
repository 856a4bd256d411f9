#include "io/case/csv.hpp"

#include <algorithm>

namespace ritz {
namespace {

std::string trimmed_cell(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

// Takes one cell, up to the next comma or the end of the line, which stay.
std::string take_cell(std::string_view& text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos || text[start] != '"') {
    const std::size_t end = std::min(text.find_first_of(",\r\n"), text.size());
    const std::string cell = trimmed_cell(text.substr(0, end));
    text.remove_prefix(end);
    return cell;
  }
  std::string cell;
  std::size_t at = start + 1;
  for (; at < text.size(); ++at) {
    if (text[at] == '"' && (at + 1 >= text.size() || text[at + 1] != '"')) break;
    if (text[at] == '"') ++at;  // two quotes are one
    cell += text[at];
  }
  text.remove_prefix(std::min(text.find_first_of(",\r\n", at), text.size()));
  return cell;
}

}  // namespace

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::vector<std::vector<std::string>> csv_rows(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::vector<std::string>> rows;
  while (!text.empty()) {
    std::vector<std::string> row{take_cell(text)};
    while (!text.empty() && text.front() == ',') {
      text.remove_prefix(1);
      row.push_back(take_cell(text));
    }
    while (!text.empty() && (text.front() == '\r' || text.front() == '\n')) text.remove_prefix(1);
    if (row.size() > 1 || !row.front().empty()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ritz
