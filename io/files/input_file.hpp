// Opening files that people, cases and meshes name: regular files only, so that a pipe or a device never makes the
// program wait, and with read_only_below() none outside of one folder. Private to io, but for read_only_below().
#pragma once

#include <optional>
#include <string>

namespace ritz {

// From here on, files outside of `folder` are refused, whatever links lead there: --untrusted. Threads may not be
// reading yet.
void read_only_below(const std::string& folder);
bool reads_one_folder_only();

// Throws Error: Exit::input where read_only_below() forbids the file, which need not exist.
void require_inside(const std::string& path);
bool is_outside(const std::string& path);  // would it throw?

// Meaning of errno after open_regular(), as for lack_of_input().
std::string reason_not_to_read(int error);
// Why a file cannot be read as input, after "which": "does not exist", "is a folder", "is not a regular file"; empty:
// it can. Throws like require_inside().
std::string lack_of_input(const std::string& path);

// Open for reading; -1 with errno where that cannot be: ENXIO for what is neither a file nor a folder, EISDIR for a
// folder.
int open_regular(const std::string& path);

// The same for what is read as input: throws like require_inside().
int open_input(const std::string& path);

// All that is in a file, opened as by open_regular() or by open_input(); nullopt with errno as above.
std::optional<std::string> text_of_file(const std::string& path);
std::optional<std::string> text_of_input(const std::string& path);

}  // namespace ritz
