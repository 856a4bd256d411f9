#include "io/result_check.hpp"

#include "device/error.hpp"
#include "io/journal.hpp"
#include "io/pvd_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

namespace ritz {
namespace {

namespace fs = std::filesystem;

struct Series {
  std::vector<PvdEntry> entries;
};

CheckedFile check_file(const fs::path& folder, const JournalFile& file, ResultCheck& check) {
  std::error_code status;
  if (!fs::exists(folder / file.path, status)) return {file.path, FileState::missing, "the journal says that it was committed"};
  try {
    const FileChecksum now = checksum_of_file((folder / file.path).string());
    if (now.size != file.checksum.size)
      return {file.path, FileState::damaged, fmt::format("{} bytes instead of {}", now.size, file.checksum.size)};
    if (now != file.checksum)
      return {file.path, FileState::damaged, fmt::format("CRC-32 {:08x} instead of {:08x}", now.crc32, file.checksum.crc32)};
    check.bytes += now.size;
  } catch (const Error& error) {
    return {file.path, FileState::damaged, error.message()};
  }
  return {file.path, FileState::ok, ""};
}

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The index is written before the journal's line: it may know one step more.
CheckedFile check_index(const fs::path& folder, const std::string& path, const Series& series) {
  std::error_code status;
  if (!fs::exists(folder / path, status)) return {path, FileState::missing, "the index of the steps"};
  const std::string expected = pvd_text(series.entries), tail = "  </Collection>\n</VTKFile>\n";
  const std::string text = text_of_file(folder / path);
  if (text == expected) return {path, FileState::ok, fmt::format("{} steps", series.entries.size())};
  const std::string_view head = std::string_view(expected).substr(0, expected.size() - tail.size());
  if (text.starts_with(head) && text.ends_with(tail) && text.size() > expected.size()) {
    const std::string_view more = std::string_view(text).substr(head.size(), text.size() - head.size() - tail.size());
    if (std::count(more.begin(), more.end(), '\n') == 1 && more.starts_with("    <DataSet "))
      return {path, FileState::ok, fmt::format("{} steps, and one whose commit was cut off", series.entries.size())};
  }
  return {path, FileState::damaged, "it does not list the steps of the journal"};
}

void add_extra_files(const fs::path& folder, const std::set<std::string>& known, ResultCheck& check) {
  std::vector<std::string> extra;
  std::error_code status;
  for (fs::recursive_directory_iterator at(folder, status), end; !status && at != end; at.increment(status)) {
    const std::string path = at->path().lexically_relative(folder).generic_string();
    if (at->is_directory(status)) {
      if (path == "replaced") at.disable_recursion_pending();  // has journals of its own
    } else if (!known.contains(path)) {
      extra.push_back(path);
    }
  }
  std::sort(extra.begin(), extra.end());
  for (std::string& path : extra) check.files.push_back({std::move(path), FileState::extra, "not in the journal"});
}

void add_replaced(const fs::path& folder, ResultCheck& check) {
  std::error_code status;
  for (fs::directory_iterator at(folder / "replaced", status), end; !status && at != end; at.increment(status))
    check.notices.push_back(fmt::format("'{}' holds older results, as the run that was to replace them did not end well", at->path().string()));
}

}  // namespace

const char* name_of(FileState state) {
  switch (state) {
    case FileState::ok: return "ok";
    case FileState::damaged: return "damaged";
    case FileState::missing: return "missing";
    case FileState::extra: return "extra";
  }
  return "";
}

bool ResultCheck::good() const {
  return std::none_of(files.begin(), files.end(), [](const CheckedFile& f) { return f.state == FileState::damaged || f.state == FileState::missing; });
}

ResultCheck check_results(const std::string& path) {
  const fs::path folder(path);
  if (!fs::is_directory(folder))
    throw Error(Exit::input, fmt::format("there is no folder '{}'", path), {}, "name the folder of the results, the one that holds results.journal");
  if (!fs::exists(journal_path(path)))
    throw Error(Exit::checkpoint, fmt::format("the folder '{}' holds no results.journal", path), "nothing says what was committed there",
                "name the folder of the results");
  ResultCheck check{.folder = path};
  check.writer = holder_of(path);
  const Journal journal = read_journal(path);
  std::set<std::string> known{"results.journal", ".ritz-lock"};
  CheckedFile own{"results.journal", FileState::ok, fmt::format("{} steps", journal.entries.size())};
  if (!journal.damaged_lines.empty())
    own = {"results.journal", FileState::damaged, fmt::format("wrong checksum in line {}", fmt::join(journal.damaged_lines, ", "))};
  if (journal.unfinished_line) check.notices.push_back("the last line of results.journal is unfinished: that step was not committed");
  check.files.push_back(std::move(own));
  std::map<std::string, Series> indices;
  for (const JournalEntry& entry : journal.entries) {
    ++check.steps;
    for (const JournalFile& file : entry.files) {
      known.insert(file.path);
      check.files.push_back(check_file(folder, file, check));
    }
    if (fs::path(entry.series).extension() == ".pvd" && entry.files.size() == 1)
      indices[entry.series].entries.push_back({entry.time, 0, entry.files[0].path});
  }
  for (const auto& [name, series] : indices) {
    known.insert(name);
    check.files.push_back(check_index(folder, name, series));
  }
  if (!check.writer) add_extra_files(folder, known, check);
  add_replaced(folder, check);
  return check;
}

}  // namespace ritz
