#include "io/results/error_catalogue.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

std::string capitalised(std::string text) {
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace

const ErrorEntry& entry_of(const Error& error) {
  const bool stopped = error.exit() >= Exit::stopped;  // 75, 124, 128 + signal
  const ErrorKind kind = stopped ? ErrorKind::stopped : error.kind();
  const auto entry = std::ranges::find(error_catalogue(), kind, &ErrorEntry::kind);
  return entry == error_catalogue().end() ? error_catalogue().front() : *entry;  // a plugin of another version
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
      "are\nstable, sentences are not.\n";
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
    for (const ErrorEntry& kind : error_catalogue()) {
      if (exit_of(kind.kind) != exit) continue;
      text += fmt::format("\n### {}\n\n{}.\n\n", kind.name, capitalised(kind.what));
      if (*kind.why != '\0') text += fmt::format("- Reason: {}.\n", kind.why);
      text += fmt::format("- Remedy: {}.\n", kind.remedy);
    }
  }
  return text;
}

std::string catalogue_as_json() {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ErrorEntry& kind : error_catalogue())
    list.push_back({{"kind", kind.name},
                    {"exit_code", static_cast<int>(exit_of(kind.kind))},
                    {"what", kind.what},
                    {"why", kind.why},
                    {"remedy", kind.remedy}});
  return list.dump(2) + "\n";
}

}  // namespace ritz
