#include "apps/ritz/results.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

std::string counts(const ResultCheck& check) {
  std::string text;
  for (const FileState state : {FileState::ok, FileState::damaged, FileState::missing, FileState::extra}) {
    const auto count = std::count_if(check.files.begin(), check.files.end(),
                                     [&](const CheckedFile& file) { return file.state == state; });
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(state));
  }
  return text;
}

}  // namespace

std::string text_of(const ResultCheck& check) {
  std::string text;
  for (const CheckedFile& file : check.files)
    text += fmt::format("{:<8} {}{}{}\n", name_of(file.state), file.path, file.detail.empty() ? "" : ": ", file.detail);
  for (const std::string& notice : check.notices) text += "notice: " + notice + "\n";
  if (check.writer)
    text += fmt::format("notice: {} writes here now: process {} on {}, since {}\n", check.writer->program,
                        check.writer->pid, check.writer->host, check.writer->began);
  return text + fmt::format("{} steps committed; files: {}\n", check.steps, counts(check));
}

std::string json_of(const ResultCheck& check) {
  using Json = nlohmann::ordered_json;
  Json json{{"folder", check.folder}, {"good", check.good()},   {"steps", check.steps},
            {"bytes", check.bytes},   {"files", Json::array()}, {"notices", check.notices}};
  for (const CheckedFile& file : check.files)
    json["files"].push_back({{"path", file.path}, {"state", name_of(file.state)}, {"detail", file.detail}});
  if (check.writer)
    json["writer"] = {{"program", check.writer->program},
                      {"pid", check.writer->pid},
                      {"host", check.writer->host},
                      {"began", check.writer->began}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ritz
