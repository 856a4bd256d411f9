// The record of committed results in a folder: `results.journal`, one line per step, appended and flushed after the
// step's files are in place. A line is its own CRC-32 in eight hexadecimal digits, a space, and JSON:
//
//   9f0c61d2 {"case":"bracket","series":"bracket.pvd","step":0,"time":0.0,
//             "files":[{"path":"bracket/bracket_000000.vtu",
//             "size":81234,"crc32":"0badcafe"}]}
//
// A run that came to its end adds {"case":"bracket","complete":"..."}, with a text that tells it from other runs.
// A last line without its end is a step whose commit was interrupted: it does not count. A damaged line before it is
// damage.
#pragma once

#include "io/files/checksum.hpp"

#include <map>
#include <string>
#include <vector>

namespace ritz {

// Rows of a dataset that grows with the steps, in a file that holds them all. Without a dataset: bytes of a text.
struct JournalSlab {
  std::string dataset;
  std::uint64_t first_row = 0, row_count = 0;
  std::uint32_t crc32 = 0;
};

struct JournalFile {
  std::string path;                     // relative to the folder, and below it
  FileChecksum checksum = {};           // of the whole file, unless there are
  std::vector<JournalSlab> slabs = {};  // parts of it
};

struct JournalEntry {
  std::string case_name, series;  // series: the file to open, relative to the folder
  int step = 0;
  double time = 0;
  std::vector<JournalFile> files;
};

struct Journal {
  std::vector<JournalEntry> entries;
  std::vector<int> damaged_lines;  // counted from 1
  std::uint64_t valid_size = 0;    // [bytes] before an unfinished last line
  bool unfinished_line = false;
  std::map<std::string, std::string> complete;  // [case]: what its run said when it came to its end
};

std::string journal_path(const std::string& folder);
// Is the file in the folder also where links are followed? A folder may be a stranger's: what leads out of it is
// neither read nor moved.
bool is_within(const std::string& folder, const std::string& file);
// Path of a file that a line of the journal names. Throws Error: Exit::checkpoint unless it is within the folder.
std::string path_within(const std::string& folder, const std::string& file);
std::string to_line(const JournalEntry& entry);  // with its end of line
std::string to_line_of_end(const std::string& case_name, const std::string& run);
Journal parse_journal(std::string_view text);
// Empty when there is no such file. Throws Error: Exit::checkpoint when it cannot be read.
Journal read_journal(const std::string& folder);
// One line, flushed; a line that does not fit on the disk is taken back. Throws Error: Exit::output.
void append_to_journal(const std::string& folder, const JournalEntry& entry);
void append_lines_to_journal(const std::string& folder, const std::string& lines);  // as to_line() makes them

}  // namespace ritz
