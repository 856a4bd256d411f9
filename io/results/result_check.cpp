#include "io/results/result_check.hpp"

#include "device/error.hpp"
#include "io/files/child_process.hpp"
#include "io/files/input_file.hpp"
#include "io/files/journal.hpp"
#include "io/hdf5/hdf5_library.hpp"
#include "io/results/pvd_writer.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

namespace ritz {
namespace {

namespace fs = std::filesystem;

struct Series {
  std::vector<PvdEntry> entries;
};

constexpr const char* leads_out = "it leads out of the folder";

CheckedFile check_file(const fs::path& folder, const JournalFile& file, ResultCheck& check) {
  std::error_code status;
  if (!fs::exists(folder / file.path, status))
    return {file.path, FileState::missing, "the journal says that it was committed"};
  if (!is_within(folder, file.path)) return {file.path, FileState::damaged, leads_out};
  try {
    const FileChecksum now = checksum_of_file((folder / file.path).string());
    if (now.size != file.checksum.size)
      return {file.path, FileState::damaged, fmt::format("{} bytes instead of {}", now.size, file.checksum.size)};
    if (now != file.checksum)
      return {file.path, FileState::damaged,
              fmt::format("CRC-32 {:08x} instead of {:08x}", now.crc32, file.checksum.crc32)};
    check.bytes += now.size;
  } catch (const Error& error) { return {file.path, FileState::damaged, error.message()}; }
  return {file.path, FileState::ok, ""};
}

// The index is written before the journal's line: it may know one step more.
CheckedFile check_index(const fs::path& folder, const std::string& path, const Series& series) {
  std::error_code status;
  if (!fs::exists(folder / path, status)) return {path, FileState::missing, "the index of the steps"};
  if (!is_within(folder, path)) return {path, FileState::damaged, leads_out};
  const std::string expected = pvd_text(series.entries), tail = "  </Collection>\n</VTKFile>\n";
  const std::string text = text_of_file((folder / path).string()).value_or("");
  if (text == expected) return {path, FileState::ok, fmt::format("{} steps", series.entries.size())};
  const std::string_view head = std::string_view(expected).substr(0, expected.size() - tail.size());
  if (text.starts_with(head) && text.ends_with(tail) && text.size() > expected.size()) {
    const std::string_view more = std::string_view(text).substr(head.size(), text.size() - head.size() - tail.size());
    if (std::count(more.begin(), more.end(), '\n') == 1 && more.starts_with("    <DataSet "))
      return {path, FileState::ok, fmt::format("{} steps, and one whose commit was cut off", series.entries.size())};
  }
  return {path, FileState::damaged, "it does not list the steps of the journal"};
}

// Parts of a file that grows with the steps.
struct GrownFile {
  std::vector<JournalSlab> slabs;
  std::int64_t steps = 0;
};

CheckedFile check_text(const fs::path& folder, const std::string& path, const GrownFile& file, ResultCheck& check) {
  const std::string text = text_of_file((folder / path).string()).value_or("");
  std::uint64_t known = 0;
  for (const JournalSlab& slab : file.slabs) {
    if (slab.first_row > text.size() || slab.row_count > text.size() - slab.first_row)
      return {path, FileState::damaged, fmt::format("{} bytes are too few", text.size())};
    if (crc32_of(std::string_view(text).substr(slab.first_row, slab.row_count)) != slab.crc32)
      return {path, FileState::damaged,
              fmt::format("CRC-32 of bytes {} to {}", slab.first_row, slab.first_row + slab.row_count - 1)};
    known = std::max(known, slab.first_row + slab.row_count);
  }
  const auto more = std::count(text.begin() + static_cast<std::ptrdiff_t>(known), text.end(), '\n');
  if (text.size() > known && (more != 1 || text.back() != '\n'))
    return {path, FileState::damaged, fmt::format("{} bytes instead of {}", text.size(), known)};
  check.bytes += known;
  return {path, FileState::ok,
          fmt::format("{} rows{}", file.steps, more > 0 ? ", and one whose commit was cut off" : "")};
}

CheckedFile check_hdf5(const std::string& full_path, const std::string& path, const GrownFile& file,
                       std::uint64_t& bytes) {
  try {
    const std::unique_ptr<Hdf5File> content = Hdf5File::open(full_path);
    for (const JournalSlab& slab : file.slabs) {
      if (content->crc32(slab.dataset, slab.first_row, slab.row_count) != slab.crc32)
        return {path, FileState::damaged,
                fmt::format("CRC-32 of rows {} to {} of '{}'", slab.first_row, slab.first_row + slab.row_count - 1,
                            slab.dataset)};
      bytes += slab.row_count;
    }
    if (content->numbers("/VTKHDF", "Version") != std::vector<std::int64_t>{2, 0} ||
        content->text("/VTKHDF", "Type") != "UnstructuredGrid")
      return {path, FileState::damaged, "its version or type is not what Ritz writes"};
    const std::int64_t steps = content->numbers("/VTKHDF/Steps", "NSteps").front();
    if (steps != file.steps && steps != file.steps + 1)
      return {path, FileState::damaged, fmt::format("{} steps instead of {}", steps, file.steps)};
    return {path, FileState::ok,
            fmt::format("{} steps{}", file.steps, steps > file.steps ? ", and one whose commit was cut off" : "")};
  } catch (const Error& error) { return {path, FileState::damaged, error.message()}; }
}

// Runs in a process of its own, since HDF5 may crash on a damaged file.
CheckedFile check_hdf5_apart(const fs::path& folder, const std::string& path, const GrownFile& file,
                             ResultCheck& check) {
  hdf5_library();  // loaded by this process: another thread may hold the loader's lock when it forks
  const std::string full_path = (folder / path).string();
  std::uint64_t bytes = 0;
  ChildProcess child({.file = full_path, .library = "HDF5"}, [&](Channel& parent) {
    ChildProcess::respond(
        parent, [&] { return check_hdf5(full_path, path, file, bytes); },
        [&](Channel& to, const CheckedFile& checked) {
          to.put(checked.state);
          to.put_text(checked.detail);
          to.put(bytes);
        });
  });
  try {
    return child.answer([&](Channel& from) {
      const auto state = from.get<FileState>();
      const std::string detail = from.text();
      check.bytes += from.get<std::uint64_t>();
      return CheckedFile{path, state, detail};
    });
  } catch (const Error& error) {
    if (error.exit() != Exit::mesh) throw;
    return {path, FileState::damaged, error.message()};
  }
}

CheckedFile check_grown(const fs::path& folder, const std::string& path, const GrownFile& file, ResultCheck& check) {
  std::error_code status;
  if (!fs::exists(folder / path, status)) return {path, FileState::missing, "the journal says that it was committed"};
  if (!is_within(folder, path)) return {path, FileState::damaged, leads_out};
  return file.slabs.front().dataset.empty() ? check_text(folder, path, file, check)
                                            : check_hdf5_apart(folder, path, file, check);
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
    check.notices.push_back(fmt::format("'{}' holds older results: the run that was to replace them did not complete",
                                        at->path().string()));
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
  return std::none_of(files.begin(), files.end(), [](const CheckedFile& f) {
    return f.state == FileState::damaged || f.state == FileState::missing;
  });
}

ResultCheck check_results(const std::string& path) {
  const fs::path folder(path);
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown))
    throw Error(ErrorKind::file_missing, fmt::format("there is no folder '{}'", path), {},
                "name the folder of the results, the one that holds results.journal");
  if (!fs::exists(journal_path(path), unknown))
    throw Error(ErrorKind::journal_damaged, fmt::format("the folder '{}' holds no results.journal", path),
                "nothing records what was committed there", "name the folder of the results");
  ResultCheck check{.folder = path};
  check.writer = holder_of(path);
  const Journal journal = read_journal(path);
  std::set<std::string> known{"results.journal", ".ritz-lock"};
  CheckedFile own{"results.journal", FileState::ok, fmt::format("{} steps", journal.entries.size())};
  if (!journal.damaged_lines.empty())
    own = {"results.journal", FileState::damaged,
           fmt::format("wrong checksum, or out of order, in line {}", fmt::join(journal.damaged_lines, ", "))};
  if (journal.unfinished_line)
    check.notices.push_back("the last line of results.journal is unfinished: that step was not committed");
  check.files.push_back(std::move(own));
  std::map<std::string, Series> indices;
  std::map<std::string, GrownFile> grown;
  for (const JournalEntry& entry : journal.entries) {
    ++check.steps;
    for (const JournalFile& file : entry.files) {
      known.insert(file.path);
      if (file.slabs.empty()) {
        check.files.push_back(check_file(folder, file, check));
        continue;
      }
      GrownFile& all = grown[file.path];
      all.slabs.insert(all.slabs.end(), file.slabs.begin(), file.slabs.end());
      ++all.steps;
    }
    if (fs::path(entry.series).extension() == ".pvd" && !entry.files.empty())
      indices[entry.series].entries.push_back({entry.time, 0, entry.files[0].path});
  }
  for (const auto& [name, file] : grown) check.files.push_back(check_grown(folder, name, file, check));
  for (const auto& [name, series] : indices) {
    known.insert(name);
    check.files.push_back(check_index(folder, name, series));
  }
  if (!check.writer) add_extra_files(folder, known, check);
  add_replaced(folder, check);
  return check;
}

}  // namespace ritz
