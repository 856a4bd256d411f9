#include "io/case/data_table.hpp"

#include "device/error.hpp"
#include "io/files/input_file.hpp"
#include "io/files/text_case.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace ritz {
namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t end = line.find(',');
    cells.push_back(trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
  }
}

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

[[noreturn]] void fail(const std::string& name, std::size_t line, std::string what, std::string why = {},
                       std::string fix = {}) {
  throw Error(ErrorKind::table_data, fmt::format("{} at {}:{}", what, name, line), std::move(why), std::move(fix));
}

struct Row {
  std::vector<double> numbers;  // arguments, then the value
  std::size_t line;
};

// Names and rows of numbers.
std::vector<Row> rows_of(std::string_view text, const std::string& name, std::vector<std::string>& names) {
  std::vector<Row> rows;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const std::string_view content = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (content.empty() || content.front() == '#') continue;
    const std::vector<std::string_view> cells = cells_of(content);
    if (names.empty()) {
      if (cells.size() < 2 || cells.size() > 4)
        fail(name, line, fmt::format("a table has 2 to 4 columns, not {}", cells.size()),
             "one to three arguments, then the value", "separate columns by commas, decimals by points");
      if (std::ranges::all_of(cells, [](std::string_view cell) { return number_of(cell).has_value(); }))
        fail(name, line, "the first line of a table has the names of its columns, not numbers", {},
             "write a line such as x,value above the numbers");
      names.assign(cells.begin(), cells.end());
      continue;
    }
    Row row{{}, line};
    if (cells.size() != names.size())
      fail(name, line, fmt::format("{} columns instead of {}", cells.size(), names.size()), {},
           "give each row as many numbers as the first line has names");
    for (const std::string_view cell : cells) {
      const std::optional<double> number = number_of(cell);
      if (!number)
        fail(name, line, fmt::format("'{}' is not a finite number", cell),
             "columns are separated by commas, decimals by points", "correct it, or write a # before a comment");
      row.numbers.push_back(*number);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

DataTable DataTable::from_file(const std::string& path, Interpolation interpolation, Outside outside) {
  const std::optional<std::string> text = text_of_input(path);
  if (!text)
    throw Error(ErrorKind::table_data, fmt::format("cannot read the table '{}'", path), {},
                "check the name; relative names start at the folder of the case file");
  return from_text(*text, path, interpolation, outside);
}

DataTable DataTable::from_text(std::string_view text, const std::string& name, Interpolation interpolation,
                               Outside outside) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  TableValues table{.interpolation = interpolation, .continued = outside == Outside::constant};
  std::vector<std::string> names;
  const std::vector<Row> rows = rows_of(text, name, names);
  if (rows.empty())
    throw Error(ErrorKind::table_data, fmt::format("the table '{}' has no rows of numbers", name), {},
                "write a line of names, then rows of numbers");
  names.pop_back();
  const std::size_t arguments = names.size();
  std::size_t count = 1;
  for (std::size_t a = 0; a < arguments; ++a) {
    std::vector<double>& axis = table.axes.emplace_back();
    for (const Row& row : rows) axis.push_back(row.numbers[a]);
    std::ranges::sort(axis);
    axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
    count *= axis.size();
    if (count > rows.size())
      throw Error(ErrorKind::table_data,
                  fmt::format("the {} rows of the table '{}' are not all points of a grid", rows.size(), name),
                  fmt::format("the arguments up to '{}' have {} combinations", names[a], count),
                  "give a value for every combination of the arguments");
  }
  std::vector<std::size_t> line_of(count, 0);
  table.values.resize(count);
  for (const Row& row : rows) {
    std::size_t at = 0;
    for (std::size_t a = arguments; a-- > 0;)
      at = at * table.axes[a].size() +
           static_cast<std::size_t>(std::ranges::lower_bound(table.axes[a], row.numbers[a]) - table.axes[a].begin());
    if (line_of[at] != 0)
      fail(name, row.line, fmt::format("the arguments of line {} again", line_of[at]), {},
           "give one value for each argument");
    line_of[at] = row.line;
    table.values[at] = row.numbers.back();
  }
  return {std::move(names), std::move(table)};
}

std::optional<double> DataTable::operator()(std::span<const double> arguments) const {
  double at[3] = {};
  std::ranges::copy(arguments, at);
  const double value = table_value(table_->view(), at);
  const bool known = std::ranges::none_of(arguments, [](double each) { return std::isnan(each); });
  return std::isnan(value) && !(table_->continued && known) ? std::nullopt : std::optional(value);
}

PointExpression DataTable::of(const std::string& name, std::vector<PointExpression> arguments) const {
  return PointExpression::table(table_, std::move(arguments), [name, self = *this](std::span<const double> at) {
    return fmt::format("the table '{}' at ({:g}) has no value: it goes {}", name, fmt::join(at, ", "), self.range());
  });
}

std::string DataTable::range() const {
  std::string text;
  for (std::size_t a = 0; a < names_.size(); ++a)
    text += fmt::format("{}{} from {:g} to {:g}", text.empty() ? "" : ", ", names_[a], table_->axes[a].front(),
                        table_->axes[a].back());
  return text;
}

}  // namespace ritz
