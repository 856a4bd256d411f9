// The only file that knows toml++.
#include "io/case_value.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <charconv>

// What toml++ takes for granted is not always so: [!a] ends its assert, or, without asserts, in undefined behaviour (found by
// tests/fuzz). Its doubts end the parsing instead.
#include <stdexcept>
namespace ritz {
[[noreturn]] inline void toml_doubt() { throw std::domain_error("this is no key and no value"); }
}  // namespace ritz
#define TOML_ASSERT(expression) ((expression) ? static_cast<void>(0) : ::ritz::toml_doubt())
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <fmt/core.h>

namespace ritz {
namespace {

CasePlace place_of(const toml::source_region& region, const std::string& name) {
  return {name, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

CaseValue converted(const toml::node& node, const std::string& name) {
  CaseValue value;
  value.place = place_of(node.source(), name);
  switch (node.type()) {
    case toml::node_type::string:
      value.kind = CaseValue::Kind::text;
      value.text = **node.as_string();
      break;
    case toml::node_type::integer:
      value.kind = CaseValue::Kind::integer;
      value.integer = **node.as_integer();
      break;
    case toml::node_type::floating_point:
      value.kind = CaseValue::Kind::number;
      value.number = **node.as_floating_point();
      break;
    case toml::node_type::boolean:
      value.kind = CaseValue::Kind::flag;
      value.flag = **node.as_boolean();
      break;
    case toml::node_type::array:
      value.kind = CaseValue::Kind::array;
      for (const toml::node& item : *node.as_array()) value.items.push_back(converted(item, name));
      break;
    case toml::node_type::table: {
      value.kind = CaseValue::Kind::table;
      for (const auto& [key, item] : *node.as_table()) {
        value.add(key.str(), converted(item, name));
        value.members.back().place = place_of(key.source(), name);
      }
      // toml++ sorts by key; people expect the order of their file.
      value.members.sort([](const CaseMember& a, const CaseMember& b) {
        return a.place.line != b.place.line ? a.place.line < b.place.line : a.place.column < b.place.column;
      });
      break;
    }
    default: value.kind = CaseValue::Kind::date; break;
  }
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t dot = std::min(path.find('.', start), path.size());
    parts.emplace_back(trimmed(path.substr(start, dot - start)));
    start = dot + 1;
  }
  return parts;
}

bool is_number(const std::string& part) {
  return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Outside of quotes and comments TOML is ASCII. toml++ 3.3 runs into undefined behaviour at some other characters there (its table
// of blanks has a hole), so they do not come so far.
std::size_t foreign_character(std::string_view text) {
  std::size_t i = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  while (i < text.size()) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x80) return i;
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '"' || c == '\'') {
      const std::string three(3, c);
      const bool many_lines = text.substr(i).starts_with(three);
      for (i += many_lines ? 3 : 1; i < text.size(); ++i) {
        if (c == '"' && text[i] == '\\') ++i;
        else if (!many_lines && (text[i] == c || text[i] == '\n')) break;
        else if (many_lines && text.substr(i).starts_with(three)) break;
      }
      i += many_lines ? 3 : 1;
    } else {
      ++i;
    }
  }
  return std::string_view::npos;
}

void refuse_foreign_characters(std::string_view text, const std::string& name) {
  const std::size_t at = foreign_character(text);
  if (at == std::string_view::npos) return;
  const std::string_view before = text.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t column = at - (before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1) + 1;
  std::size_t size = 1;
  while (at + size < text.size() && (static_cast<unsigned char>(text[at + size]) & 0xc0) == 0x80) ++size;
  throw Error(Exit::input, fmt::format("'{}' outside of quotes at {}:{}:{}", text.substr(at, size), name, line, column), "the case file is not valid TOML",
              "write names with such letters in quotes, \"...\"; a blank may be one of another kind, copied from a document");
}

// What stands behind the "=" of an override; anything that is no TOML value is a text.
CaseValue parse_value(std::string_view text, const std::string& source) {
  CaseValue value{.kind = CaseValue::Kind::text, .text = std::string(text)};
  const bool may_be_toml = text.find('\n') == std::string_view::npos && text.find('#') == std::string_view::npos && foreign_character(text) == std::string_view::npos;
  if (may_be_toml) try {
      const toml::table parsed = toml::parse(fmt::format("value = {}", text));
      value = converted(*parsed.get("value"), source);
    } catch (const toml::parse_error&) {
      // a bare word
    } catch (const std::domain_error&) {
      // the same
    }
  return value;
}

void set_source(CaseValue& value, const CasePlace& place) {
  value.place = place;
  for (CaseValue& item : value.items) set_source(item, place);
  for (CaseMember& member : value.members) {
    member.place = place;
    set_source(member.value, place);
  }
}

// The value under `part`, made when it is not there; `next` is empty for the last part.
CaseValue& step_into(CaseValue& value, const std::string& part, const std::string& next, const std::string& source) {
  if (value.kind == CaseValue::Kind::array) {
    std::size_t index = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    if (!is_number(part) || error != std::errc{} || index >= value.items.size())
      throw Error(Exit::input, fmt::format("there is no entry '{}' at {}", part, source),
                  fmt::format("there are {} entries, numbered from 0", value.items.size()));
    return value.items[index];
  }
  if (value.kind != CaseValue::Kind::table)
    throw Error(Exit::input, fmt::format("there is no key '{}' at {}", part, source),
                fmt::format("what stands before the dot is {}, not a table", described(value)));
  if (CaseMember* member = value.find(part)) return member->value;
  CaseValue made;
  made.place.source = source;
  if (is_number(next)) {
    made.kind = CaseValue::Kind::array;
    if (next == "0") made.items.push_back(CaseValue{.place = {source, 0, 0}});
  }
  return value.add(part, std::move(made));
}

}  // namespace

CaseValue parse_case(std::string_view text, const std::string& name) {
  refuse_foreign_characters(text, name);
  try {
    const toml::table table = toml::parse(text, std::string_view(name));
    CaseValue root = converted(table, name);
    root.place = {name, 0, 0};
    return root;
  } catch (const toml::parse_error& error) {
    const CasePlace place = place_of(error.source(), name);
    const std::string what(error.description());
    const bool twice = what.find("redefine") != std::string::npos;
    throw Error(Exit::input, fmt::format("{} at {}", what, place.text()),
                twice ? "each key and each table may be given once" : "the case file is not valid TOML",
                twice ? "remove one of the two; tables that may repeat are written with two brackets, [[material]]"
                      : "see toml.io; texts need quotes, numbers a point instead of a comma");
  } catch (const std::domain_error& doubt) {
    throw Error(Exit::input, fmt::format("{} in '{}'", doubt.what(), name), "the case file is not valid TOML", "look for a key or a [table] with other characters than letters, digits, _ and -");
  }
}

void apply_override(CaseValue& root, const std::string& text) {
  const std::string source = fmt::format("override '{}'", text);
  const std::size_t equals = text.find('=');
  const std::vector<std::string> parts = split_path(trimmed(std::string_view(text).substr(0, std::min(equals, text.size()))));
  if (equals == std::string::npos || std::find(parts.begin(), parts.end(), "") != parts.end())
    throw Error(Exit::input, fmt::format("cannot understand {}", source), "an override is a key, = and a value",
                "write it like solver.method=cg or material.0.young=1e9");
  CaseValue* value = &root;
  for (std::size_t i = 0; i < parts.size(); ++i)
    value = &step_into(*value, parts[i], i + 1 < parts.size() ? parts[i + 1] : std::string(), source);
  *value = parse_value(trimmed(std::string_view(text).substr(equals + 1)), source);
  set_source(*value, {source, 0, 0});
}

}  // namespace ritz
