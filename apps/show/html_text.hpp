// Texts, tables and numbers as HTML. What goes in is plain text; each function escapes it.
#pragma once

#include <string>
#include <vector>

namespace ritz {

std::string escaped(const std::string& text);
std::string html_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);
std::string html_chapter(const std::string& title);
std::string base64(const void* data, std::size_t bytes);

}  // namespace ritz
