#include "io/case/case.hpp"

#include "io/case/case_data.hpp"
#include "io/case/foreign_case.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/core.h>

namespace ritz {

Case::Case(std::unique_ptr<CaseData> data) : data_(std::move(data)) {}
Case::Case(Case&&) noexcept = default;
Case& Case::operator=(Case&&) noexcept = default;
Case::~Case() = default;

Case Case::from_file(const std::string& path, const std::vector<std::string>& overrides) {
  return from_text(text_of_case(path), path, overrides);
}

Case Case::from_text(std::string_view text, const std::string& name, const std::vector<std::string>& overrides) {
  auto data = std::make_unique<CaseData>();
  data->path = name;
  data->root = parse_case(text, name);
  ErrorList errors;
  for (const std::string& override_text : overrides) try {
      apply_override(data->root, override_text);
    } catch (const Error& error) { errors.add(error); }
  errors.throw_if_any();
  spell_material(data->root);
  return Case(std::move(data));
}

Case Case::survey(const std::string& name, std::map<std::string, std::string> taken) {
  auto data = std::make_unique<CaseData>();
  data->path = name;
  data->survey.emplace().taken = std::move(taken);
  return Case(std::move(data));
}

void Case::give(CaseFields arrays) { data_->arrays = std::move(arrays); }

void Case::vary(const std::string& key, std::function<CaseField(double)> field) {
  data_->varied[key] = std::move(field);
}

void Case::set_program(std::string name) { data_->program = std::move(name); }

const CaseReading& Case::reading() const {
  data_->survey->questions = data_->questions;
  return *data_->survey;
}

Case::Table Case::root() const {
  Table table;
  table.data_ = data_.get();
  table.value_ = &data_->root;
  return table;
}

Case::Table Case::table(std::string_view key, std::string_view about) const { return root().table(key, about); }

std::vector<Case::Table> Case::tables(std::string_view key, std::string_view about, const TablesRule& rule) const {
  return root().tables(key, about, rule);
}

void Case::add_error(const Error& error) {
  const auto* several = dynamic_cast<const Errors*>(&error);
  if (several == nullptr) return data_->add(error, {});
  for (const Error& each : several->list()) data_->add(each, {});
}

void Case::drop(std::string_view key) {
  data_->root.members.remove_if([&](const CaseMember& member) { return member.key == key; });
}

void mark_asked(CaseValue& value) {
  for (CaseValue& item : value.items) mark_asked(item);
  for (CaseMember& member : value.members) {
    member.asked = true;
    mark_asked(member.value);
  }
}

void Case::excuse(std::string_view key) {
  CaseMember* member = data_->root.find(key);
  if (member == nullptr) return;
  member->asked = true;
  mark_asked(member->value);
}

void Case::finish() {
  data_->judge_unasked(data_->root, "", "the case file");
  data_->throw_errors();
}

void Case::throw_if_any() const {
  // Values of a survey are imaginary, so they may be wrong; contradictions among them end the reading.
  const auto fits = [](const CaseData::Found& found) { return found.error.exit() == Exit::input; };
  if (data_->survey && std::ranges::all_of(data_->errors, fits)) return;
  data_->throw_errors();
}

bool Case::sound() const { return data_->errors.empty(); }

const std::string& Case::path() const { return data_->path; }
std::vector<std::string> Case::files() const { return {data_->files.begin(), data_->files.end()}; }

void Case::add_file(const std::string& path) { data_->files.insert(path); }

std::vector<CaseQuestion> Case::questions() const { return data_->questions; }

std::vector<GivenNumber> Case::given_numbers(std::string_view table, std::string_view key) const {
  std::vector<GivenNumber> found;
  const auto add = [&](CaseValue& entry, const std::string& path) {
    const CaseMember* member = entry.find(key);
    if (member == nullptr || member->value.implicit) return;
    const CaseValue& value = member->value;
    const bool whole = value.kind == CaseValue::Kind::integer;
    if (!whole && value.kind != CaseValue::Kind::number) return;
    GivenNumber given{whole ? static_cast<double>(value.integer) : value.number,
                      fmt::format("{}.{} at {}", path, key, value.place.text()),
                      {}};
    if (const CaseMember* region = entry.find("region")) {
      if (region->value.kind == CaseValue::Kind::text) given.regions.push_back(region->value.text);
      for (const CaseValue& name : region->value.items) given.regions.push_back(name.text);
    }
    found.push_back(std::move(given));
  };
  CaseMember* member = data_->root.find(table);
  if (member == nullptr) return found;
  if (!member->value.is_array_of_tables()) add(member->value, std::string(table));
  else
    for (std::size_t i = 0; i < member->value.items.size(); ++i)
      add(member->value.items[i], fmt::format("{}.{}", table, i));
  return found;
}

std::vector<std::vector<std::string>> Case::given_keys(std::string_view table) const {
  std::vector<std::vector<std::string>> found;
  CaseMember* const tables = data_->root.find(table);
  if (tables == nullptr || !tables->value.is_array_of_tables()) return found;
  for (const CaseValue& entry : tables->value.items) {
    std::vector<std::string>& keys = found.emplace_back();
    for (const CaseMember& member : entry.members) keys.push_back(member.key);
  }
  return found;
}

namespace {

// An entry that was read; nullptr: there is none.
CaseValue* entry_of(CaseValue& value, std::string_view part) {
  if (value.kind == CaseValue::Kind::table) {
    CaseMember* const member = value.find(part);
    return member != nullptr && member->asked ? &member->value : nullptr;
  }
  std::size_t at = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), at);
  const bool is_there = value.kind == CaseValue::Kind::array && error == std::errc{} &&
                        end == part.data() + part.size() && at < value.items.size();
  return is_there ? &value.items[at] : nullptr;
}

struct ValueAt {
  const CaseValue *value, *list;  // in which it stands; nullptr: there is none
};

ValueAt value_at(CaseValue& root, std::string_view key) {
  CaseValue *value = &root, *list = nullptr;
  while (value != nullptr && !key.empty()) {
    const std::size_t dot = std::min(key.find('.'), key.size());
    list = value;
    value = entry_of(*value, key.substr(0, dot));
    key.remove_prefix(std::min(dot + 1, key.size()));
  }
  return {value, list};
}

std::optional<double> number_of(const CaseValue& value) {
  if (value.kind == CaseValue::Kind::integer) return static_cast<double>(value.integer);
  return value.kind == CaseValue::Kind::number ? std::optional(value.number) : std::nullopt;
}

}  // namespace

std::optional<KeptNumber> Case::number_at(std::string_view key) const {
  const auto [value, list] = value_at(data_->root, key);
  const std::optional<double> number = value != nullptr ? number_of(*value) : std::nullopt;
  if (!number) return std::nullopt;
  double sum = std::abs(*number), count = 1;
  if (list->kind == CaseValue::Kind::array) {
    sum = 0;
    count = static_cast<double>(list->items.size());
    for (const CaseValue& each : list->items) sum += std::abs(number_of(each).value_or(0));
  }
  return KeptNumber{*number, sum > 0 ? sum / count : 1};
}

bool Case::has_value(std::string_view key) const { return value_at(data_->root, key).value != nullptr; }

// ---- tables

namespace {

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

}  // namespace

std::string Case::Table::full_path(std::string_view key) const { return joined(path_, key); }
std::string Case::Table::schema_key(std::string_view key) const { return joined(schema_path_, key); }

void Case::Table::ask(std::string_view key, const char* type, std::string_view about, std::string fallback,
                      std::string allowed, CaseLimits limits) const {
  data_->remember(
      {schema_key(key), type, std::string(about), std::move(fallback), std::move(allowed), std::move(limits)});
}

void Case::Table::open_to_plugins(std::string_view key) const {
  if (!data_->survey) return;
  if (key == "*") ask(key, "open", "", "", "", {.open = true});
  for (CaseQuestion& question : data_->questions)
    if (question.path == schema_key(key)) question.limits.open = true;
}

bool Case::Table::is_given(std::string_view key) const {
  return data_->decide(schema_key(key) + "?", {"absent", "given"}) == "given";
}

Case::Table Case::Table::table(std::string_view key, std::string_view about) const {
  ask(key, "table", about, "", "");
  if (is_root() && data_->step) return table_of_step(key, about);
  return own_table(key, about);
}

Case::Table Case::Table::own_table(std::string_view key, std::string_view about) const {
  const CaseAnswer answer(*data_, *value_, key, joined(path_, key), about);
  Table table;
  table.data_ = data_;
  table.path_ = joined(path_, key);
  table.schema_path_ = joined(schema_path_, key);
  table.name_ = std::string(key);
  table.value_ = answer.value();
  if (table.value_ != nullptr && table.value_->kind != CaseValue::Kind::table) {
    answer.wrong(fmt::format("a table, [{}]", table.path_));
    mark_asked(*table.value_);
    data_->scratch.emplace_back().place = table.value_->place;
    table.value_ = &data_->scratch.back();
  } else if (table.value_ == nullptr) {
    answer.use_fallback({});
    table.value_ = &value_->members.back().value;
  }
  return table;
}

// The one entry that lists of tables have in a survey.
Case::Table Case::Table::survey_entry(std::string_view key, const char* suffix, const char* name) const {
  Table table;
  table.data_ = data_;
  table.value_ = &data_->scratch.emplace_back();
  table.path_ = joined(path_, key) + "." + name;
  table.schema_path_ = joined(schema_path_, key) + suffix;
  table.name_ = name;
  return table;
}

std::vector<Case::Table> Case::Table::tables(std::string_view key, std::string_view about,
                                             const TablesRule& rule) const {
  CaseLimits limits;
  if (rule.minimum_count > 0) limits.minimum = rule.minimum_count;
  ask(key, "tables", about, "", rule.minimum_count > 0 ? fmt::format("at least {}", rule.minimum_count) : "",
      std::move(limits));
  std::vector<Table> result;
  if (data_->survey) {
    if (data_->decide(schema_key(key) + "?", {"given", "absent"}) == "given")
      result.push_back(survey_entry(key, "[]", "0"));
    return result;
  }
  result = is_root() && data_->step ? tables_of_step(key, about) : entries(key, about);
  if (static_cast<int>(result.size()) < rule.minimum_count)
    CaseAnswer(*data_, *value_, key, joined(path_, key), about)
        .missing_tables(fmt::format("[[{}]]", joined(path_, key)), static_cast<int>(result.size()), rule.minimum_count);
  return result;
}

std::vector<Case::Table> Case::Table::entries(std::string_view key, std::string_view about) const {
  std::vector<Table> result;
  const CaseAnswer answer(*data_, *value_, key, joined(path_, key), about);
  if (answer.value() == nullptr) return result;
  const bool empty_array = answer.value()->kind == CaseValue::Kind::array && answer.value()->items.empty();
  if (!empty_array && !answer.value()->is_array_of_tables()) {
    answer.wrong(fmt::format("a list of tables, each under its own [[{}]]", joined(path_, key)));
    mark_asked(*answer.value());
    return result;
  }
  for (CaseValue& item : answer.value()->items) {
    Table table;
    table.data_ = data_;
    table.value_ = &item;
    table.path_ = fmt::format("{}.{}", joined(path_, key), result.size());
    table.schema_path_ = joined(schema_path_, key) + "[]";
    table.name_ = std::to_string(result.size());
    result.push_back(table);
  }
  return result;
}

std::vector<Case::Table> Case::Table::named_tables(std::string_view key, std::string_view about,
                                                   const TablesRule& rule) const {
  ask(key, "tables", about, "", rule.minimum_count > 0 ? fmt::format("at least {}", rule.minimum_count) : "");
  if (data_->survey) return {survey_entry(key, ".*", "*")};
  const CaseAnswer answer(*data_, *value_, key, joined(path_, key), about);
  std::vector<Table> result;
  if (answer.value() != nullptr && answer.value()->kind != CaseValue::Kind::table) {
    answer.wrong(fmt::format("tables with names of your choice, [{}.name]", joined(path_, key)));
    return result;
  }
  if (answer.value() != nullptr)
    for (CaseMember& member : answer.value()->members) {
      const std::string path = joined(joined(path_, key), member.key);
      const CaseAnswer each(*data_, *answer.value(), member.key, path, about);
      if (member.value.kind != CaseValue::Kind::table) {
        each.wrong(fmt::format("a table, [{}]", path));
        continue;
      }
      Table table;
      table.data_ = data_;
      table.value_ = &member.value;
      table.path_ = path;
      table.schema_path_ = joined(schema_path_, key) + ".*";
      table.name_ = member.key;
      result.push_back(table);
    }
  if (static_cast<int>(result.size()) < rule.minimum_count)
    answer.missing_tables(fmt::format("[{}.name]", joined(path_, key)), static_cast<int>(result.size()),
                          rule.minimum_count);
  return result;
}

bool Case::Table::has(std::string_view key) const {
  if (data_->survey) return is_given(key);
  if (is_root() && data_->step) return step_has(key);
  value_->looked_for.emplace_back(key);
  const CaseMember* member = value_->find(key);
  return member != nullptr && !member->value.implicit;
}

bool Case::Table::present() const {
  if (data_->survey) return data_->decide(schema_path_ + "?", {"absent", "given"}) == "given";
  return !value_->implicit;
}

std::vector<std::string> Case::Table::keys() const {
  if (data_->survey) return {"*"};
  if (is_root() && data_->step) return keys_of_step();
  std::vector<std::string> keys;
  for (const CaseMember& member : value_->members)
    if (!member.value.implicit) keys.push_back(member.key);
  return keys;
}

std::string Case::Table::title() const {
  if (path_.empty()) return "the case file";
  if (!schema_path_.ends_with("[]")) return fmt::format("[{}]", path_);
  const std::size_t dot = path_.rfind('.');
  return fmt::format("[[{}]] #{}", path_.substr(0, dot), std::stoll(path_.substr(dot + 1)) + 1);
}

std::string Case::Table::where() const {
  return value_->place.line > 0 ? fmt::format("{} at {}:{}", title(), value_->place.source, value_->place.line)
                                : fmt::format("{} of {}", title(), data_->path);
}

std::string Case::Table::where(std::string_view key) const {
  const CaseMember* member = value_->find(key);
  if (member == nullptr || member->value.implicit) return fmt::format("{} in {}", joined(path_, key), where());
  return fmt::format("{} at {}", joined(path_, key), member->value.place.text());
}

void Case::Table::error(ErrorKind kind, std::string_view key, std::string what, std::string why,
                        std::string fix) const {
  const CaseMember* member = value_->find(key);
  const CasePlace& place = member != nullptr ? member->value.place : value_->place;
  data_->add(Error(kind, fmt::format("{}, {}", what, where(key)), std::move(why), std::move(fix))
                 .about({joined(path_, key), {}, place.line > 0 ? place.text() : ""}),
             place);
}

void Case::Table::error(std::string_view key, const Error& thrown) const {
  error(thrown.kind(), key, thrown.message(), thrown.why(), thrown.fix());
}

void Case::Table::refuse(ErrorKind kind, std::string_view key, std::string what, std::string why,
                         std::string fix) const {
  error(kind, key, std::move(what), std::move(why), std::move(fix));
  if (CaseMember* member = value_->find(key)) {
    member->asked = true;
    member->value = {.kind = CaseValue::Kind::flag, .place = member->value.place};
  }
}

}  // namespace ritz
