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
  throw Error(Exit::input, fmt::format("{} at {}:{}", what, name, line), std::move(why), std::move(fix));
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

// Place among ascending coordinates: lower neighbour, and how far on to the next. Nothing outside.
struct Between {
  std::size_t low;
  double fraction;
};
std::optional<Between> place_on(const std::vector<double>& axis, double x, Interpolation interpolation,
                                Outside outside) {
  if (std::isnan(x)) return std::nullopt;
  if (x < axis.front() || x > axis.back()) {
    if (outside == Outside::error) return std::nullopt;
    x = std::clamp(x, axis.front(), axis.back());
  }
  if (axis.size() == 1) return Between{0, 0};
  const auto low = std::min<std::size_t>(
      static_cast<std::size_t>(std::upper_bound(axis.begin(), axis.end(), x) - axis.begin()) - 1, axis.size() - 2);
  double fraction = (x - axis[low]) / (axis[low + 1] - axis[low]);
  if (interpolation == Interpolation::nearest) fraction = fraction < 0.5 ? 0 : 1;
  if (interpolation == Interpolation::previous) fraction = fraction < 1 ? 0 : 1;
  return Between{low, fraction};
}

}  // namespace

DataTable DataTable::from_file(const std::string& path, Interpolation interpolation, Outside outside) {
  const std::optional<std::string> text = text_of_input(path);
  if (!text)
    throw Error(Exit::input, fmt::format("cannot read the table '{}'", path), {},
                "check the name; relative names start at the folder of the case file");
  return from_text(*text, path, interpolation, outside);
}

DataTable DataTable::from_text(std::string_view text, const std::string& name, Interpolation interpolation,
                               Outside outside) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  DataTable table(interpolation, outside);
  std::vector<Row> rows = rows_of(text, name, table.names_);
  if (rows.empty())
    throw Error(Exit::input, fmt::format("the table '{}' has no rows of numbers", name), {},
                "write a line of names, then rows of numbers");
  table.names_.pop_back();
  const std::size_t arguments = table.names_.size();
  std::size_t count = 1;
  for (std::size_t a = 0; a < arguments; ++a) {
    std::vector<double>& axis = table.axes_.emplace_back();
    for (const Row& row : rows) axis.push_back(row.numbers[a]);
    std::ranges::sort(axis);
    axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
    count *= axis.size();
    if (count > rows.size())
      throw Error(Exit::input,
                  fmt::format("the {} rows of the table '{}' are not all points of a grid", rows.size(), name),
                  fmt::format("the arguments up to '{}' have {} combinations", table.names_[a], count),
                  "give a value for every combination of the arguments");
  }
  std::vector<std::size_t> line_of(count, 0);
  table.values_.resize(count);
  for (const Row& row : rows) {
    std::size_t at = 0;
    for (std::size_t a = arguments; a-- > 0;)
      at = at * table.axes_[a].size() +
           static_cast<std::size_t>(std::ranges::lower_bound(table.axes_[a], row.numbers[a]) - table.axes_[a].begin());
    if (line_of[at] != 0)
      fail(name, row.line, fmt::format("the arguments of line {} again", line_of[at]), {},
           "give one value for each argument");
    line_of[at] = row.line;
    table.values_[at] = row.numbers.back();
  }
  return table;
}

std::optional<double> DataTable::operator()(std::span<const double> arguments) const {
  std::array<Between, 3> at{};
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const std::optional<Between> between = place_on(axes_[a], arguments[a], interpolation_, outside_);
    if (!between) return std::nullopt;
    at[a] = *between;
  }
  double sum = 0;
  for (unsigned corner = 0; corner < 1u << axes_.size(); ++corner) {
    double weight = 1;
    std::size_t index = 0;
    for (std::size_t a = axes_.size(); a-- > 0;) {
      const bool high = (corner >> a & 1) != 0;
      weight *= high ? at[a].fraction : 1 - at[a].fraction;
      index = index * axes_[a].size() + std::min(at[a].low + (high ? 1 : 0), axes_[a].size() - 1);
    }
    if (weight != 0) sum += weight * values_[index];
  }
  return sum;
}

std::string DataTable::range() const {
  std::string text;
  for (std::size_t a = 0; a < axes_.size(); ++a)
    text +=
        fmt::format("{}{} from {:g} to {:g}", text.empty() ? "" : ", ", names_[a], axes_[a].front(), axes_[a].back());
  return text;
}

}  // namespace ritz
