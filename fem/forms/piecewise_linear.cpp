#include "fem/forms/piecewise_linear.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace ritz {
namespace {

using Row = std::array<double, 2>;

void check(std::span<const Row> rows) {
  if (rows.empty())
    throw Error(ErrorKind::table_data, "a table has no rows", {}, "give at least one row of an argument and a value");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(rows[i][0]) || !std::isfinite(rows[i][1]))
      throw Error(ErrorKind::table_data,
                  fmt::format("row {} of a table, ({}, {}), is not finite", i, rows[i][0], rows[i][1]));
    if (i > 0 && !(rows[i][0] > rows[i - 1][0]))
      throw Error(ErrorKind::table_data,
                  fmt::format("row {} of a table has the argument {:g} after {:g}", i, rows[i][0], rows[i - 1][0]),
                  "arguments must ascend", "sort the rows, and give each argument once");
  }
}

double slope_between(const Row& a, const Row& b) { return (b[1] - a[1]) / (b[0] - a[0]); }

// Without rows that lie on the line through their neighbours, up to rounding.
std::vector<Row> corners(std::span<const Row> rows) {
  std::vector<Row> kept = {rows.front()};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (i + 1 < rows.size()) {
      const double before = slope_between(kept.back(), rows[i]), after = slope_between(rows[i], rows[i + 1]);
      if (std::abs(after - before) <= 1e-13 * std::max(std::abs(before), std::abs(after))) continue;
    }
    kept.push_back(rows[i]);
  }
  return kept;
}

}  // namespace

PiecewiseLinear PiecewiseLinear::through(std::span<const Row> rows) {
  check(rows);
  const std::vector<Row> kept = corners(rows);
  if (kept.size() > most_rows)
    throw Error(
        ErrorKind::table_data,
        fmt::format("a table of {} rows is too long for the kernels, which take up to {}", kept.size(), most_rows),
        "rows on a line between their neighbours do not count", "leave out rows that change little");
  PiecewiseLinear table;
  table.rows = static_cast<int>(kept.size());
  table.first = kept.front()[1];
  for (std::size_t i = 0; i < kept.size(); ++i) {
    table.argument[i] = kept[i][0];
    if (i + 1 < kept.size()) table.slope[i] = slope_between(kept[i], kept[i + 1]);
  }
  return table;
}

}  // namespace ritz
