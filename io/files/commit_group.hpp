// Many files that are committed together. While a group is open, finished files keep their temporary names, and lines
// of the journal wait. commit() flushes all files, renames them, flushes the folders and writes the lines: in this
// order, so that a kill at any moment leaves the same states as without a group. A disk that flushes ten files one by
// one waits ten times.
//
//   CommitGroup group;   ... write many results ...   group.commit();    // nothing of them is committed before
//
// One group at a time in a process.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace ritz {

class CommitGroup {
 public:
  CommitGroup();
  ~CommitGroup();  // what was not committed is discarded
  CommitGroup(const CommitGroup&) = delete;
  CommitGroup& operator=(const CommitGroup&) = delete;

  void commit();  // throws Error: Exit::output; the group stays open, and empty
  // All of it but the journals. Returns the lines that commit these files: folder -> text.
  std::map<std::string, std::string> take_place();
  std::size_t size() const;  // files that wait
};

// For io: false when no group is open.
bool hold_file(const std::string& path);
bool hold_journal_line(const std::string& folder, const std::string& line);
// Commits a waiting file now, separately.
void settle_file(const std::string& path);

}  // namespace ritz
