// Questions whose answers are numbers, formulas of the position, or tables over an unknown of the equations.
#include "io/case/case_rules.hpp"

#include <algorithm>
#include <cctype>

namespace ritz {
namespace {

bool is_in_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// "k_steel" of "k_steel(T)"; empty where the text is anything else.
std::string called_alone(const std::string& text, const std::string& argument) {
  std::string dense;
  for (const char c : text)
    if (c != ' ' && c != '\t') dense += c;
  const std::size_t bracket = dense.find('(');
  if (bracket == std::string::npos || dense.substr(bracket) != "(" + argument + ")") return {};
  const std::string name = dense.substr(0, bracket);
  return std::ranges::all_of(name, is_in_identifier) ? name : std::string();
}

// The rows of the table of this name, over one argument, which errors call `argument`.
std::optional<TableRows> table_named(const CaseAnswer& answer, const std::string& key, const std::string& text,
                                     const std::string& name, const std::string& argument, const CaseData& data) {
  const DataTables& tables = data.tables;
  const auto refuse = [&](const std::string& what, const std::string& why, const std::string& fix) {
    answer.wrong_text(ErrorKind::wrong_value, fmt::format("'{}' is '{}', {},", key, text, what), why, fix);
    return std::nullopt;
  };
  const auto found = tables.find(name);
  if (found == tables.end()) {
    std::vector<std::string> names;
    for (const auto& [each, table] : tables) names.push_back(each);
    const std::string near = nearest_match(name, names);
    return refuse(fmt::format("and there is no table '{}'", name),
                  names.empty() ? "the case has no [[table]]" : fmt::format("there are {}", quoted_list(names)),
                  near.empty() ? fmt::format("add a [[table]] with name = \"{}\"", name)
                               : fmt::format("did you mean '{}'?", near));
  }
  const DataTable& table = found->second;
  if (table.argument_count() != 1)
    return refuse(fmt::format("a table of {} arguments", table.argument_count()), {},
                  fmt::format("give a table over {} alone", argument));
  if (table.interpolation() != Interpolation::linear)
    return refuse("a table that is not interpolated linearly",
                  fmt::format("a number over {} is linear between the rows of its table", argument),
                  "say interpolation = \"linear\" in its [[table]]");
  TableRows rows{{}, table.outside() == Outside::constant};
  for (std::size_t i = 0; i < table.axis(0).size(); ++i) rows.rows.push_back({table.axis(0)[i], table.values()[i]});
  return rows;
}

std::optional<TableRows> rows_of(const CaseAnswer& answer, const std::string& key, const std::string& text,
                                 const std::string& unknown, const CaseData& data) {
  if (data.calls_unread_table(text)) return std::nullopt;
  const std::string name = called_alone(text, unknown);
  if (!name.empty()) return table_named(answer, key, text, name, unknown, data);
  answer.wrong_text(ErrorKind::wrong_value,
                    fmt::format("'{}' is '{}', {},", key, text, fmt::format("a formula of {}", unknown)),
                    fmt::format("what depends on {} is given by a table over it, as kernels evaluate it", unknown),
                    fmt::format("make a [[table]] of it: \"name({})\"", unknown));
  return std::nullopt;
}

}  // namespace

CaseProperty Case::Table::property(std::string_view key, std::string_view about, const std::string& unknown,
                                   const NumberRule& rule) const {
  const CaseMember* member = value_->find(key);
  const bool over_unknown = member != nullptr && member->value.kind == CaseValue::Kind::text &&
                            !data_->arrays.contains(member->value.text) && mentions(member->value.text, unknown);
  if (!over_unknown) return {formula(key, about, rule), {}};
  ask(key, "formula", about, fallback_text(rule.fallback), bounds_text(rule), limits_of(rule));
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  return {harmless_number(rule), rows_of(answer, full_path(key), answer.value()->text, unknown, *data_)};
}

std::vector<CaseProperty> Case::Table::properties(std::string_view key, std::string_view about,
                                                  const std::string& unknown, const VectorRule& rule) const {
  const std::string bounds = bounds_text(rule), expected = count_text(rule.size, "number", "numbers") +
                                                           (bounds.empty() ? "" : ", each " + bounds) +
                                                           fmt::format(", or tables over {}", unknown);
  ask(key, "formulas", about, "", expected, limits_of(rule));
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  const std::vector<CaseProperty> harmless(static_cast<std::size_t>(rule.size), {Formula(harmless_number(rule)), {}});
  if (answer.value() == nullptr) {
    answer.missing("<" + expected + ">", where());
    return harmless;
  }
  if (!answer.read_units()) return harmless;
  const CaseValue& given = *answer.value();
  if (given.kind != CaseValue::Kind::array || static_cast<int>(given.items.size()) != rule.size) {
    answer.wrong(expected);
    return harmless;
  }
  std::vector<CaseProperty> result;
  for (const CaseValue& item : given.items) {
    const std::optional<double> number = finite_number(item);
    if (item.kind == CaseValue::Kind::text) {
      result.push_back({Formula(harmless_number(rule)), rows_of(answer, full_path(key), item.text, unknown, *data_)});
      for (const auto& row : result.back().table ? result.back().table->rows : std::vector<std::array<double, 2>>())
        if (!is_within(rule, row[1]))
          answer.wrong_text(
              ErrorKind::wrong_value,
              fmt::format("'{}' is '{}', a table with the value {:g},", full_path(key), item.text, row[1]), {},
              fmt::format("give numbers {}", bounds));
    } else if (number && is_within(rule, *number)) {
      result.push_back({Formula(*number), {}});
    } else {
      answer.wrong(expected, item);
      return harmless;
    }
  }
  return result;
}

std::vector<std::array<double, 2>> Case::Table::rows(std::string_view key, std::string_view about) const {
  const std::string expected = "pairs of numbers such as [[0, 1], [2, 3]], or the name of a [[table]]";
  ask(key, "rows", about, "", expected);
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  if (answer.value() == nullptr) {
    answer.missing("<" + expected + ">", where());
    return {};
  }
  const CaseValue& given = *answer.value();
  if (given.kind == CaseValue::Kind::text) {
    if (data_->unread_tables.contains(given.text)) return {};
    const auto table = table_named(answer, full_path(key), given.text, given.text, "one argument", *data_);
    return table ? table->rows : std::vector<std::array<double, 2>>();
  }
  std::vector<std::array<double, 2>> result;
  for (const CaseValue& item : given.items) {
    if (item.kind != CaseValue::Kind::array || item.items.size() != 2 || !finite_number(item.items[0]) ||
        !finite_number(item.items[1])) {
      answer.wrong(expected, item);
      return {};
    }
    result.push_back({*finite_number(item.items[0]), *finite_number(item.items[1])});
  }
  if (result.empty()) answer.wrong(expected);
  return result;
}

std::vector<std::array<double, 3>> Case::Table::points(std::string_view key, std::string_view about) const {
  const std::string expected = "points of two or three numbers such as [[0, 0], [1, 0.5]]";
  ask(key, "points", about, "", expected);
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  if (answer.value() == nullptr) {
    answer.missing("<" + expected + ">", where());
    return {};
  }
  if (!answer.read_units()) return {};
  std::vector<std::array<double, 3>> result;
  for (const CaseValue& item : answer.value()->items) {
    const std::size_t size = item.kind == CaseValue::Kind::array ? item.items.size() : 0;
    std::array<double, 3> point{};
    bool valid = size == 2 || size == 3;
    for (std::size_t i = 0; valid && i < size; ++i) {
      const std::optional<double> number = finite_number(item.items[i]);
      valid = number.has_value();
      point[i] = number.value_or(0);
    }
    if (!valid) {
      answer.wrong(expected, item);
      return {};
    }
    result.push_back(point);
  }
  if (result.empty()) answer.wrong(expected);
  return result;
}

}  // namespace ritz
