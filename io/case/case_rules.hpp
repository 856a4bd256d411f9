// Words and checks that the questions of a case share. Private to io.
#pragma once

#include "io/case/case_data.hpp"

#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

namespace ritz {

inline CaseValue value_of(double number) { return {.kind = CaseValue::Kind::number, .number = number}; }
inline CaseValue value_of(std::int64_t integer) { return {.kind = CaseValue::Kind::integer, .integer = integer}; }
inline CaseValue value_of(bool flag) { return {.kind = CaseValue::Kind::flag, .flag = flag}; }
inline CaseValue value_of(const std::string& text) { return {.kind = CaseValue::Kind::text, .text = text}; }

template <class T>
inline CaseValue value_of(const std::vector<T>& list) {
  CaseValue array{.kind = CaseValue::Kind::array};
  for (const T& entry : list) array.items.push_back(value_of(entry));
  return array;
}

template <class T>
std::string fallback_text(const std::optional<T>& fallback) {
  return fallback ? inline_text(value_of(*fallback)) : std::string();
}

// "above 0 and at most 1"; empty without bounds.
template <class Rule>
std::string bounds_text(const Rule& rule) {
  std::string text;
  const auto add = [&](const char* words, const auto& bound) {
    if (bound) text += fmt::format("{}{} {}", text.empty() ? "" : " and ", words, *bound);
  };
  if constexpr (requires { rule.above; }) add("above", rule.above);
  add("at least", rule.minimum);
  if constexpr (requires { rule.below; }) add("below", rule.below);
  add("at most", rule.maximum);
  return text;
}

inline std::string with_bounds(const std::string& noun, const std::string& bounds) {
  return bounds.empty() ? noun : noun + " " + bounds;
}

template <class Rule, class T>
bool is_within(const Rule& rule, T value) {
  bool within = (!rule.minimum || value >= *rule.minimum) && (!rule.maximum || value <= *rule.maximum);
  if constexpr (requires { rule.above; }) within = within && (!rule.above || value > *rule.above);
  if constexpr (requires { rule.below; }) within = within && (!rule.below || value < *rule.below);
  return within;
}

template <class Rule>
CaseLimits limits_of(const Rule& rule) {
  CaseLimits limits;
  const auto number = [](const auto& bound) {
    return bound ? std::optional<double>(static_cast<double>(*bound)) : std::nullopt;
  };
  limits.minimum = number(rule.minimum);
  limits.maximum = number(rule.maximum);
  if constexpr (requires { rule.above; }) limits.above = rule.above;
  if constexpr (requires { rule.below; }) limits.below = rule.below;
  if constexpr (requires { rule.size; }) limits.size = rule.size;
  return limits;
}

// A value inside the bounds, so that a reading that continues after an error meets no second one.
template <class Rule>
double harmless_number(const Rule& rule) {
  const std::optional<double> low = rule.above ? rule.above : rule.minimum;
  const std::optional<double> high = rule.below ? rule.below : rule.maximum;
  if (low && high) return 0.5 * (*low + *high);
  return low ? *low + 1 : high ? *high - 1 : 1;
}

inline std::optional<double> finite_number(const CaseValue& value) {
  if (value.kind == CaseValue::Kind::integer) return static_cast<double>(value.integer);
  if (value.kind == CaseValue::Kind::number && std::isfinite(value.number)) return value.number;
  return std::nullopt;
}

inline std::string count_text(int size, const char* one, const char* many) {
  return size == 0   ? fmt::format("a list of {}", many)
         : size == 1 ? fmt::format("one {}", one)
                     : fmt::format("a list of {} {}", size, many);
}

}  // namespace ritz
