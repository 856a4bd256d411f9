#include "io/case/case_data.hpp"

#include "io/case/foreign_case.hpp"
#include "io/case/known_physics.hpp"
#include "io/case/unit.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/core.h>

namespace ritz {
namespace {

// Names of our keys in textbooks and other programs, for "did you mean".
struct OtherName {
  std::string_view theirs, ours;
};

constexpr OtherName other_names[] = {
    // clang-format off
    {"E", "young"},           {"modulus", "young"},           {"elastic_modulus", "young"}, {"nu", "poisson"},
    {"rho", "density"},       {"k", "conductivity"},          {"h", "coefficient"},         {"h", "height"},
    {"b", "width"},           {"t", "thickness"},             {"A", "area"},                {"film_coefficient", "coefficient"},
    {"modes", "count"},       {"hardening", "isotropic_hardening"}, {"fixed", "displacement"}, {"fixed", "support"},
    {"support", "displacement"}, {"displacement", "support"}, {"constraint", "displacement"}, {"constraint", "support"},
    {"heat_source", "source"}, {"heat_generation", "source"}, {"heat_flux", "flux"},          {"film", "convection"},
    {"traction", "force"},    {"load", "force"},              {"ground", "foundation"},       {"emissivity", "radiation"},
    {"tol", "tolerance"},     {"rtol", "tolerance"},          {"relative_tolerance", "tolerance"}, {"residual", "tolerance"},
    {"maxiter", "max_iterations"}, {"max_iter", "max_iterations"}, {"maxit", "max_iterations"}, {"iterations", "max_iterations"},
    {"maxiter", "max_steps"}, {"max_iter", "max_steps"},      {"maxit", "max_steps"},       {"iterations", "max_steps"},
    {"max_iterations", "max_steps"}, {"max_steps", "max_iterations"}, {"steps", "increments"}, {"steps", "step"},
    {"dt", "step"},           {"delta_t", "step"},            {"time_step", "step"},        {"timestep", "step"},
    {"t_end", "end"},         {"end_time", "end"},            {"duration", "end"},          {"stop", "end"},
    {"final_time", "end"},    {"output_every", "output"},     {"output_interval", "output"}, {"save_every", "output"},
    {"type", "kind"},         {"type", "method"},             {"kind", "type"},             {"scheme", "method"},
    {"integrator", "method"}, {"solver", "method"},           {"pc", "preconditioner"},     {"condition", "expression"},
    {"where", "expression"},  {"formula", "expression"},
    // clang-format on
};

std::string ours_of(std::string_view key, const std::vector<std::string>& valid) {
  for (const OtherName& name : other_names)
    if (name.theirs == key && std::ranges::find(valid, name.ours) != valid.end()) return std::string(name.ours);
  return {};
}

// Keys that the file has in a table and that no question has asked for yet.
std::vector<std::string> not_asked(const CaseValue& table) {
  std::vector<std::string> keys;
  for (const CaseMember& member : table.members)
    if (!member.asked && !member.value.implicit) keys.push_back(member.key);
  return keys;
}

}  // namespace

std::string CasePlace::text() const { return line > 0 ? fmt::format("{}:{}:{}", source, line, column) : source; }

CaseMember* CaseValue::find(std::string_view key) {
  for (CaseMember& member : members)
    if (member.key == key) return &member;
  return nullptr;
}

CaseValue& CaseValue::add(std::string_view key, CaseValue value) {
  members.push_back({std::string(key), std::move(value), {}, false});
  members.back().place = members.back().value.place;
  return members.back().value;
}

bool CaseValue::is_array_of_tables() const {
  return kind == Kind::array && !items.empty() &&
         std::all_of(items.begin(), items.end(), [](const CaseValue& item) { return item.kind == Kind::table; });
}

void CaseData::add(Error error, const CasePlace& place) {
  const auto is_same = [&](const Found& found) { return std::string_view(found.error.what()) == error.what(); };
  if (std::ranges::none_of(errors, is_same)) errors.push_back({std::move(error), place, nullptr, {}});
}

bool mentions(const std::string& formula, const std::string& name) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = formula.find(name); at != std::string::npos; at = formula.find(name, at + 1)) {
    const bool begins = at == 0 || !is_letter(formula[at - 1]);
    const bool ends = at + name.size() == formula.size() || !is_letter(formula[at + name.size()]);
    if (begins && ends) return true;
  }
  return false;
}

bool CaseData::calls_unread_table(const std::string& formula) const {
  return std::ranges::any_of(unread_tables, [&](const std::string& name) { return mentions(formula, name); });
}

void CaseData::remember(CaseQuestion question) {
  for (const CaseQuestion& known : questions)
    if (known.path == question.path) return;
  questions.push_back(std::move(question));
}

const std::string& CaseData::decide(const std::string& point, std::vector<std::string> options) {
  const auto [taken, is_new] = survey->taken.emplace(point, options.front());
  if (!is_new && std::ranges::find(options, taken->second) == options.end()) taken->second = options.front();
  survey->options.emplace(point, std::move(options));
  return taken->second;
}

namespace {

// "buckling" of "buckling_analysis"; empty where no name is a part of the key.
std::string longest_within(const std::string& key, const std::vector<std::string>& names) {
  constexpr std::size_t least = 5;
  std::string longest;
  for (const std::string& each : names)
    if (each.size() >= std::max(least, longest.size() + 1) && key.find(each) != std::string::npos) longest = each;
  return longest;
}

// Remedy for a key that another table has. In TOML a key below a [table] is one of that table.
std::string place_of(const std::string& path) {
  if (path.find('.') != std::string::npos) return fmt::format("there is a key '{}': does it belong there?", path);
  return fmt::format("'{}' is a key of the whole file: write it above the first [table]", path);
}

}  // namespace

void CaseData::add_unknown(const CaseValue& table, const CaseMember& member, const std::string& path,
                           const std::string& title) {
  std::string fix;
  std::vector<std::string> valid = table.asked;
  for (const std::string& key : table.looked_for)
    if (std::find(valid.begin(), valid.end(), key) == valid.end()) valid.push_back(key);
  std::vector<std::string> last_parts;
  for (const CaseQuestion& question : questions)
    last_parts.push_back(question.path.substr(question.path.rfind('.') + 1));
  const bool is_table = member.value.kind == CaseValue::Kind::table || member.value.is_array_of_tables();
  // A key elsewhere, not the table itself: 'material' in [[material]].
  const auto is_elsewhere = [&](const std::string& last) {
    return last == member.key && !path.starts_with(questions[static_cast<std::size_t>(&last - last_parts.data())].path);
  };
  const auto elsewhere = is_table ? last_parts.end() : std::ranges::find_if(last_parts, is_elsewhere);
  const std::string ours = ours_of(member.key, valid);
  const std::optional<KnownPhysics> physics =
      ours.empty() && elsewhere == last_parts.end() ? known_physics(member.key, valid) : std::nullopt;
  std::string near = ours.empty() ? nearest_match(member.key, valid) : ours;
  if (near.empty()) near = longest_within(member.key, valid);
  if (physics) {
    fix = physics->answer;
  } else if (!near.empty()) {
    fix = fmt::format("did you mean '{}'?", near);
    // The key that this one was meant to be is not missing as well.
    std::erase_if(errors, [&](const Found& found) { return found.table == &table && found.missing == near; });
    for (const CaseMember& other : table.members)  // nor are the keys of the table that this one was meant to be
      if (other.key == near && other.value.implicit)
        std::erase_if(errors, [&](const Found& found) { return found.table == &other.value; });
  } else {
    fix = elsewhere != last_parts.end()
              ? place_of(questions[static_cast<std::size_t>(elsewhere - last_parts.begin())].path)
              : "remove it, or take a key of this table; docs/limits.md lists what Ritz does not do";
  }
  std::string why = fmt::format("the valid keys of {} are {}", title, quoted_list(valid));
  if (valid.empty()) why = fmt::format("{} has no keys", title);
  if (physics) why = fmt::format("{} has no such {}", title, is_table ? "table" : "key");
  add(Error(ErrorKind::unknown_key,
            fmt::format("unknown {} '{}{}' at {}", is_table ? "table" : "key", path, member.key, member.place.text()),
            why, fix)
          .about({path + member.key, {}, member.place.text()}),
      member.place);
}

void CaseData::judge_unasked(const CaseValue& table, const std::string& path, const std::string& title) {
  for (const CaseMember& member : table.members) {
    if (member.value.implicit) continue;
    if (!member.asked) {
      add_unknown(table, member, path, title);
      continue;
    }
    const std::string name = path + member.key;
    if (member.value.kind == CaseValue::Kind::table) judge_unasked(member.value, name + ".", "[" + name + "]");
    if (member.value.is_array_of_tables())
      for (std::size_t i = 0; i < member.value.items.size(); ++i)
        judge_unasked(member.value.items[i], fmt::format("{}.{}.", name, i), fmt::format("[[{}]] #{}", name, i + 1));
  }
}

void CaseData::throw_errors() {
  std::stable_sort(errors.begin(), errors.end(), [](const Found& a, const Found& b) {
    return a.place.line != b.place.line ? a.place.line < b.place.line : a.place.column < b.place.column;
  });
  // Mistakes in the file come before errors of other kinds that callers added.
  std::stable_partition(errors.begin(), errors.end(),
                        [](const Found& found) { return found.error.exit() == Exit::input; });
  ErrorList list;
  // In a case for another program the other mistakes are none.
  if (const std::optional<Error> other = errors.empty() ? std::nullopt : other_program_error(root, path, program))
    throw Error(*other);
  for (const Found& found : errors) list.add(found.error);
  list.throw_if_any();
}

CaseAnswer::CaseAnswer(CaseData& data, CaseValue& table, std::string_view key, std::string key_path,
                       std::string_view about)
    : data_(data), table_(table), key_(key), key_path_(std::move(key_path)), about_(about) {
  if (std::find(table.asked.begin(), table.asked.end(), key) == table.asked.end()) table.asked.emplace_back(key);
  if (CaseMember* member = table.find(key)) {
    member->asked = true;
    // The fallback of an earlier step is not a given value: this step may need one, or have another fallback.
    const bool is_of_earlier_step = data.step && member->value.implicit && member->value.kind != CaseValue::Kind::table;
    if (!is_of_earlier_step) value_ = &member->value;
  }
}

void CaseAnswer::wrong(std::string_view expected, ErrorKind kind) const { wrong(expected, *value_, kind); }

void CaseAnswer::wrong(std::string_view expected, const CaseValue& got, ErrorKind kind) const {
  const CasePlace& place = got.place.line > 0 ? got.place : value_->place;
  data_.add(Error(kind, fmt::format("'{}' is {} at {}", key_path_, described(got), place.text()),
                  fmt::format("{}: {}", key_, about_), fmt::format("give {}", expected))
                .about({key_path_, described(got), place.text()}),
            place);
}

void CaseAnswer::wrong_text(ErrorKind kind, std::string what, std::string why, std::string fix) const {
  data_.add(Error(kind, fmt::format("{} at {}", what, value_->place.text()), std::move(why), std::move(fix))
                .about({key_path_, {}, value_->place.text()}),
            value_->place);
}

bool CaseAnswer::read_units() const { return value_ == nullptr || read_units(*value_); }

bool CaseAnswer::read_units(CaseValue& value) const {
  if (value.kind != CaseValue::Kind::array) return read_unit(value);
  bool good = true;
  for (CaseValue& item : value.items) good = read_units(item) && good;
  return good;
}

bool CaseAnswer::read_unit(CaseValue& value) const {
  if (value.kind != CaseValue::Kind::text) return true;
  const std::optional<Quantity> quantity = quantity_in(value.text);
  if (!quantity) return true;
  const std::optional<Unit> unit = unit_named(quantity->unit);
  if (unit && data_.units == UnitSystem::none) {
    wrong_text(ErrorKind::unit, fmt::format("'{}' is '{}', and [output] units is \"none\",", key_path_, value.text),
               "the system of units of the other numbers is not known", "give the number alone, in their units");
    return false;
  }
  const std::string expected = in_system(unit_in(about_), data_.units), near = unit ? "" : unit_like(quantity->unit);
  const std::string what = fmt::format("'{}' is '{}'", key_path_, value.text);
  const std::string alone = expected.empty() ? "give the number alone" : fmt::format("give a number of {}", expected);
  if (!unit) {
    wrong_text(
        ErrorKind::unit, fmt::format("{}, with the unknown unit '{}',", what, quantity->unit),
        "units are made of m, g, s, K, N, Pa, J, W, Hz and rad with prefixes from n to G, and of min, h, deg, %, "
        "bar, t, in, ft, lb, lbf, psi and ksi; in a formula * stands between a number and a name",
        near.empty() ? alone : fmt::format("did you mean '{}'?", near));
  } else if (expected.empty()) {
    wrong_text(ErrorKind::unit, fmt::format("{}, and this key has no unit,", what), fmt::format("{}: {}", key_, about_),
               alone);
  } else if (!unit->measures_the_same_as(*unit_named(expected))) {
    wrong_text(ErrorKind::unit, fmt::format("{}, and its unit is {},", what, expected),
               fmt::format("{}: {}", key_, about_), alone);
  } else {
    value.kind = CaseValue::Kind::number;
    value.number = in_unit(quantity->number, *unit, *unit_named(expected));
    if (std::isfinite(value.number)) return true;
    wrong_text(ErrorKind::wrong_value, fmt::format("{}, which is beyond the numbers of 64 bit,", what),
               fmt::format("{}: {}", key_, about_), alone);
  }
  return false;
}

void CaseAnswer::missing(std::string_view expected, const std::string& table_title) const {
  if (data_.survey) return;
  std::string fix = fmt::format("add {} = {}", key_, expected);
  std::string near = nearest_match(key_, not_asked(table_));
  if (near.empty() && table_.implicit)  // a table that is not in the file
    near = nearest_match(key_path_.substr(0, key_path_.find('.')), not_asked(data_.root));
  if (!near.empty()) fix += fmt::format(" (is '{}' meant to be it?)", near);
  data_.add_missing(Error(ErrorKind::missing_key, fmt::format("missing key '{}' in {}", key_path_, table_title),
                          fmt::format("{}: {}", key_, about_), fix)
                        .about({key_path_, {}, table_title}),
                    table_.place, table_, key_);
}

void CaseAnswer::missing_tables(const std::string& header, int given, int needed) const {
  if (data_.survey) return;
  data_.add_missing(
      Error(ErrorKind::missing_key, fmt::format("{} of {} needed tables {} in {}", given, needed, header, data_.path),
            fmt::format("{}: {}", key_, about_), fmt::format("add {}", header)),
      table_.place, table_, key_);
}

void CaseAnswer::use_fallback(CaseValue fallback) const {
  fallback.implicit = true;
  fallback.place = table_.place;
  if (CaseMember* const of_earlier_step = table_.find(key_)) {
    of_earlier_step->value = std::move(fallback);
    return;
  }
  table_.add(key_, std::move(fallback)).place = table_.place;
  table_.members.back().asked = true;
}

}  // namespace ritz
