// The only file that knows toml++.
#include "io/case_value.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <charconv>

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

// What stands behind the "=" of an override; anything that is no TOML value is a text.
CaseValue parse_value(std::string_view text, const std::string& source) {
  CaseValue value{.kind = CaseValue::Kind::text, .text = std::string(text)};
  const bool may_be_toml = text.find('\n') == std::string_view::npos && text.find('#') == std::string_view::npos;
  if (may_be_toml) try {
      const toml::table parsed = toml::parse(fmt::format("value = {}", text));
      value = converted(*parsed.get("value"), source);
    } catch (const toml::parse_error&) {
      // a bare word
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
