// The typed questions. Each finds its value, checks type and range, and falls back or reports.
#include "io/case/case_rules.hpp"
#include "io/files/input_file.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

namespace ritz {
namespace {

using Kind = CaseValue::Kind;

}  // namespace

double Case::Table::number(std::string_view key, std::string_view about, const NumberRule& rule) const {
  const std::string bounds = bounds_text(rule);
  ask(key, "number", about, fallback_text(rule.fallback), bounds, limits_of(rule));
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  const std::string expected = with_bounds("a number", bounds);
  if (!answer.read_units()) return rule.fallback.value_or(harmless_number(rule));
  if (answer.value() != nullptr) {
    const std::optional<double> number = finite_number(*answer.value());
    if (number && is_within(rule, *number)) return *number;
    answer.wrong(expected, number ? rule.out_of_bounds : ErrorKind::wrong_value);
  } else if (rule.fallback) {
    answer.use_fallback(value_of(*rule.fallback));
  } else {
    answer.missing("<" + expected + ">", where());
  }
  return rule.fallback.value_or(harmless_number(rule));
}

std::int64_t Case::Table::integer(std::string_view key, std::string_view about, const IntegerRule& rule) const {
  const std::string bounds = bounds_text(rule);
  ask(key, "integer", about, fallback_text(rule.fallback), bounds, limits_of(rule));
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  const std::string expected = with_bounds("a whole number", bounds);
  if (answer.value() != nullptr) {
    if (answer.value()->kind == Kind::integer && is_within(rule, answer.value()->integer))
      return answer.value()->integer;
    answer.wrong(expected);
  } else if (rule.fallback) {
    answer.use_fallback(value_of(*rule.fallback));
  } else {
    answer.missing("<" + expected + ">", where());
  }
  return rule.fallback.value_or(rule.minimum ? *rule.minimum : rule.maximum ? *rule.maximum : 1);
}

std::string Case::Table::text(std::string_view key, std::string_view about, const TextRule& rule) const {
  ask(key, "text", about, fallback_text(rule.fallback), rule.may_be_empty ? "" : "not empty",
      {.may_be_empty = rule.may_be_empty});
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  if (answer.value() != nullptr) {
    if (answer.value()->kind == Kind::text && (rule.may_be_empty || !answer.value()->text.empty()))
      return answer.value()->text;
    answer.wrong(rule.may_be_empty ? "a text" : "a text that is not empty");
  } else if (rule.fallback) {
    answer.use_fallback(value_of(*rule.fallback));
  } else {
    answer.missing("\"<text>\"", where());
  }
  return rule.fallback.value_or("");
}

std::string Case::Table::choice(std::string_view key, std::string_view about, const std::vector<std::string>& allowed,
                                std::optional<std::string> fallback) const {
  const std::string names = quoted_list(allowed);
  ask(key, "choice", about, fallback_text(fallback), names, {.choices = allowed});
  if (data_->survey && !allowed.empty()) {
    std::vector<std::string> options = allowed;
    const auto usual = std::find(options.begin(), options.end(), fallback.value_or(allowed.front()));
    if (usual != options.end()) std::rotate(options.begin(), usual, usual + 1);
    return data_->decide(schema_key(key), std::move(options));
  }
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  if (answer.value() != nullptr) {
    const CaseValue& value = *answer.value();
    if (value.kind == Kind::text && std::find(allowed.begin(), allowed.end(), value.text) != allowed.end())
      return value.text;
    const std::string near = value.kind == Kind::text ? nearest_match(value.text, allowed) : std::string();
    answer.wrong(fmt::format("one of {}{}", names, near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
    if (!near.empty()) return near;  // the other keys are judged by the intended choice
  } else if (fallback) {
    answer.use_fallback(value_of(*fallback));
  } else {
    answer.missing(fmt::format("<one of {}>", names), where());
  }
  return fallback.value_or(allowed.empty() ? "" : allowed.front());
}

std::optional<std::string> Case::Table::kind(std::string_view key, std::string_view about,
                                             const std::vector<std::string>& allowed,
                                             std::optional<std::string> fallback) const {
  const std::string name = choice(key, about, allowed, fallback);
  if (data_->survey) return name;
  const CaseMember* const given = value_->find(key);
  if (given == nullptr ? fallback.has_value()
                       : given->value.kind == Kind::text &&
                             (given->value.text == name || nearest_match(given->value.text, allowed) == name))
    return name;
  excuse();
  return std::nullopt;
}

void Case::Table::excuse() const {
  if (value_ != nullptr) mark_asked(*value_);
}

bool Case::Table::flag(std::string_view key, std::string_view about, std::optional<bool> fallback) const {
  ask(key, "flag", about, fallback_text(fallback), "true or false");
  if (data_->survey) {
    const bool usual = fallback.value_or(false);
    return data_->decide(schema_key(key), usual ? std::vector<std::string>{"true", "false"}
                                                : std::vector<std::string>{"false", "true"}) == "true";
  }
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  if (answer.value() != nullptr) {
    if (answer.value()->kind == Kind::flag) return answer.value()->flag;
    answer.wrong("true or false");
  } else if (fallback) {
    answer.use_fallback(value_of(*fallback));
  } else {
    answer.missing("<true or false>", where());
  }
  return fallback.value_or(false);
}

std::vector<double> Case::Table::vector(std::string_view key, std::string_view about, const VectorRule& rule) const {
  const std::string bounds = bounds_text(rule);
  const std::string expected = with_bounds(count_text(rule.size, "number", "numbers"), bounds);
  ask(key, "vector", about, fallback_text(rule.fallback), expected, limits_of(rule));
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  const std::vector<double> harmless(static_cast<std::size_t>(std::max(rule.size, 1)), harmless_number(rule));
  if (answer.value() == nullptr) {
    if (rule.fallback) answer.use_fallback(value_of(*rule.fallback));
    else answer.missing("<" + expected + ">", where());
    return rule.fallback.value_or(harmless);
  }
  if (!answer.read_units()) return rule.fallback.value_or(harmless);
  std::vector<double> result;
  const CaseValue& given = *answer.value();
  const std::span<const CaseValue> items = given.kind == Kind::array ? std::span(given.items) : std::span(&given, 1);
  bool valid = !items.empty() && (rule.size == 0 || static_cast<int>(items.size()) == rule.size);
  if (!valid) answer.wrong(expected);
  for (const CaseValue& item : items) {
    const std::optional<double> number = finite_number(item);
    if (number && is_within(rule, *number)) {
      result.push_back(*number);
      continue;
    }
    if (valid) answer.wrong(expected, item);
    valid = false;
  }
  return valid ? result : rule.fallback.value_or(harmless);
}

std::vector<std::string> Case::Table::texts(std::string_view key, std::string_view about,
                                            std::optional<std::vector<std::string>> fallback) const {
  ask(key, "texts", about, fallback_text(fallback), "a text or a list of texts");
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  if (answer.value() == nullptr) {
    if (fallback) answer.use_fallback(value_of(*fallback));
    else answer.missing("\"<text>\"", where());
    return fallback.value_or(std::vector<std::string>{});
  }
  std::vector<std::string> result;
  const CaseValue& given = *answer.value();
  const std::span<const CaseValue> items = given.kind == Kind::array ? std::span(given.items) : std::span(&given, 1);
  for (const CaseValue& item : items) {
    if (item.kind == Kind::text && !item.text.empty()) result.push_back(item.text);
    else answer.wrong("a text or a list of texts", item);
  }
  return result;
}

std::vector<std::string> Case::Table::literals(std::string_view key, std::string_view about) const {
  ask(key, "literals", about, "[]", "a list of values");
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  std::vector<std::string> result;
  if (answer.value() == nullptr) {
    answer.use_fallback({.kind = Kind::array});
    return result;
  }
  if (answer.value()->kind != Kind::array || answer.value()->items.empty()) {
    answer.wrong("a list of values, such as [1, 2, 5]");
    return result;
  }
  for (const CaseValue& item : answer.value()->items) result.push_back(inline_text(item));
  return result;
}

std::string Case::Table::expression(std::string_view key, std::string_view about, const TextRule& rule) const {
  ask(key, "expression", about, fallback_text(rule.fallback), "a number or a text");
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  if (answer.value() != nullptr) {
    const CaseValue& value = *answer.value();
    if (value.kind == Kind::text && !value.text.empty()) return value.text;
    if (const std::optional<double> number = finite_number(value)) return fmt::format("{}", *number);
    answer.wrong("a number, or a text in quotes");
  } else if (rule.fallback) {
    answer.use_fallback(value_of(*rule.fallback));
  } else {
    answer.missing("<a number or a text in quotes>", where());
  }
  return rule.fallback.value_or("0");
}

std::string Case::Table::path(std::string_view key, std::string_view about, const PathRule& rule) const {
  ask(key, "path", about, fallback_text(rule.fallback), rule.must_exist ? "a file that exists" : "a file name");
  const CaseAnswer answer(*data_, *value_, key, full_path(key), about);
  const auto beside_case = [this](const std::string& name) {
    if (name.empty()) return name;
    return (std::filesystem::path(data_->path).parent_path() / name).lexically_normal().string();
  };
  if (answer.value() == nullptr) {
    CaseValue fallback = value_of(rule.fallback.value_or(""));
    fallback.is_path = true;
    if (rule.fallback) answer.use_fallback(std::move(fallback));
    else answer.missing("\"<file name>\"", where());
    return beside_case(rule.fallback.value_or(""));
  }
  answer.value()->is_path = answer.value()->kind == Kind::text;
  if (answer.value()->kind == Kind::text && answer.value()->text.empty() && rule.fallback == "") return {};
  if (answer.value()->kind != Kind::text || answer.value()->text.empty()) {
    answer.wrong("a file name in quotes");
    return beside_case(rule.fallback.value_or(""));
  }
  const std::string path = beside_case(answer.value()->text);
  try {
    require_inside(path);
  } catch (const Error& error) {
    answer.wrong_text(error.kind(), fmt::format("{} ({})", error.message(), full_path(key)), error.why(), error.fix());
    return path;
  }
  if (const std::string lack = rule.must_exist ? lack_of_input(path) : ""; !lack.empty())
    answer.wrong_text(
        ErrorKind::file_missing, fmt::format("'{}' names the file '{}', which {},", full_path(key), path, lack),
        fmt::format("{}: {}", key, about), "check the name; relative names start at the folder of the case file");
  if (std::error_code ignored; std::filesystem::is_regular_file(path, ignored)) data_->files.insert(path);
  return path;
}

}  // namespace ritz
