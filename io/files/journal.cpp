#include "io/files/journal.hpp"

#include "io/files/atomic_file.hpp"
#include "io/files/commit_group.hpp"
#include "io/files/input_file.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

using Json = nlohmann::ordered_json;

std::string hex(std::uint32_t value) { return fmt::format("{:08x}", value); }

std::uint32_t number_of_hex(const std::string& text) {
  if (text.size() != 8 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw std::invalid_argument("no checksum");
  return static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
}

// Counts: another number is not taken for one (-1, 1e30).
template <class Count = std::uint64_t>
Count count_of(const Json& json) {
  if (!json.is_number_unsigned() || !std::in_range<Count>(json.get<std::uint64_t>()))
    throw std::invalid_argument("no count");
  return json.get<Count>();
}

Json json_of(const JournalFile& file) {
  if (file.slabs.empty())
    return {{"path", file.path}, {"size", file.checksum.size}, {"crc32", hex(file.checksum.crc32)}};
  Json slabs = Json::array();
  for (const JournalSlab& slab : file.slabs)
    slabs.push_back({{"dataset", slab.dataset},
                     {"first_row", slab.first_row},
                     {"rows", slab.row_count},
                     {"crc32", hex(slab.crc32)}});
  return {{"path", file.path}, {"slabs", std::move(slabs)}};
}

// A relative path that stays below the folder, links aside.
std::string name_of(const Json& json) {
  std::string name = json.get<std::string>();
  const std::filesystem::path path(name);
  if (name.empty() || name.find('\0') != std::string::npos || path.is_absolute() ||
      std::ranges::find(path, "..") != path.end())
    throw std::invalid_argument("no name of a file in the folder");
  return name;
}

JournalFile file_of(const Json& json) {
  JournalFile file{.path = name_of(json.at("path"))};
  if (!json.contains("slabs")) {
    file.checksum = {count_of(json.at("size")), number_of_hex(json.at("crc32"))};
    return file;
  }
  if (json.at("slabs").empty()) throw std::invalid_argument("no slabs");
  for (const Json& slab : json.at("slabs"))
    file.slabs.push_back({slab.at("dataset"), count_of(slab.at("first_row")), count_of(slab.at("rows")),
                          number_of_hex(slab.at("crc32"))});
  return file;
}

Json json_of_line(std::string_view line) {
  if (line.size() < 10 || line[8] != ' ' || number_of_hex(std::string(line.substr(0, 8))) != crc32_of(line.substr(9)))
    throw std::invalid_argument("the checksum of the line is wrong");
  return Json::parse(line.substr(9));
}

std::string line_of(const Json& json) {
  const std::string text = json.dump();
  return hex(crc32_of(text)) + " " + text + "\n";
}

JournalEntry entry_of(const Json& json) {
  JournalEntry entry{json.at("case"),
                     name_of(json.at("series")),
                     count_of<int>(json.at("step")),
                     json.at("time").is_number() ? json.at("time").get<double>() : NAN,
                     {}};
  for (const Json& file : json.at("files")) entry.files.push_back(file_of(file));
  if (entry.files.empty()) throw std::invalid_argument("a step without files");
  return entry;
}

}  // namespace

std::string journal_path(const std::string& folder) {
  return (std::filesystem::path(folder) / "results.journal").string();
}

bool is_within(const std::string& folder, const std::string& file) {
  std::error_code status;
  const std::filesystem::path whole = std::filesystem::canonical(folder.empty() ? "." : folder, status);
  if (status) return false;
  const bool leads_nowhere = std::filesystem::is_symlink(whole / file, status) &&
                             !std::filesystem::exists(whole / file, status);  // a file would be made there
  if (leads_nowhere) return false;
  const std::filesystem::path path = std::filesystem::weakly_canonical(whole / file, status);
  return !status && std::ranges::mismatch(whole, path).in1 == whole.end();
}

std::string path_within(const std::string& folder, const std::string& file) {
  if (!is_within(folder, file))
    throw Error(ErrorKind::journal_damaged,
                fmt::format("'{}' of '{}' leads out of the folder", file, journal_path(folder)),
                "links in a folder of results are not followed", "replace the link by what it leads to");
  return (std::filesystem::path(folder) / file).string();
}

std::string to_line(const JournalEntry& entry) {
  Json json{{"case", entry.case_name},
            {"series", entry.series},
            {"step", entry.step},
            {"time", entry.time},
            {"files", Json::array()}};
  for (const JournalFile& file : entry.files) json["files"].push_back(json_of(file));
  try {
    return line_of(json);
  } catch (const Json::exception&) {
    throw Error(ErrorKind::cannot_write, fmt::format("the name '{}' is not UTF-8", entry.series),
                "the journal of the results is", "rename the case file");
  }
}

std::string to_line_of_end(const std::string& case_name, const std::string& run) {
  return line_of({{"case", case_name}, {"complete", run}});
}

Journal parse_journal(std::string_view text) {
  Journal journal;
  std::map<std::pair<std::string, std::string>, int> steps;  // that come next
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      journal.unfinished_line = true;
      break;
    }
    try {
      const Json json = json_of_line(text.substr(0, end));
      if (json.contains("complete")) {
        journal.complete[json.at("case").get<std::string>()] = json.at("complete").get<std::string>();
        journal.valid_size += end + 1;
        text.remove_prefix(end + 1);
        continue;
      }
      JournalEntry entry = entry_of(json);
      journal.complete.erase(entry.case_name);
      // Each series counts its steps from 0. A line that cannot be read leaves a gap.
      int& next = steps[{entry.case_name, entry.series}];
      const bool follows = entry.step == next || (entry.step > next && !journal.damaged_lines.empty());
      next = entry.step + 1;
      journal.entries.push_back(std::move(entry));
      if (!follows) journal.damaged_lines.push_back(number);
    } catch (const std::exception&) { journal.damaged_lines.push_back(number); }
    journal.valid_size += end + 1;
    text.remove_prefix(end + 1);
  }
  return journal;
}

Journal read_journal(const std::string& folder) {
  const std::string path = journal_path(folder);
  const std::optional<std::string> text = text_of_file(path);
  if (!text && errno == ENOENT) return {};
  if (!text)
    throw Error(ErrorKind::checkpoint_unusable, fmt::format("cannot read '{}': it {}", path, reason_not_to_read(errno)),
                "it records what was committed", "check the disk, or name another folder");
  return parse_journal(*text);
}

void append_to_journal(const std::string& folder, const JournalEntry& entry) {
  const std::string line = to_line(entry);
  if (!hold_journal_line(folder, line)) append_lines_to_journal(folder, line);
}

void append_lines_to_journal(const std::string& folder, const std::string& lines) {
  const std::string path = journal_path(folder);
  const bool is_new = ::access(path.c_str(), F_OK) != 0;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) fail_to_write(path, std::strerror(errno));
  struct stat before {};
  const bool measured = ::fstat(file, &before) == 0;
  bool good = measured;
  for (std::string_view rest = lines; good && !rest.empty();) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    good = written >= 0;
    if (good) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  good = good && ::fsync(file) == 0;
  std::string reason = good ? "" : std::strerror(errno);
  if (!good && ((measured && ::ftruncate(file, before.st_size) != 0) || (is_new && ::unlink(path.c_str()) != 0)))
    reason += ", and the unfinished line could not be removed";  // readers see that it is unfinished
  if (::close(file) != 0 && good) reason = std::strerror(errno);
  if (!reason.empty()) fail_to_write(path, reason);
  if (is_new) flush_folder(path);
}

}  // namespace ritz
