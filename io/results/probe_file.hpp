// The numbers of all probes as a table, "<case>_probes.csv": one row for each step or load case. Decimal points, commas
// between columns, texts in quotes where they need them (RFC 4180); a vector has a column for each of its numbers,
// "tip.0".
#pragma once

#include "io/files/journal.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ritz {

// Columns of "<case>_probes.csv" and "<case>_sweep.csv" that hold no probes: "time", "exit", "frequency_1", ...
bool is_column_of_tables(std::string_view name);

class ProbeFile {
 public:
  // `committed`: size of the existing file to append to. Throws Error: Exit::checkpoint when it is smaller.
  explicit ProbeFile(std::string path, std::uint64_t committed = 0);
  // Adds a row; the file appears complete or not at all. Returns the bytes that were added, for the journal, without
  // the path. Throws Error: Exit::output.
  JournalFile add(int step, double time, const std::string& load_case,
                  const std::vector<std::pair<std::string, std::vector<double>>>& probes);
  const std::string& path() const { return path_; }

 private:
  std::string path_, text_;
};

}  // namespace ritz
