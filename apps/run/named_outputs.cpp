#include "apps/run/named_outputs.hpp"

#include "device/error.hpp"
#include "io/files/atomic_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace ritz {
namespace {

struct Output {
  const char* option;
  std::string RunOptions::*file;
};
constexpr std::array<Output, 4> outputs{{{"--json", &RunOptions::json},
                                         {"--report", &RunOptions::page},
                                         {"--picture", &RunOptions::picture},
                                         {"--profile", &RunOptions::profile}}};

bool is_read(const std::string& file, const RunOptions& options, std::span<const std::string> read,
             const std::string& mesh) {
  return is_same_file(file, options.case_file) || is_same_file(file, mesh) ||
         std::ranges::any_of(read, [&](const std::string& other) { return is_same_file(file, other); });
}

}  // namespace

bool is_same_file(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code none;
  if (one.empty() || other.empty()) return false;
  return fs::absolute(one, none).lexically_normal() == fs::absolute(other, none).lexically_normal() ||
         fs::equivalent(one, other, none);
}

void check_named_outputs(const RunOptions& options, std::span<const std::string> read, const std::string& mesh) {
  const auto refuse = [](const std::string& file, const std::string& why) {
    throw Error(ErrorKind::show, fmt::format("the name '{}' is taken", file), why, "name another file");
  };
  for (auto each = outputs.begin(); each != outputs.end(); ++each) {
    const std::string& file = options.*each->file;
    if (is_read(file, options, read, mesh))
      refuse(file, fmt::format("{} names a file that the run reads", each->option));
    for (auto other = outputs.begin(); other != each; ++other)
      if (is_same_file(file, options.*other->file) && !named_file(file).takes_a_stream())
        refuse(file, fmt::format("{} and {} name it", other->option, each->option));
  }
}

std::vector<std::string> files_named_in(const RunOptions& options) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  const auto add = [&](std::string_view name) {
    const fs::path named = fs::path(options.case_file).parent_path() / name;
    std::error_code none;
    if (fs::is_regular_file(named, none)) files.push_back(named.string());
  };
  const auto add_all = [&](std::string_view text) {
    for (std::size_t begin = text.find_first_of("\"'="); begin != std::string_view::npos;
         begin = text.find_first_of("\"'=", begin + 1)) {
      std::string_view name = text.substr(begin + 1);
      if (text[begin] != '=') name = name.substr(0, name.find(text[begin]));
      add(name);
    }
  };
  std::error_code none;
  if (!fs::is_regular_file(options.case_file, none)) return files;
  std::ifstream file(options.case_file);
  for (std::string line; std::getline(file, line);) add_all(line);
  for (const std::string& each : options.overrides) add_all(each);
  return files;
}

std::vector<std::string> leave_out_inputs(RunOptions& options, std::span<const std::string> read,
                                          const std::string& mesh) {
  std::vector<std::string> left_out;
  for (const Output& each : outputs)
    if (std::string& file = options.*each.file; is_read(file, options, read, mesh))
      left_out.push_back(std::exchange(file, std::string()));
  return left_out;
}

}  // namespace ritz
