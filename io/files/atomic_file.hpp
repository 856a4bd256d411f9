// Files that appear complete or not at all: written aside, flushed to the disk, renamed. Private to io.
#pragma once

#include <string>
#include <string_view>

namespace ritz {

// The name to write to before commit_file.
std::string temporary_path(const std::string& path);

// Flushes `temporary_path(path)`, renames it to `path` and flushes the folder. Throws Error: Exit::output.
void commit_file(const std::string& path);

// The same if `path` exists already: afterwards `temporary_path(path)` is the file that was committed before. False if
// the file system cannot exchange names: then the older file no longer exists.
bool exchange_file(const std::string& path);

// Its two halves without the folder. Throw Error: Exit::output and remove the temporary file.
void flush_temporary(const std::string& path);
void rename_temporary(const std::string& path);

// A copy of `path` under its temporary name, to be changed there. Throws Error: Exit::output.
void copy_to_temporary(const std::string& path);

// Removes the remains of a failed write.
void discard_temporary(const std::string& path) noexcept;

void write_file(const std::string& path, std::string_view contents);

// A file that a user names: links are followed, so that they stay, and the file behind them is replaced.
struct NamedFile {
  std::string path;
  int descriptor = -1;          // of this process, as /dev/stdout is; -1: none
  bool takes_a_stream() const;  // a terminal, a pipe or a device
};
NamedFile named_file(const std::string& path);
// write_file to it. In folders of results, which may be a stranger's, links are not followed.
void write_named_file(const std::string& path, std::string_view contents);

// The folder of `path` to the disk, so that new names in it last.
void flush_folder(const std::string& path);

// The sentence for a failed write: path, reason of the system, remedy.
[[noreturn]] void fail_to_write(const std::string& path, const std::string& reason);

}  // namespace ritz
