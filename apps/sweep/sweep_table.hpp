// The table of a sweep, "<case>_sweep.csv": a row for each member with its values, what came of it, its frequencies and
// its probes. It is also what a resumed sweep knows of the one before.
#pragma once

#include "apps/cases/sweep_plan.hpp"
#include "io/results/report.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

class SweepTable {
 public:
  SweepTable(std::string path, std::vector<std::string> keys) : path_(std::move(path)), keys_(std::move(keys)) {}

  // A row of an earlier sweep; nothing if there is none.
  struct Row {
    std::string status, fingerprint;  // complete, failed
    // column -> number: of modes, of probes and of the solve
    std::vector<std::pair<std::string, std::string>> cells;
  };
  // [Hz] of the modes, from the facts of a report; none of other runs.
  static std::vector<double> frequencies_of(const std::map<std::string, std::string>& facts);
  static Row row_of(const RunReport& report, const std::string& fingerprint);
  static std::map<std::string, Row> read(const std::string& path);  // by member

  void add(const SweepMember& member, Row row);
  // In the order of `members`. The file appears complete or not at all.
  void write(const std::vector<SweepMember>& members) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::vector<std::string> keys_, result_columns_;
  std::map<std::string, Row> rows_;
};

}  // namespace ritz
