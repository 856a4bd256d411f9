#include "io/results/error_catalogue.hpp"

#include <cctype>
#include <regex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

// In a pattern, * stands for any text.
bool fits(std::string_view text, std::string_view pattern) {
  std::size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string capitalised(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace

const ErrorKind& kind_of(const Error& error) {
  const bool stopped = static_cast<int>(error.exit()) >= static_cast<int>(Exit::stopped);  // 75, 124, 128 + signal
  const std::string with_why = error.message() + "\n" + error.why();
  for (const ErrorKind& kind : error_catalogue()) {
    if (kind.exit != (stopped ? Exit::stopped : error.exit())) continue;
    for (const char* pattern : kind.patterns)
      if (fits(std::string_view(pattern).find('\n') == std::string_view::npos ? error.message() : with_why, pattern))
        return kind;
  }
  return error_catalogue().front();
}

ErrorParts parts_of(const Error& error) {
  ErrorParts parts;
  const std::string& text = error.message();
  static const std::regex value("^'([^']*)' is (.*) at ([^ ].*)$"), place(".*[ ]at ([^ ]+:[0-9]+(:[0-9]+)?)[,;]?.*");
  if (text.size() > 2000) return parts;  // std::regex is recursive
  static const std::regex asked("^(?:unknown|missing) (?:key|table) '([^']*)' (?:at|in) (.*)$");
  std::smatch found;
  if (std::regex_match(text, found, asked)) return {found[1], {}, found[2]};
  if (std::regex_match(text, found, value)) return {found[1], found[2], found[3]};
  if (std::regex_match(text, found, place)) parts.place = found[1];
  return parts;
}

std::string catalogue_as_markdown() {
  std::string text =
      "# Errors and exit codes\n\n"
      "Reference: all kinds of errors with exit code, reason and remedy. Printed by `ritz errors` from\n"
      "`io/results/error_kinds.cpp`; not edited by hand. Every message has the form\n\n"
      "    error: <what is wrong, with the value> at <file>:<line> or <object>\n"
      "      why: <the reason>\n"
      "      fix: <what to do, with valid names and the nearest match>\n\n"
      "The report (`--json`) and the log (`--log-json`) name the kind: `\"kind\": \"unknown-key\"`. Kinds and exit "
      "codes "
      "are\nstable, sentences are not. In messages, * stands for names and numbers; a lone * stands for all other "
      "messages of\nthe exit code.\n";
  static const std::pair<Exit, const char*> headers[] = {
      {Exit::internal, "1: internal error"},
      {Exit::input, "2: command line or case file"},
      {Exit::mesh, "3: mesh file or geometry"},
      {Exit::model, "4: model not well posed"},
      {Exit::not_converged, "5: not converged"},
      {Exit::resources, "6: out of resources"},
      {Exit::output, "7: output or checkpoint I/O"},
      {Exit::environment, "8: GPU, driver or environment"},
      {Exit::checkpoint, "9: checkpoint or journal unusable"},
      {Exit::stopped, "75 with a checkpoint; else 124 (time limit), 129, 130, 143 (signals)"}};
  for (const auto& [exit, header] : headers) {
    text += fmt::format("\n## Exit code {}\n", header);
    for (const ErrorKind& kind : error_catalogue()) {
      if (kind.exit != exit) continue;
      std::string sentences;
      for (std::string pattern : kind.patterns) {
        for (std::size_t at; (at = pattern.find('\n')) != std::string::npos;) pattern.replace(at, 1, " why: ");
        sentences += fmt::format("{}`{}`", sentences.empty() ? "" : ", ", pattern);
      }
      text += fmt::format("\n### {}\n\n{}.\n\n", kind.name, capitalised(kind.what));
      if (*kind.why != '\0') text += fmt::format("- Reason: {}.\n", kind.why);
      text += fmt::format("- Remedy: {}.\n- Messages: {}\n", kind.remedy, sentences);
    }
  }
  return text;
}

std::string catalogue_as_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ErrorKind& kind : error_catalogue())
    list.push_back({{"kind", kind.name},
                    {"exit_code", static_cast<int>(kind.exit)},
                    {"what", kind.what},
                    {"why", kind.why},
                    {"remedy", kind.remedy},
                    {"patterns", kind.patterns}});
  return list.dump(2) + "\n";
}

}  // namespace ritz
