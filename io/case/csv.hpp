// Tables of texts as comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ritz {

// In quotes where it needs them.
std::string csv_cell(const std::string& text);
// [row][column], without blanks around cells that have no quotes; empty lines are omitted.
std::vector<std::vector<std::string>> csv_rows(std::string_view text);

}  // namespace ritz
