#include "io/files/included_files.hpp"

#include "device/error.hpp"
#include "io/files/input_file.hpp"
#include "io/files/mapped_file.hpp"
#include "io/files/number_text.hpp"
#include "io/files/text_case.hpp"

#include <algorithm>
#include <filesystem>

namespace ritz {
namespace {

namespace fs = std::filesystem;

// The text in quotes, or else up to a comma or the end.
std::string_view name_in(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  const bool quoted = !text.empty() && (text.front() == '"' || text.front() == '\'');
  const std::size_t end = quoted ? text.find(text.front(), 1) : text.find(',');
  text = text.substr(quoted ? 1 : 0, end == std::string_view::npos ? end : end - (quoted ? 1 : 0));
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The name of the file that a line includes; empty for nearly all lines.
std::string_view included_by(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  if (line.empty() || line.size() > 4096) return {};
  const auto behind = [&line](std::string_view word) {
    const std::size_t at = upper(line).find(word);
    return at == std::string::npos ? std::string_view() : line.substr(at + word.size());
  };
  switch (line.front()) {
    case '*': {
      const std::string_view rest = behind("INPUT");
      const std::size_t equals = rest.find('=');
      return equals == std::string_view::npos ? std::string_view() : name_in(rest.substr(equals + 1));
    }
    case '#':
      return line.find("include") == std::string_view::npos || line.find('"') == std::string_view::npos
                 ? std::string_view()
                 : name_in(line.substr(line.find('"')));
    case '<': return name_in(behind("SOURCE="));
    case 'I':
    case 'i': return upper(line.substr(0, 7)) == "INCLUDE" ? name_in(line.substr(7)) : std::string_view();
    default: return {};
  }
}

void add(const std::string& path, const fs::path& folder, std::vector<std::string>& files) {
  constexpr std::size_t head = 4096;
  std::error_code status;
  if (is_outside(path) || !fs::is_regular_file(path, status) || fs::file_size(path, status) == 0 ||
      std::ranges::find(files, path) != files.end())
    return;
  files.push_back(path);
  const MappedFile file(path);
  std::string_view rest = file.bytes();
  if (rest.substr(0, head).find('\0') != std::string_view::npos) return;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (const std::string name(included_by(rest.substr(0, end))); !name.empty())
      for (const fs::path& from : {folder, fs::path(path).parent_path()}) add((from / name).string(), folder, files);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

std::vector<std::string> with_included_files(const std::string& path) {
  std::vector<std::string> files;
  add(path, fs::path(path).parent_path(), files);
  if (files.empty()) files.push_back(path);
  return files;
}

std::string included_path(const std::string& deck, const std::string& from, const std::string& name) {
  const fs::path beside_deck = fs::path(deck).parent_path() / name, beside_file = fs::path(from).parent_path() / name;
  const auto is_there = [](const fs::path& path) {
    std::error_code ignored;
    return !is_outside(path.string()) && fs::exists(path, ignored);
  };
  return (!is_there(beside_deck) && is_there(beside_file) ? beside_file : beside_deck).string();
}

}  // namespace ritz
