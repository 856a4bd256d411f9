#include "io/case/case_schema.hpp"

#include "io/case/case_data.hpp"
#include "io/case/unit.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

using Json = nlohmann::ordered_json;
using Ways = std::map<std::string, std::string>;

// By the numbers of paths.
struct Reading {
  bool complete = false;
  std::vector<int> asked = {};   // which variant of the question, -1: none
  std::vector<bool> holds = {};  // does it ask for a key of this table?
  int variant(std::size_t path) const { return path < asked.size() ? asked[path] : -1; }
  bool asks(std::size_t path) const { return variant(path) >= 0; }
  bool looks_into(std::size_t table) const { return table < holds.size() && holds[table]; }
};

// A key or a table.
struct Path {
  std::string text;
  std::size_t table = 0;
  std::vector<std::size_t> keys = {};       // of a table
  std::vector<CaseQuestion> variants = {};  // questions that differ
};

std::string parent_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string name_of(const std::string& path) {
  return path.substr(parent_of(path).empty() ? 0 : parent_of(path).size() + 1);
}

bool is_table(const CaseQuestion& question) { return question.type == "table" || question.type == "tables"; }

// Keys and tables that readings ask for.
class Questions {
 public:
  const std::vector<std::string>& paths() const { return order_; }  // as they were first asked
  const std::vector<CaseQuestion>& variants(const std::string& path) const {
    return paths_[numbers_.at(path)].variants;
  }
  bool is_open(const std::string& path) const {
    const auto found = numbers_.find(path);
    return found != numbers_.end() &&
           std::ranges::any_of(paths_[found->second].variants, [](const CaseQuestion& q) { return q.limits.open; });
  }

  // By all readings that ask for its table.
  bool is_required(const std::string& path, bool with_plugin) const {
    const std::size_t number = numbers_.at(path), table = paths_[number].table;
    bool looked = false;
    for (const Reading& reading : readings_) {
      if (!reading.complete || !reading.looks_into(table)) continue;
      looked = true;
      if (!is_needed(reading, number, with_plugin)) return false;
    }
    return looked;
  }

  std::size_t number(const std::string& path) const { return numbers_.at(path); }
  std::size_t table_of(std::size_t path) const { return paths_[path].table; }
  const Reading& reading(std::size_t number) const { return readings_[number]; }

  // Does a reading ask for a key, or a table of the root, that the other does not ask for?
  bool asks_more(std::size_t reading, std::size_t other, bool of_root) const {
    const std::size_t count = readings_[reading].asked.size();
    for (std::size_t path = 0; path < count; ++path)
      if (readings_[reading].asks(path) && !readings_[other].asks(path) && (!of_root || paths_[path].table == root_))
        return true;
    return false;
  }

  // Returns the number of the reading.
  std::size_t add(const SurveyedReading& surveyed) {
    Reading reading{surveyed.complete};
    for (const CaseQuestion& question : surveyed.reading.questions) {
      const std::size_t number = number_of(question.path);
      std::vector<CaseQuestion>& variants = paths_[number].variants;
      if (variants.empty()) order_.push_back(question.path);
      const auto found = std::ranges::find(variants, question);
      const auto variant = static_cast<int>(found - variants.begin());
      if (found == variants.end()) variants.push_back(question);
      reading.asked.resize(std::max(reading.asked.size(), number + 1), -1);
      if (reading.asked[number] < 0) reading.asked[number] = variant;
      const std::size_t table = paths_[number].table;
      reading.holds.resize(std::max(reading.holds.size(), table + 1));
      reading.holds[table] = true;
    }
    readings_.push_back(std::move(reading));
    return readings_.size() - 1;
  }

 private:
  // Does this reading not do without the key?
  bool is_needed(const Reading& reading, std::size_t path, bool with_plugin) const {
    if (!reading.asks(path)) return false;
    const CaseQuestion& question = paths_[path].variants[static_cast<std::size_t>(reading.variant(path))];
    if (question.type == "open" || (with_plugin && question.limits.open && question.type == "choice")) return false;
    if (question.type == "tables") return question.limits.minimum.has_value();
    if (question.type != "table") return question.fallback.empty();
    return std::ranges::any_of(paths_[path].keys,
                               [&](std::size_t key) { return is_needed(reading, key, with_plugin); });
  }

  std::size_t number_of(const std::string& path) {
    if (const auto known = numbers_.find(path); known != numbers_.end()) return known->second;
    const std::size_t table = path.empty() ? root_ : number_of(parent_of(path)), number = paths_.size();
    paths_.push_back({path, table});
    numbers_.emplace(path, number);
    if (number != table) paths_[table].keys.push_back(number);
    return number;
  }

  static constexpr std::size_t root_ = 0;  // the first to be numbered
  std::vector<Path> paths_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<Reading> readings_;
  std::vector<std::string> order_;
};

// Readings that differ in what they take at one point.
struct Family {
  std::string point;
  std::vector<std::pair<std::string, std::size_t>> members;  // option, reading
};

// The readings of a case of every kind: which keys each asks for, and in what they differ.
class Survey {
 public:
  Survey(int mesh_count, const CaseReader& read) {
    for (int mesh = 0; mesh < mesh_count; ++mesh) follow_all(mesh, read);
  }

  const Questions& questions() const { return questions_; }

  // The options with which the key is asked for: {point: values}, where readings that differ in one point differ in
  // asking for it.
  std::map<std::string, std::set<std::string>> conditions_of(const std::string& path) const {
    const std::size_t number = questions_.number(path), table = questions_.table_of(number);
    const auto looks_here = [&](const Reading& reading) { return reading.complete && reading.looks_into(table); };
    std::set<std::string_view> decisive;
    for (const Family& family : families_) {
      const std::string_view point = family.point;
      if (decisive.contains(point) || path.starts_with(point.substr(0, point.find('?')))) continue;  // the table itself
      std::size_t seen = 0, asked = 0;
      for (const auto& [value, index] : family.members) {
        const Reading& reading = questions_.reading(index);
        if (!looks_here(reading)) continue;
        ++seen;
        asked += reading.asks(number) ? 1 : 0;
      }
      if (asked > 0 && asked < seen) decisive.insert(point);
    }
    std::map<std::string, std::set<std::string>> with;
    for (const Family& family : families_) {
      if (!decisive.contains(family.point)) continue;
      std::set<std::string>& values = with[family.point];
      for (const auto& [value, index] : family.members)
        if (looks_here(questions_.reading(index)) && questions_.reading(index).asks(number)) values.insert(value);
    }
    if (std::ranges::any_of(families_, [&](const Family& family) { return family.point == path + "?"; }) &&
        !is_table(questions_.variants(path).front()))
      std::erase_if(
          with, [](const auto& condition) { return !condition.second.contains("absent"); });  // it may be given alone
    return with;
  }

 private:
  // A reading that is to be varied. kind: the choice on the way to it that made it one of other keys, such as the form
  // of the equations: tables of the root are looked for under each.
  struct Step {
    std::size_t reading;
    CaseReading of;
    Ways ways;
    std::string kind;
  };

  // Readings of this mesh, each with one more option than the one that it is made from.
  void follow_all(int mesh, const CaseReader& read) {
    std::set<std::array<std::string, 3>> gone;
    std::set<std::string> opening;  // keys of the root whose presence leads to further tables
    std::deque<Step> to_follow;
    const auto add_step = [&](Ways ways, std::string kind) -> Step& {
      SurveyedReading surveyed = read(mesh, ways);
      const std::size_t number = questions_.add(surveyed);
      surveyed.reading.questions.clear();
      return to_follow.emplace_back(Step{number, std::move(surveyed.reading), std::move(ways), std::move(kind)});
    };
    const std::size_t usual = add_step({}, "").reading;
    while (!to_follow.empty()) {
      const Step step = std::move(to_follow.front());
      to_follow.pop_front();
      for (const auto& [point, values] : step.of.options) {
        const std::string& taken = step.of.taken.at(point);
        Family family{point, {{taken, step.reading}}};
        for (const std::string& value : values) {
          if (value == taken) continue;
          const bool is_first = gone.insert({point, value, ""}).second;
          if (!is_first && !(opening.contains(point) && gone.insert({point, value, step.kind}).second)) continue;
          Ways ways = step.ways;
          ways[point] = value;
          Step& next = add_step(std::move(ways), step.kind);
          family.members.emplace_back(value, next.reading);
          if (is_root_key(point) && questions_.asks_more(next.reading, step.reading, true)) opening.insert(point);
          if (is_kind(point) && questions_.asks_more(next.reading, usual, false))
            next.kind = fmt::format("{} = {}", point, value);
        }
        if (family.members.size() > 1) families_.push_back(std::move(family));
      }
    }
  }

  static bool is_root_key(const std::string& point) {
    return point.ends_with('?') && point.find('.') == std::string::npos;
  }
  static bool is_kind(const std::string& point) {
    return !point.ends_with('?') && point.find("[]") == std::string::npos;
  }

  Questions questions_;
  std::vector<Family> families_;
};

// "; only with method = 'gmres'"
std::string words_of_conditions(const Survey& survey, const std::string& path) {
  std::string text, present, absent;
  for (const auto& [point, values] : survey.conditions_of(path)) {
    const bool beside = parent_of(path) == parent_of(point);
    std::string name = beside ? name_of(point) : point;
    if (name.ends_with('?')) {
      name.pop_back();
      std::string& names = *values.begin() == "given" ? present : absent;
      names += fmt::format("{}'{}'", names.empty() ? "" : ", ", name);
      continue;
    }
    std::vector<std::string> words(values.begin(), values.end());
    text += fmt::format("; only with {} = '{}'", name, fmt::join(words, "' or '"));
  }
  if (!present.empty()) text += "; only with " + present;
  if (!absent.empty()) text += "; only without " + absent;
  return text;
}

std::string description_of(const Survey& survey, const std::string& path) {
  std::vector<std::string> texts;
  for (const CaseQuestion& question : survey.questions().variants(path)) {
    std::string text = question.about;
    if (question.type == "region") text += (text.empty() ? "a region of " : "; a region of ") + question.allowed;
    if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
  return fmt::format("{}{}", fmt::join(texts, "; or: "), words_of_conditions(survey, path));
}

// The loosest of all variants.
Json bounds_of(const std::vector<CaseQuestion>& variants) {
  Json json = Json::object();
  const auto set = [&](const char* name, auto CaseLimits::*bound, bool low) {
    if (!std::ranges::all_of(variants, [&](const CaseQuestion& q) { return (q.limits.*bound).has_value(); })) return;
    std::vector<double> values;
    for (const CaseQuestion& question : variants) values.push_back((question.limits.*bound).value_or(0));
    const double loosest = low ? std::ranges::min(values) : std::ranges::max(values);
    const auto whole = static_cast<std::int64_t>(loosest);
    if (static_cast<double>(whole) == loosest) json[name] = whole;
    else json[name] = loosest;
  };
  set("minimum", &CaseLimits::minimum, true);
  set("exclusiveMinimum", &CaseLimits::above, true);
  set("maximum", &CaseLimits::maximum, false);
  set("exclusiveMaximum", &CaseLimits::below, false);
  return json;
}

Json list_of(Json item, const std::vector<CaseQuestion>& variants) {
  const auto size = [](const CaseQuestion& q) { return q.limits.size; };
  const int smallest = std::ranges::min(variants, {}, size).limits.size,
            largest = std::ranges::max(variants, {}, size).limits.size;
  Json list{{"type", "array"}, {"items", item}};
  const bool may_be_empty =
      std::ranges::any_of(variants, [](const CaseQuestion& q) { return q.type == "texts" || q.fallback == "[]"; });
  // The form has as many components as there are entries.
  const bool open = std::ranges::any_of(variants, [](const CaseQuestion& q) { return q.limits.open; });
  if (smallest > 0 || !may_be_empty) list["minItems"] = open ? 1 : std::max(smallest, 1);
  if (smallest > 0 && !open) list["maxItems"] = largest;
  const bool one_will_do =
      open || std::ranges::any_of(variants, [](const CaseQuestion& q) { return q.limits.size <= 1; });
  return one_will_do ? Json{{"anyOf", {item, list}}} : list;
}

Json value_of(const std::string& type, const std::vector<CaseQuestion>& variants, bool with_plugin) {
  const Json text{{"type", "string"}, {"minLength", 1}};
  Json number{{"type", "number"}};
  number.update(bounds_of(variants));
  // "210 GPa"
  const bool has_unit = std::ranges::any_of(variants, [](const CaseQuestion& q) { return !unit_in(q.about).empty(); });
  Json single = number;
  if (has_unit) {
    single["type"] = {"number", "string"};
    single["pattern"] = "^\\s*[-+]?[0-9.][-+0-9.eE]*\\s*[^-+0-9.eE\\s].*$";
  }
  if (type == "number") return single;
  if (type == "integer") return number["type"] = "integer", number;
  if (type == "flag") return {{"type", "boolean"}};
  if (type == "formula" || type == "expression") return {{"anyOf", {number, text}}};
  if (type == "vector") return list_of(single, variants);
  if (type == "formulas") return list_of({{"anyOf", {number, text}}}, variants);
  if (type == "texts") return list_of(text, variants);
  if (type == "rows") {
    const Json pair{{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}, {"maxItems", 2}};
    return {{"anyOf", {Json{{"type", "array"}, {"items", pair}, {"minItems", 1}}, text}}};
  }
  if (type == "points") {
    const Json point{{"type", "array"}, {"items", single}, {"minItems", 2}, {"maxItems", 3}};
    return {{"type", "array"}, {"items", point}, {"minItems", 1}};
  }
  if (type == "literals") {
    const Json plain = {"number", "string", "boolean"};
    const Json item{{"anyOf", {{{"type", plain}}, {{"type", "array"}, {"items", {{"type", plain}}}}}}};
    return {{"type", "array"}, {"items", item}, {"minItems", 1}};
  }
  if (type == "region") return text;
  if (type == "choice") {
    Json names = Json::array();
    for (const CaseQuestion& question : variants)
      for (const std::string& choice : question.limits.choices)
        if (std::find(names.begin(), names.end(), Json(choice)) == names.end()) names.push_back(choice);
    const bool open = with_plugin && std::ranges::any_of(variants, [](const CaseQuestion& q) { return q.limits.open; });
    return open ? Json{{"anyOf", {Json{{"enum", names}}, text}}} : Json{{"enum", names}};
  }
  const bool may_be_empty = std::ranges::any_of(
      variants, [](const CaseQuestion& q) { return q.limits.may_be_empty || q.fallback == "\"\""; });
  return may_be_empty ? Json{{"type", "string"}} : text;  // text, path
}

// The schema of what a survey found.
using Descriptions = std::map<std::string, std::string>;  // of paths

class SchemaWriter {
 public:
  // with_plugin: what a plugin may bring is allowed.
  SchemaWriter(const Questions& questions, const Descriptions& descriptions, bool with_plugin)
      : questions_(questions), descriptions_(descriptions), with_plugin_(with_plugin) {}

  Json schema_of(const std::string& table) const {
    Json json{{"type", "object"}, {"properties", Json::object()}};
    Json needed = Json::array(), others = false;
    const bool open = with_plugin_ && questions_.is_open(table.empty() ? "*" : table + ".*");
    for (const std::string& path : questions_.paths()) {
      if (parent_of(path) != table) continue;
      const CaseQuestion& first = questions_.variants(path).front();
      if (first.type == "open") continue;
      if (first.type == tables_of_the_root) {
        add_tables_of_the_root(first.limits.choices, json["properties"]);
        continue;
      }
      if (name_of(path) == "*") others = schema_at(path);
      else json["properties"][name_of(path)] = schema_at(path);
      if (name_of(path) != "*" && !open && questions_.is_required(path, with_plugin_)) needed.push_back(name_of(path));
    }
    if (!needed.empty()) json["required"] = needed;
    if (!open) json["additionalProperties"] = others;
    return json;
  }

 private:
  void add_tables_of_the_root(const std::vector<std::string>& without, Json& properties) const {
    for (const std::string& path : questions_.paths())
      if (parent_of(path).empty() && is_table(questions_.variants(path).front()) && !properties.contains(path) &&
          std::ranges::find(without, path) == without.end())
        properties[path] = {{"$ref", "#/properties/" + path}};
  }

  Json schema_at(const std::string& path) const {
    const std::vector<CaseQuestion>& variants = questions_.variants(path);
    Json json{{"description", descriptions_.at(path)}};
    const CaseQuestion& first = variants.front();
    if (is_table(first)) {
      const bool named = std::ranges::any_of(questions_.paths(),
                                             [&](const std::string& other) { return parent_of(other) == path + ".*"; });
      if (first.type == "tables" && named) {
        json.update(Json{{"type", "object"}, {"additionalProperties", schema_of(path + ".*")}});
      } else if (first.type == "tables") {
        json.update(Json{{"type", "array"}, {"items", schema_of(path + "[]")}});
        if (first.limits.minimum) json["minItems"] = static_cast<int>(*first.limits.minimum);
      } else {
        json.update(schema_of(path));
      }
      return json;
    }
    std::vector<std::string> types;
    for (const CaseQuestion& question : variants)
      if (std::ranges::find(types, question.type) == types.end()) types.push_back(question.type);
    Json any = Json::array();
    for (const std::string& type : types) {
      std::vector<CaseQuestion> same;
      std::ranges::copy_if(variants, std::back_inserter(same), [&](const CaseQuestion& q) { return q.type == type; });
      any.push_back(value_of(type, same, with_plugin_));
    }
    if (any.size() == 1) json.update(any[0]);
    else json["anyOf"] = any;
    const bool same_default =
        std::ranges::all_of(variants, [&](const CaseQuestion& q) { return q.fallback == first.fallback; });
    if (const Json fallback = Json::parse(first.fallback, nullptr, false);
        same_default && !first.fallback.empty() && !fallback.is_discarded())
      json["default"] = fallback;
    return json;
  }

  const Questions& questions_;
  const Descriptions& descriptions_;
  bool with_plugin_;
};

// The whole: with what a plugin may bring, and what holds without one.
Json schema_of(const Survey& survey) {
  Descriptions descriptions;
  for (const std::string& path : survey.questions().paths()) descriptions.emplace(path, description_of(survey, path));
  Json json = SchemaWriter(survey.questions(), descriptions, true).schema_of("");
  const Json strict = SchemaWriter(survey.questions(), descriptions, false).schema_of("");
  if (json == strict) return json;
  Json without{{"properties", Json::object()}};
  for (const auto& [name, value] : strict["properties"].items())
    if (value != json["properties"][name]) without["properties"][name] = value;
  if (strict.contains("required")) without["required"] = strict["required"];
  json["if"] = {{"properties", {{"plugin", {{"maxLength", 0}}}}}};  // holds when there is none, too
  json["then"] = without;
  return json;
}

}  // namespace

std::string case_schema(const SchemaTitle& title, int mesh_count, const CaseReader& read) {
  const Survey survey(mesh_count, read);
  Json json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", fmt::format("Case files of {}", title.program)},
            {"description", title.description}};
  json.update(schema_of(survey));
  return json.dump(2) + "\n";
}

}  // namespace ritz
