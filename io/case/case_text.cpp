// The case as text: resolved values and the schema.
#include "io/case/case_data.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/format.h>

namespace ritz {
namespace {

using Kind = CaseValue::Kind;

std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? std::string(key) : ritz::quoted(key);
}

bool has_own_header(const CaseValue& value) { return value.kind == Kind::table || value.is_array_of_tables(); }

bool is_empty_fallback(const CaseValue& value) {
  return value.implicit && value.kind == Kind::table &&
         std::all_of(value.members.begin(), value.members.end(),
                     [](const CaseMember& member) { return is_empty_fallback(member.value); });
}

// The name of a file, which holds from `from` on, as it is called from `to`. A link stays the name that was given.
std::string moved_path(const std::string& text, const std::filesystem::path& from, const std::filesystem::path& to) {
  const std::filesystem::path path(text);
  if (text.empty() || path.is_absolute()) return text;
  std::error_code status;
  const std::filesystem::path folder =
      std::filesystem::weakly_canonical(std::filesystem::absolute(from / path).parent_path(), status);
  const std::filesystem::path target =
      status ? folder : std::filesystem::weakly_canonical(std::filesystem::absolute(to), status);
  if (status) return std::filesystem::absolute(from / path).string();
  return (folder.lexically_relative(target) / path.filename()).generic_string();
}

class ResolvedWriter {
 public:
  ResolvedWriter(std::filesystem::path from, std::filesystem::path to) : from_(std::move(from)), to_(std::move(to)) {}

  // Plain keys first: after a [table] they would belong to it.
  void write(const CaseValue& table, const std::string& path) {
    for (const CaseMember& member : table.members)
      if (!has_own_header(member.value) && is_said(table, member))
        text += fmt::format("{} = {}\n", key_text(member.key),
                            member.value.is_path ? ritz::quoted(moved(member.value.text)) : inline_text(member.value));
    for (const CaseMember& member : table.members) {
      if (!has_own_header(member.value) || is_empty_fallback(member.value)) continue;
      const std::string name = path.empty() ? key_text(member.key) : path + "." + key_text(member.key);
      if (member.value.kind == Kind::table) {
        text += fmt::format("\n[{}]\n", name);
        write(member.value, name);
      }
      for (const CaseValue& item : member.value.items) {
        text += fmt::format("\n[[{}]]\n", name);
        write(item, name);
      }
    }
  }

  std::string text;

 private:
  static bool is_said(const CaseValue& table, const CaseMember& member) {
    return !member.value.implicit || std::ranges::find(table.looked_for, member.key) == table.looked_for.end();
  }
  std::string moved(const std::string& name) const { return to_.empty() ? name : moved_path(name, from_, to_); }

  std::filesystem::path from_, to_;
};

struct Key {
  std::string table, name;
};

Key split(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? Key{"", path} : Key{path.substr(0, dot), path.substr(dot + 1)};
}

// "material[]" -> "[[material]]", "material.*" -> "[material.<name>]".
std::string header(std::string table) {
  const bool repeated = table.ends_with("[]");
  for (std::size_t at; (at = table.find("[]")) != std::string::npos;) table.erase(at, 2);
  for (std::size_t at; (at = table.find(".*")) != std::string::npos;) table.replace(at, 2, ".<name>");
  return repeated ? "[[" + table + "]]" : "[" + table + "]";
}

std::string about_table(const std::vector<CaseQuestion>& questions, std::string table) {
  if (table.ends_with("[]") || table.ends_with(".*")) table.resize(table.size() - 2);
  for (const CaseQuestion& question : questions)
    if (question.path == table) return question.about;
  return {};
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < ' ' || c == 127) result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else result += c;
  }
  return result + '"';
}

std::string inline_text(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";  // e: exponent, n: nan and inf
  return text;
}

std::string inline_text(const CaseValue& value) {
  std::string text;
  switch (value.kind) {
    case Kind::text: return ritz::quoted(value.text);
    case Kind::integer: return fmt::format("{}", value.integer);
    case Kind::number: return inline_text(value.number);
    case Kind::flag: return value.flag ? "true" : "false";
    case Kind::array:
      for (const CaseValue& item : value.items) text += (text.empty() ? "" : ", ") + inline_text(item);
      return "[" + text + "]";
    case Kind::table:
      for (const CaseMember& member : value.members)
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key_text(member.key), inline_text(member.value));
      return "{" + text + "}";
    case Kind::date: break;
  }
  return "\"a date or time\"";
}

std::string described(const CaseValue& value) {
  switch (value.kind) {
    case Kind::text: return value.text.empty() ? "an empty text" : fmt::format("the text '{}'", value.text);
    case Kind::integer: return fmt::format("{}", value.integer);
    case Kind::number: return fmt::format("{}", value.number);
    case Kind::flag: return value.flag ? "true" : "false";
    case Kind::array:
      return value.is_array_of_tables() ? fmt::format("a list of {} tables", value.items.size())
             : value.items.empty()      ? "an empty list"
                                        : "the list " + inline_text(value);
    case Kind::table: return "a table";
    case Kind::date: return "a date or time";
  }
  return {};
}

std::string Case::resolved(const std::string& folder) const {
  ResolvedWriter writer(std::filesystem::path(data_->path).parent_path(), folder);
  writer.write(data_->root, "");
  return std::move(writer.text);
}

std::string Case::describe() const {
  std::vector<std::string> tables{""};
  for (const CaseQuestion& question : data_->questions) {
    const std::string table = split(question.path).table;
    if (question.type != "table" && question.type != "tables" &&
        std::find(tables.begin(), tables.end(), table) == tables.end())
      tables.push_back(table);
  }
  std::string text;
  for (const std::string& table : tables) {
    if (!table.empty()) text += fmt::format("\n{}  # {}\n", header(table), about_table(data_->questions, table));
    for (const CaseQuestion& question : data_->questions) {
      if (question.type == "table" || question.type == "tables" || split(question.path).table != table) continue;
      const std::string name = split(question.path).name;
      text += fmt::format("{}{} = {}  # {}; {}{}{}\n", question.fallback.empty() ? "" : "# ", name,
                          question.fallback.empty() ? "<required>" : question.fallback, question.about, question.type,
                          question.allowed.empty() ? "" : ", ", question.allowed);
    }
  }
  for (const CaseQuestion& question : data_->questions) {  // tables that do not exist were not asked further
    const std::string table = question.path + (question.type == "tables" ? "[]" : "");
    const bool is_table = question.type == "table" || question.type == "tables";
    const bool has_keys = std::ranges::any_of(
        data_->questions, [&](const CaseQuestion& other) { return other.path.starts_with(table + "."); });
    const bool named = std::ranges::any_of(
        data_->questions, [&](const CaseQuestion& other) { return other.path.starts_with(question.path + ".*"); });
    if (is_table && !has_keys && !named && !question.about.empty())
      text += fmt::format("\n# {}  # {}\n", header(table), question.about);
  }
  return text;
}

}  // namespace ritz
