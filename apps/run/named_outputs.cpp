#include "apps/run/named_outputs.hpp"

#include "device/error.hpp"
#include "io/files/atomic_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
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
    throw Error(Exit::input, fmt::format("there is no room for a file at '{}'", file), why, "name another file");
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

std::vector<std::string> leave_out_inputs(RunOptions& options, std::span<const std::string> read,
                                          const std::string& mesh) {
  std::vector<std::string> left_out;
  for (const Output& each : outputs)
    if (std::string& file = options.*each.file; is_read(file, options, read, mesh))
      left_out.push_back(std::exchange(file, std::string()));
  return left_out;
}

}  // namespace ritz
