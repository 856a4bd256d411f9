#include "io/results/log.hpp"

#include "io/results/error_catalogue.hpp"

#include <algorithm>

#include <unistd.h>

#include <fmt/chrono.h>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

constexpr std::chrono::milliseconds terminal_interval{100};
constexpr std::chrono::seconds file_interval{10};

// A log that cannot be written (closed pipe, full disk) must not end a run.
void put(std::FILE* file, const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fflush(file) != 0) std::clearerr(file);
}

using Json = nlohmann::ordered_json;

Json json_line(const char* level, const std::string& text) {
  const auto now = std::chrono::system_clock::now();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return {{"time", fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                               milliseconds)},
          {"level", level},
          {"message", text}};
}

Json json_error(const Error& error) {
  Json json = json_line("error", error.message());
  const ErrorSubject& subject = error.subject();
  json["kind"] = entry_of(error).name;
  json["exit_code"] = static_cast<int>(error.exit());
  for (const auto& [name, text] : {std::pair<const char*, const std::string&>{"key", subject.key},
                                   {"value", subject.value},
                                   {"place", subject.place},
                                   {"why", error.why()},
                                   {"remedy", error.fix()}})
    if (!text.empty()) json[name] = text;
  return json;
}

// "\x1b" for the byte that begins commands to a terminal, and so on.
std::string code_of(unsigned char byte) { return fmt::format("\\x{:02x}", byte); }

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string printable(std::string_view text) {
  const auto is_command = [text](std::size_t i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0xc2 && i + 1 < text.size()) {  // U+0080 to U+009F do what ESC and a letter do
      const auto next = static_cast<unsigned char>(text[i + 1]);
      return next >= 0x80 && next < 0xa0;
    }
    return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
  };
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_command(i)) {
      shown += text[i];
      continue;
    }
    shown += code_of(static_cast<unsigned char>(text[i]));
    if (text[i] == '\xc2') shown += code_of(static_cast<unsigned char>(text[++i]));
  }
  return shown;
}

Log::Log(LogLevel level, std::FILE* out, std::FILE* err)
    : level_(level), out_(out), err_(err), terminal_(::isatty(::fileno(out)) == 1) {}

Log::~Log() { clear_progress(); }  // what a run was doing before its last line is no news

void Log::write_line(const std::string& text, LogLevel level, const char* kind) {
  if (level_ < level) return;
  if (json_)
    return put(out_, line_of(json_line(kind != nullptr ? kind : level == LogLevel::verbose ? "detail" : "info", text)));
  clear_progress();
  put(out_, printable(text) + "\n");
}

void Log::notice(const std::string& text) {
  notices_.push_back(text);
  write_line(json_ ? text : "notice: " + text, LogLevel::normal, "notice");
}

void Log::error(const Error& error) {
  end_progress();
  if (json_) {
    const auto* several = dynamic_cast<const Errors*>(&error);
    for (const Error& each : several != nullptr ? several->list() : std::vector<Error>{error})
      put(err_, line_of(json_error(each)));
    return;
  }
  put(err_, printable(error.what()) + "\n");
}

void Log::progress(const std::string& text) {
  if (level_ < LogLevel::normal) return;
  if (json_) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_progress_time_ < file_interval) return;
    last_progress_time_ = now;
    return put(out_, line_of(json_line("progress", text)));
  }
  last_progress_ = printable(text);
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    if (progress_width_ > 0 && now - last_progress_time_ < terminal_interval) return;
    put(out_, fmt::format("\r{:<{}}", last_progress_, progress_width_));
    progress_width_ = std::max(progress_width_, last_progress_.size());
  } else {
    if (now - last_progress_time_ < file_interval) return;
    put(out_, last_progress_ + "\n");
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
