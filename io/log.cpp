#include "io/log.hpp"

#include <algorithm>

#include <unistd.h>

namespace ritz {
namespace {

constexpr std::chrono::milliseconds terminal_interval{100};
constexpr std::chrono::seconds file_interval{5};

}  // namespace

Log::Log(LogLevel level, std::FILE* out, std::FILE* err)
    : level_(level), out_(out), err_(err), terminal_(::isatty(::fileno(out)) == 1) {}

Log::~Log() { end_progress(); }

void Log::write_line(const std::string& text, LogLevel level) {
  if (level_ < level) return;
  clear_progress();
  fmt::print(out_, "{}\n", text);
  std::fflush(out_);
}

void Log::notice(const std::string& text) {
  notices_.push_back(text);
  write_line("notice: " + text, LogLevel::normal);
}

void Log::error(const Error& error) {
  end_progress();
  std::fflush(out_);
  fmt::print(err_, "{}\n", error.what());
  std::fflush(err_);
}

void Log::progress(const std::string& text) {
  if (level_ < LogLevel::normal) return;
  last_progress_ = text;
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    if (progress_width_ > 0 && now - last_progress_time_ < terminal_interval) return;
    fmt::print(out_, "\r{:<{}}", text, progress_width_);
    progress_width_ = std::max(progress_width_, text.size());
  } else {
    if (now - last_progress_time_ < file_interval) return;
    fmt::print(out_, "{}\n", text);
    last_progress_.clear();
  }
  last_progress_time_ = now;
  std::fflush(out_);
}

void Log::clear_progress() {
  if (terminal_ && progress_width_ > 0) fmt::print(out_, "\r{:{}}\r", "", progress_width_);
  progress_width_ = 0;
}

void Log::end_progress() {
  if (last_progress_.empty()) return;
  if (terminal_) clear_progress();
  fmt::print(out_, "{}\n", last_progress_);
  std::fflush(out_);
  last_progress_.clear();
}

}  // namespace ritz
