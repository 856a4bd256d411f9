#include "apps/sweep/sweep_table.hpp"

#include "io/case/csv.hpp"
#include "io/case/unit.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/input_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <utility>

namespace ritz {
namespace {

constexpr std::array<const char*, 3> solve_columns{"iterations", "residual", "exit"};

// A value of the case, which is TOML, as a cell that programs read as a number: 0.001 for "1 mm". Angles stay as they
// are, because some keys take degrees.
std::string cell_of_value(const std::string& toml) {
  if (toml.size() < 2 || toml.front() != '"' || toml.back() != '"') return toml;
  const std::string text = toml.substr(1, toml.size() - 2);
  const std::optional<Quantity> quantity = quantity_in(text);
  const std::optional<Unit> unit = quantity ? unit_named(quantity->unit) : std::nullopt;
  return unit && unit->powers[4] == 0 ? fmt::format("{}", in_si(quantity->number, *unit)) : text;
}

}  // namespace

std::map<std::string, SweepTable::Row> SweepTable::read(const std::string& path) {
  const std::optional<std::string> text = text_of_file(path);
  if (!text && errno != ENOENT)
    throw Error(ErrorKind::checkpoint_unusable, fmt::format("cannot read '{}': it {}", path, reason_not_to_read(errno)),
                "it is the table of the members that are complete", "remove it, or name another folder with --output");
  const std::vector<std::vector<std::string>> rows = csv_rows(text.value_or(""));
  std::map<std::string, Row> result;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    Row row;
    std::string member;
    for (std::size_t c = 0; c < std::min(rows[r].size(), rows.front().size()); ++c) {
      const std::string &column = rows.front()[c], &cell = rows[r][c];
      if (column == "member") member = cell;
      else if (column == "status") row.status = cell;
      else if (column == "fingerprint") row.fingerprint = cell;
      else if (!cell.empty()) row.cells.emplace_back(column, cell);
    }
    result[member] = std::move(row);
  }
  return result;
}

// Columns of results are those of no key and of none of the others.
void SweepTable::add(const SweepMember& member, Row row) {
  std::vector<std::string> known(solve_columns.begin(), solve_columns.end());
  known.insert(known.end(), {"member", "status", "fingerprint"});
  known.insert(known.end(), keys_.begin(), keys_.end());
  known.insert(known.end(), result_columns_.begin(), result_columns_.end());
  for (const auto& [column, value] : row.cells) {
    if (std::ranges::find(known, column) != known.end()) continue;
    known.push_back(column);
    result_columns_.push_back(column);
  }
  rows_[member.name] = std::move(row);
}

std::vector<double> SweepTable::frequencies_of(const std::map<std::string, std::string>& facts) {
  const auto found = facts.find("frequencies_hz");
  std::vector<double> result;
  if (found == facts.end()) return result;
  std::istringstream text(found->second);
  for (double frequency = 0; text >> frequency;) result.push_back(frequency);
  return result;
}

SweepTable::Row SweepTable::row_of(const RunReport& report, const std::string& fingerprint) {
  Row row{report.exit == Exit::ok ? "complete" : "failed", fingerprint, {}};
  const auto put = [&](const std::string& prefix,
                       const std::vector<std::pair<std::string, std::vector<double>>>& probes) {
    for (const auto& [name, values] : probes)
      for (std::size_t i = 0; i < values.size(); ++i)
        row.cells.emplace_back(prefix + (values.size() == 1 ? name : fmt::format("{}.{}", name, i)),
                               fmt::format("{}", values[i]));
  };
  const std::vector<double> frequencies = frequencies_of(report.facts);
  for (std::size_t k = 0; k < frequencies.size(); ++k)
    row.cells.emplace_back(fmt::format("frequency_{}", k + 1), fmt::format("{}", frequencies[k]));
  put("", report.probes);
  for (const auto* list : {&report.load_cases, &report.combinations, &report.steps})
    for (const LoadCaseOutcome& each : *list) put(each.name + ":", each.probes);
  if (!report.solves.empty()) {
    row.cells.emplace_back("iterations", fmt::format("{}", report.solves.back().iterations));
    row.cells.emplace_back("residual", fmt::format("{:.3g}", report.solves.back().true_relative_residual));
  }
  row.cells.emplace_back("exit", fmt::format("{}", static_cast<int>(report.exit)));
  return row;
}

void SweepTable::write(const std::vector<SweepMember>& members) const {
  std::vector<std::string> columns{"member", "status"};
  columns.insert(columns.end(), keys_.begin(), keys_.end());
  columns.insert(columns.end(), result_columns_.begin(), result_columns_.end());
  columns.insert(columns.end(), solve_columns.begin(), solve_columns.end());
  columns.emplace_back("fingerprint");
  std::string text;
  const auto line = [&](const auto& cell_of) {
    for (const std::string& column : columns) {
      text += csv_cell(cell_of(column));
      text += &column == &columns.back() ? '\n' : ',';
    }
  };
  line([](const std::string& column) { return column; });
  for (const SweepMember& member : members) {
    const auto found = rows_.find(member.name);
    if (found == rows_.end()) continue;
    std::map<std::string, std::string> cells;
    for (const auto& [column, value] : found->second.cells) cells[column] = value;
    for (const auto& [key, value] : member.values) cells[key] = cell_of_value(value);
    cells["member"] = member.name;
    cells["status"] = found->second.status;
    cells["fingerprint"] = found->second.fingerprint;
    line([&](const std::string& column) { return cells[column]; });
  }
  write_file(path_, text);
}

}  // namespace ritz
