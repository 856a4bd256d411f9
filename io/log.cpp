#include "io/log.hpp"

#include <algorithm>

#include <unistd.h>

namespace ritz {
namespace {

constexpr std::chrono::milliseconds terminal_interval{100};
constexpr std::chrono::seconds file_interval{5};

// A log that nobody takes any more (closed pipe, full disk) is no reason to lose a run.
void put(std::FILE* file, const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0) std::clearerr(file);
}

}  // namespace

Log::Log(LogLevel level, std::FILE* out, std::FILE* err)
    : level_(level), out_(out), err_(err), terminal_(::isatty(::fileno(out)) == 1) {}

Log::~Log() { end_progress(); }

void Log::write_line(const std::string& text, LogLevel level) {
  if (level_ < level) return;
  clear_progress();
  put(out_, text + "\n");
}

void Log::notice(const std::string& text) {
  notices_.push_back(text);
  write_line("notice: " + text, LogLevel::normal);
}

void Log::error(const Error& error) {
  end_progress();
  put(err_, std::string(error.what()) + "\n");
}

void Log::progress(const std::string& text) {
  if (level_ < LogLevel::normal) return;
  last_progress_ = text;
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    if (progress_width_ > 0 && now - last_progress_time_ < terminal_interval) return;
    put(out_, fmt::format("\r{:<{}}", text, progress_width_));
    progress_width_ = std::max(progress_width_, text.size());
  } else {
    if (now - last_progress_time_ < file_interval) return;
    put(out_, text + "\n");
    last_progress_.clear();
  }
  last_progress_time_ = now;
}

void Log::clear_progress() {
  if (terminal_ && progress_width_ > 0) put(out_, fmt::format("\r{:{}}\r", "", progress_width_));
  progress_width_ = 0;
}

void Log::end_progress() {
  if (last_progress_.empty()) return;
  if (terminal_) clear_progress();
  put(out_, last_progress_ + "\n");
  last_progress_.clear();
}

}  // namespace ritz
