// The files that options name for the report of a run, its page, its picture and its trace: each has a place of its
// own, and takes that of no file that the run reads.
#pragma once

#include "apps/run/options.hpp"

#include <span>
#include <string>
#include <vector>

namespace ritz {

// One file by two names, or by links.
bool is_same_file(const std::string& one, const std::string& other);

// read, mesh: files that the case names, beside the case itself. Throws Error: Exit::input for an option that names a
// file which is read, or that of another option.
void check_named_outputs(const RunOptions& options, std::span<const std::string> read = {},
                         const std::string& mesh = {});
// Existing files that a case which cannot be read names, as far as its text and the overrides tell: all in quotes or
// after an =, from the folder of the case on.
std::vector<std::string> files_named_in(const RunOptions& options);
// For a run that failed before that check: leaves out these options, and returns their files.
std::vector<std::string> leave_out_inputs(RunOptions& options, std::span<const std::string> read,
                                          const std::string& mesh);

}  // namespace ritz
