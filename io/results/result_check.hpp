// Reads a folder of results again and compares it with its journal: `ritz results verify`.
#pragma once

#include "io/results/folder_lock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

enum class FileState { ok, damaged, missing, extra };
const char* name_of(FileState state);

struct CheckedFile {
  std::string path;  // relative to the folder
  FileState state = FileState::ok;
  std::string detail;  // the fault, or the steps that it holds
};

struct ResultCheck {
  std::string folder;
  std::vector<CheckedFile> files;  // those of the journal in its order, then the extra ones
  std::vector<std::string> notices;
  std::optional<LockHolder> writer;  // a run that is writing there now
  std::int64_t steps = 0;
  std::uint64_t bytes = 0;  // read and found right

  // Extra files do not count: pictures and reports may be there.
  bool good() const;
};

// Throws Error: Exit::input without such a folder, Error: Exit::checkpoint without a journal.
ResultCheck check_results(const std::string& folder);

}  // namespace ritz
