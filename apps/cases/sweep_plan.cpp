#include "apps/cases/sweep_plan.hpp"

#include "io/case/csv.hpp"
#include "io/files/input_file.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace ritz {
namespace {

constexpr std::size_t most_members = 1'000'000;

struct SweptParameter {
  std::vector<std::string> keys;    // set to the same value
  std::vector<std::string> values;  // TOML
};

bool in_table(const std::string& key, std::string_view table) {
  return key == table || (key.starts_with(table) && key[table.size()] == '.');
}

// Not the sweep itself, and not where results go: all members are in one place.
void check_key(const Case::Table& table, std::string_view where, const std::string& key, std::set<std::string>& seen) {
  for (const char* kept : {"sweep", "output", "title"})
    if (in_table(key, kept))
      table.error(ErrorKind::sweep, where, fmt::format("'{}' cannot be swept", key), "it is the same for all members",
                  "sweep keys of the model, such as material.0.young");
  if (key.empty() || key.find('=') != std::string::npos || key.front() == '.' || key.back() == '.')
    table.error(ErrorKind::sweep, where, fmt::format("'{}' is no key", key), {},
                "write it like material.0.young: tables in double brackets are counted from 0");
  if (!seen.insert(key).second)
    table.error(ErrorKind::sweep, where, fmt::format("'{}' is swept twice", key), {},
                "give all of its values in one place");
}

std::vector<std::string> spaced(const Case::Table& t) {
  const double from = t.number("from", "first value of a range, instead of values"),
               to = t.number("to", "last value of the range");
  const auto count = static_cast<int>(
      t.integer("count", "number of values in the range, both ends included", {.minimum = 1, .maximum = 1000000}));
  const bool logarithmic = t.choice("spacing", "linear: equal steps; logarithmic: equal ratios",
                                    {"linear", "logarithmic"}, "linear") == "logarithmic";
  if (logarithmic && !(from > 0 && to > 0))
    t.error(ErrorKind::sweep, "spacing", fmt::format("equal ratios from {:g} to {:g}", from, to),
            "there are none across or at zero", "use linear spacing");
  std::vector<std::string> values;
  for (int i = 0; i < count; ++i) {
    const double t01 = count > 1 ? double(i) / (count - 1) : 0;
    const double x = i + 1 == count && count > 1 ? to
                     : logarithmic               ? from * std::pow(to / from, t01)
                                                 : from + (to - from) * t01;
    values.push_back(fmt::format("{}", x));
  }
  return values;
}

std::vector<SweptParameter> read_parameters(const Case::Table& sweep) {
  std::vector<SweptParameter> parameters;
  std::set<std::string> seen;
  for (const Case::Table& t : sweep.tables("parameter", "a key of the case and its values")) {
    SweptParameter p;
    p.keys = t.texts("key",
                     "dotted name as for --set: material.0.young, tables in double brackets counted from 0; or a list "
                     "of keys that get the same value");
    for (const std::string& key : p.keys) check_key(t, "key", key, seen);
    const bool ranges = t.has("from") || t.has("to") || t.has("count");
    if (ranges && t.has("values"))
      t.error(ErrorKind::sweep, "values", "values and a range are given", {}, "remove one of the two");
    p.values = ranges ? spaced(t) : t.literals("values", "the values, of any type that the key accepts");
    if (!ranges && !t.has("values"))
      t.error(ErrorKind::sweep, "key", "a swept key without values", {}, "add values = [...], or from, to and count");
    if (!p.keys.empty() && !p.values.empty()) parameters.push_back(std::move(p));
  }
  return parameters;
}

std::vector<SweepMember> combined(const Case::Table& sweep, const std::vector<SweptParameter>& parameters, bool zip) {
  std::size_t count = 1;
  for (const SweptParameter& p : parameters)
    count = zip ? p.values.size() : std::min(most_members + 1, count * p.values.size());
  if (zip)
    for (const SweptParameter& p : parameters)
      if (p.values.size() != parameters.front().values.size()) {
        sweep.error(ErrorKind::sweep, "combine",
                    fmt::format("'{}' has {} values, '{}' has {}", parameters.front().keys.front(),
                                parameters.front().values.size(), p.keys.front(), p.values.size()),
                    "zip takes one value of each for a member",
                    "give all the same number of values, or use combine = \"product\"");
        return {};
      }
  if (count > most_members) {
    sweep.error(ErrorKind::sweep, "combine", "a sweep of more than a million members", {},
                "use fewer values, or several sweeps");
    return {};
  }
  std::vector<SweepMember> members(parameters.empty() ? 0 : count);
  for (std::size_t m = 0; m < members.size(); ++m) {
    std::size_t rest = m;
    for (auto p = parameters.rbegin(); p != parameters.rend(); ++p) {  // the last one varies fastest
      const std::string& value = p->values[zip ? m : rest % p->values.size()];
      for (const std::string& key : p->keys) members[m].values.emplace_back(key, value);
      rest /= p->values.size();
    }
    std::ranges::reverse(members[m].values);
  }
  return members;
}

// Columns are keys; a column "name" names the members.
std::vector<SweepMember> read_members(const Case::Table& sweep, const std::string& file) {
  const auto wrong = [&](const std::string& what, const std::string& fix) {
    sweep.error(ErrorKind::sweep, "table", what, "the first row has the keys, each further row the values of a member",
                fix);
    return std::vector<SweepMember>{};
  };
  const std::string text = text_of_input(file).value_or("");
  const std::vector<std::vector<std::string>> rows = csv_rows(text);
  if (rows.size() < 2) return wrong(fmt::format("'{}' has {} rows", file, rows.size()), "add rows");
  if (rows.front().front().find(';') != std::string::npos)
    return wrong(fmt::format("the first row of '{}' holds semicolons", file), "separate columns by commas");
  std::set<std::string> seen;
  for (const std::string& key : rows.front())
    if (key != "name") check_key(sweep, "table", key, seen);
  std::vector<SweepMember> members;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    if (rows[r].size() != rows.front().size())
      return wrong(fmt::format("row {} of '{}' has {} columns, the first has {}", r + 1, file, rows[r].size(),
                               rows.front().size()),
                   "give every member every value");
    SweepMember& member = members.emplace_back();
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (rows[r][c].empty())
        return wrong(fmt::format("column {} of row {} of '{}' is empty", c + 1, r + 1, file),
                     "give every member every value");
      if (rows.front()[c] == "name") member.name = rows[r][c];
      else member.values.emplace_back(rows.front()[c], rows[r][c]);
    }
  }
  return members;
}

// Names of members are also names of files: letters, digits, - and +.
void name_members(const Case::Table& sweep, std::vector<SweepMember>& members, const std::string& stem) {
  const std::size_t digits = fmt::format("{}", members.size()).size();
  std::set<std::string> names;
  for (std::size_t m = 0; m < members.size(); ++m) {
    std::string& name = members[m].name;
    if (name.empty()) name = fmt::format("{:0{}}", m + 1, digits);
    const bool harmless =
        std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '+'; });
    if (!harmless || name.size() > 60)
      sweep.error(ErrorKind::sweep, "table", fmt::format("'{}' cannot name a member", name), "files are named after it",
                  "use up to 60 letters, digits, - and +");
    if (!names.insert(name).second)
      sweep.error(ErrorKind::sweep, "table", fmt::format("two members are called '{}'", name), {},
                  "give each a different name");
    name = stem + "-" + name;
  }
}

}  // namespace

std::vector<std::string> SweepMember::overrides() const {
  std::vector<std::string> texts;
  for (const auto& [key, value] : values) texts.push_back(fmt::format("{}={}", key, value));
  return texts;
}

std::string SweepMember::text() const {
  std::string text;
  for (const auto& [key, value] : values) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key, value);
  return text;
}

bool SweepPlan::touches(std::string_view table) const {
  return std::ranges::any_of(keys, [&](const std::string& key) { return in_table(key, table); });
}

int SweepPlan::most_alike(const std::vector<std::string>& tables) const {
  const auto rest = [&](const SweepMember& member) {
    auto values = member.values;
    std::erase_if(values, [&](const auto& value) {
      return std::ranges::any_of(tables, [&](const std::string& table) { return in_table(value.first, table); });
    });
    return values;
  };
  int most = 0, here = 0;
  for (std::size_t m = 0; m < members.size(); ++m) {
    here = m > 0 && rest(members[m]) == rest(members[m - 1]) ? here + 1 : 1;
    most = std::max(most, here);
  }
  return most;
}

SweepPlan read_sweep(Case& input, const std::string& stem) {
  SweepPlan plan;
  const Case::Table sweep = input.table("sweep", "many runs of this case with other values, docs/sweeps.md");
  const bool zip = sweep.choice("combine",
                                "how several parameters combine: product takes every value with every other, zip the "
                                "first with the first and so on",
                                {"product", "zip"}, "product") == "zip";
  plan.fields = sweep.flag("fields", "write result files of every member; false: only the table of probes", true);
  plan.batch = static_cast<int>(sweep.integer(
      "batch", "largest number of members with the same matrix that are solved together; 0: as memory allows",
      {.fallback = 0, .minimum = 0, .maximum = 1024}));
  const bool has_table = sweep.has("table");
  const std::string file = sweep.path(
      "table",
      "CSV file, instead of parameters: a column for each key, a row for each member; a column 'name' names them",
      {.fallback = "", .must_exist = has_table});
  const std::vector<SweptParameter> parameters = read_parameters(sweep);
  if (has_table && !parameters.empty())
    sweep.error(ErrorKind::sweep, "table", "a table and parameters are given", {}, "remove one of the two");
  else if (has_table) plan.members = text_of_input(file) ? read_members(sweep, file) : std::vector<SweepMember>{};
  else plan.members = combined(sweep, parameters, zip);
  if (sweep.present() && !has_table && parameters.empty())
    sweep.error(ErrorKind::sweep, "parameter", "a sweep of nothing", {},
                "add [[sweep.parameter]] with key and values, or table = \"members.csv\"");
  name_members(sweep, plan.members, stem);
  if (!plan.members.empty())
    for (const auto& [key, value] : plan.members.front().values) plan.keys.push_back(key);
  return plan;
}

}  // namespace ritz
