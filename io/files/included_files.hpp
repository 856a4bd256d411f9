// The files that a text file is made of: itself, and those that it includes, in whatever way the formats that we read
// do: *INCLUDE and INPUT= of decks, INCLUDE of Nastran, the pieces of a .pvtu, #include "..." of a plugin's source. Who
// remembers checksums of the files that a case names asks here what else its results depend on.
#pragma once

#include <string>
#include <vector>

namespace ritz {

// `path` comes first, each file once; names that are no files are left out. Of binary files only themselves.
std::vector<std::string> with_included_files(const std::string& path);

}  // namespace ritz
