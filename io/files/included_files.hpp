// Lists the files that a text file consists of: itself, and those that it includes, in the ways of all formats that we
// read: *INCLUDE and INPUT= of decks, INCLUDE of Nastran, the pieces of a .pvtu, #include "..." of a plugin's source.
// Checksums of the files of a case include them, since results depend on them.
#pragma once

#include <string>
#include <vector>

namespace ritz {

// `path` comes first, each file once; names that are no files are left out. Of binary files only themselves.
std::vector<std::string> with_included_files(const std::string& path);

// The file that *INCLUDE or INPUT= of a deck names in the file `from`: relative names start at the folder of the deck,
// as in CalculiX; where there is no such file, at the folder of `from`.
std::string included_path(const std::string& deck, const std::string& from, const std::string& name);

}  // namespace ritz
