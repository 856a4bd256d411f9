// `ritz element check NAME` and `ritz element list`: forms and reference elements by name, those of a plugin too.
#pragma once

#include "fem/plugins/element_check.hpp"

#include <string>
#include <vector>

namespace ritz {

struct ElementCommand {
  std::string name, plugin, device = "auto";
  std::vector<std::string> parameters;  // "conductivity=3"
  double amplitude = 0.1;
};

struct ElementReport {
  std::string name, what;  // "form", "reference element"
  std::vector<CheckResult> results;
  std::vector<std::string> notes;  // parameters that were tried, checks that were omitted
  bool passed() const { return all_passed(results); }
};

// Throws Error: Exit::input for unknown names and parameters, and what load_plugin throws.
ElementReport check_named(const ElementCommand& command);
std::string list_elements(const ElementCommand& command);
std::string text_of(const ElementReport& report);
std::string json_of(const ElementReport& report);

}  // namespace ritz
