// Lines for people (standard output) and for trouble (standard error). A progress line rewrites itself on a terminal;
// in a file or a pipe it becomes an ordinary line every few seconds, so that logs stay readable.
//
//   Log log;  log.line("mesh: {} cells", 12);  log.progress("step 3 of 10");
#pragma once

#include "device/error.hpp"

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace ritz {

enum class LogLevel { quiet, normal, verbose };  // errors are printed at every level

// Control characters other than line feeds and tabs as \x1b and the like: names of files and regions come from
// strangers, and a terminal obeys what they may hold.
std::string printable(std::string_view text);

class Log {
 public:
  explicit Log(LogLevel level = LogLevel::normal, std::FILE* out = stdout, std::FILE* err = stderr);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    write_line(fmt::format(text, std::forward<Args>(args)...), LogLevel::normal);
  }
  template <class... Args>
  void detail(fmt::format_string<Args...> text, Args&&... args) {  // only when verbose
    write_line(fmt::format(text, std::forward<Args>(args)...), LogLevel::verbose);
  }
  // From here on every line of both streams is a JSON object: time (UTC), level (info, detail, progress, notice,
  // error), message, and of errors kind, exit_code, key, value, place, why and remedy, as far as they are known.
  void use_json() { json_ = true; }
  void notice(const std::string& text);  // "notice: ..."; remembered
  void error(const Error& error);        // the full text with why and fix
  void progress(const std::string& text);
  void end_progress();  // leaves the last progress text standing
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  void write_line(const std::string& text, LogLevel level, const char* kind = nullptr);
  void clear_progress();

  LogLevel level_;
  std::FILE *out_, *err_;
  bool terminal_, json_ = false;
  std::size_t progress_width_ = 0;
  std::string last_progress_;
  std::chrono::steady_clock::time_point last_progress_time_{};
  std::vector<std::string> notices_;
};

}  // namespace ritz
