// A finished member of a sweep: its row of the table, its files, its outcome for the report; and the texts in which a
// rank hands its members over to the first one.
#pragma once

#include "apps/sweep/sweep_table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

struct SweepRecord {
  std::size_t member = 0;  // its place in the plan
  SweepTable::Row row;
  std::vector<std::string> steps;  // files, relative to the folder; none of a member that failed
  SweepOutcome outcome;
  std::vector<Error> errors;           // of a member that failed
  std::vector<std::string> fallbacks;  // of its solutions
  std::string mesh_file;
  std::int64_t cells = 0, nodes = 0, unknowns = 0;
};

// Counts of what was made once for several members.
struct SweepCounts {
  std::int64_t batches = 0, largest_batch = 0, matrices = 0, analyses = 0, factorisations = 0, set_ups = 0,
               refreshes = 0, used_on = 0;
  void add(const SweepCounts& other);
};

// A message of a rank: members whose files are in their places, and the lines of the journal that commit them.
struct SweepHandOver {
  std::vector<SweepRecord> records;
  std::string journal;
  bool last = false;
  SweepCounts counts;          // of the last one
  std::optional<Error> error;  // that ended this rank's part
};

std::string to_text(const SweepHandOver& message);
SweepHandOver hand_over_of(const std::string& text);

}  // namespace ritz
