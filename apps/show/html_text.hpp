// Texts, tables and numbers as HTML. What goes in is plain text; each function escapes it.
#pragma once

#include <string>
#include <vector>

namespace ritz {

std::string escaped(const std::string& text);
std::string html_table(const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);
std::string html_chapter(const std::string& title);
std::string base64(const void* data, std::size_t bytes);

// Relative residuals of the iterations from `first` on as a curve in SVG, on a logarithmic axis. Empty for fewer than
// two.
std::string residual_curve(const std::vector<double>& residuals, long long first);

}  // namespace ritz
