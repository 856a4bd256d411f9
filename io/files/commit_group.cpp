#include "io/files/commit_group.hpp"

#include "device/error.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/journal.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace ritz {
namespace {

std::mutex guard;
bool open_now = false;
std::vector<std::string> files;            // in the order in which they became ready
std::map<std::string, std::string> lines;  // [folder] of the journal

// Starts writing cached data, so that the following flushes have little left to wait for.
void begin_flush(const std::string& path) {
  const int file = ::open(temporary_path(path).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;  // the flush itself will say why
  ::sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
  ::close(file);
}

}  // namespace

CommitGroup::CommitGroup() {
  const std::scoped_lock lock(guard);
  if (std::exchange(open_now, true)) throw Error(ErrorKind::internal, "a second group of commits was opened");
}

CommitGroup::~CommitGroup() {
  const std::scoped_lock lock(guard);
  open_now = false;
  for (const std::string& path : files) discard_temporary(path);
  files.clear();
  lines.clear();
}

std::size_t CommitGroup::size() const {
  const std::scoped_lock lock(guard);
  return files.size();
}

void CommitGroup::commit() {
  for (const auto& [folder, text] : take_place()) append_lines_to_journal(folder, text);
}

std::map<std::string, std::string> CommitGroup::take_place() {
  const std::scoped_lock lock(guard);
  for (const std::string& path : files) begin_flush(path);
  for (const std::string& path : files) flush_temporary(path);
  std::set<std::string> folders;
  while (!files.empty()) {
    rename_temporary(files.front());
    folders.insert(std::filesystem::path(files.front()).parent_path().string());
    files.erase(files.begin());
  }
  for (const std::string& folder : folders) flush_folder((std::filesystem::path(folder) / "any").string());
  return std::exchange(lines, {});
}

bool hold_file(const std::string& path) {
  const std::scoped_lock lock(guard);
  if (open_now && std::ranges::find(files, path) == files.end()) files.push_back(path);
  return open_now;
}

bool hold_journal_line(const std::string& folder, const std::string& line) {
  const std::scoped_lock lock(guard);
  if (open_now) lines[folder] += line;
  return open_now;
}

void settle_file(const std::string& path) {
  {
    const std::scoped_lock lock(guard);
    if (std::erase(files, path) == 0) return;
  }
  flush_temporary(path);
  rename_temporary(path);
  flush_folder(path);
}

}  // namespace ritz
