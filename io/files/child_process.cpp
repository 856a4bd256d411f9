#include "io/files/child_process.hpp"

#include "device/host_limits.hpp"
#include "device/process/stop_request.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/core.h>

namespace ritz {
namespace {

constexpr std::size_t buffer_size = 1 << 16;

std::uint64_t address_space_in_use() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  file >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void lower(decltype(RLIMIT_AS) what, rlim_t value) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return;
  now.rlim_cur = std::min(now.rlim_cur, value);
  ::setrlimit(what, &now);
}

// A child dies with its parent, writes to no terminal and no file, and takes no more than its share. Returns its end of
// the connection.
int confine(int channel, pid_t parent, double seconds, std::uint64_t memory) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);                                                     // it died before
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_IGN);  // the parent decides
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU}) std::signal(signal, SIG_DFL);
  channel = ::fcntl(channel, F_DUPFD, 4);  // it may be the number of a stream that was closed
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int stream = 0; stream <= 2; ++stream) ::dup2(nowhere, stream);
  channel = ::dup2(channel, 3);
  ::close_range(4, ~0U, 0);
  lower(RLIMIT_CORE, 0);
  lower(RLIMIT_FSIZE, 0);
  lower(RLIMIT_CPU, static_cast<rlim_t>(seconds));
  lower(RLIMIT_AS, address_space_in_use() + memory);
  return channel;
}

std::string ending_of(int status, double seconds) {
  if (!WIFSIGNALED(status)) return "ended without an answer";
  const int signal = WTERMSIG(status);
  if (signal == SIGXCPU) return fmt::format("took more than {} s of processor time", seconds);
  const char* const name = ::sigabbrev_np(signal);
  return fmt::format("crashed (SIG{})", name != nullptr ? name : "?");
}

}  // namespace

Channel::~Channel() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Channel::write_now(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Closed{};
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void Channel::write(std::string_view bytes) {
  if (written_.size() + bytes.size() > buffer_size) flush();
  if (bytes.size() > buffer_size) return write_now(bytes);
  written_ += bytes;
}

void Channel::flush() {
  write_now(written_);
  written_.clear();
}

void Channel::read(char* bytes, std::size_t size) {
  while (size > 0) {
    if (ahead_begin_ < ahead_end_) {
      const std::size_t part = std::min(size, ahead_end_ - ahead_begin_);
      std::memcpy(bytes, ahead_.data() + ahead_begin_, part);
      ahead_begin_ += part;
      bytes += part;
      size -= part;
      continue;
    }
    pollfd waiting{descriptor_, POLLIN, 0};
    if (::poll(&waiting, 1, 100) <= 0) {
      throw_if_stop_requested();
      continue;
    }
    const bool directly = size >= buffer_size;
    if (!directly) ahead_.resize(buffer_size);
    const ssize_t count = ::recv(descriptor_, directly ? bytes : ahead_.data(), directly ? size : buffer_size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Closed{};
    if (directly) {
      bytes += count;
      size -= static_cast<std::size_t>(count);
    } else {
      ahead_begin_ = 0;
      ahead_end_ = static_cast<std::size_t>(count);
    }
  }
}

std::size_t Channel::count(std::size_t size_of_each) {
  const auto n = get<std::uint64_t>();
  if (n > limit_ / size_of_each) throw Closed{};  // more than the child may have
  return n;
}

std::string Channel::text() {
  std::string text(count(1), '\0');
  read(text.data(), text.size());
  return text;
}

void Channel::put_texts(const std::vector<std::string>& texts) {
  put<std::uint64_t>(texts.size());
  for (const std::string& text : texts) put_text(text);
}

std::vector<std::string> Channel::texts() {
  std::vector<std::string> texts(count(sizeof(std::string)));
  for (std::string& each : texts) each = text();
  return texts;
}

ChildProcess::ChildProcess(ChildWork about, FunctionRef<void(Channel&)> work) : about_(std::move(about)) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(about_.file, unknown);
  seconds_ = 60 + (unknown ? 0 : std::floor(1e-6 * static_cast<double>(size)));
  const auto memory = static_cast<std::uint64_t>(host_limits().memory_available);
  int ends[2] = {-1, -1};
  const bool connected = ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
  const pid_t self = ::getpid();
  process_ = connected ? ::fork() : -1;
  if (process_ < 0) {
    const int reason = errno;
    for (const int end : ends)
      if (end >= 0) ::close(end);
    throw Error(ErrorKind::device_memory,
                fmt::format("no process can be started to read '{}': {}", about_.file, std::strerror(reason)),
                fmt::format("{} reads files in a process of its own, as a damaged file may crash it", about_.library),
                "raise the limits on processes, open files and memory (ulimit -u, -n, -v)");
  }
  if (process_ == 0) {
    try {
      Channel parent(confine(ends[1], self, seconds_, memory));
      work(parent);
      parent.flush();
    } catch (...) { ::_exit(1); }
    ::_exit(0);
  }
  ::close(ends[1]);
  channel_.connect(ends[0]);
  channel_.limit(memory);
}

ChildProcess::~ChildProcess() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {}
}

void ChildProcess::throw_its_error() {
  const auto answer = channel_.get<Answer>();
  if (answer == Answer::good) return;
  if (answer == Answer::error) {
    const auto kind = channel_.get<ErrorKind>();
    const std::string message = channel_.text(), why = channel_.text();
    throw Error(kind, message, why, channel_.text());
  }
  if (answer == Answer::no_memory)
    throw Error(ErrorKind::mesh_unreadable, fmt::format("'{}' asks for more memory than there is", about_.file),
                "its counts may be damaged", "write the file again");
  throw Error(ErrorKind::mesh_contents, fmt::format("{} cannot read '{}'", about_.library, about_.file),
              channel_.text(), "write the file again");
}

void ChildProcess::fail() {
  int status = 0;
  pid_t ended = 0;
  for (int attempt = 0; attempt < 100 && (ended = ::waitpid(process_, &status, WNOHANG)) == 0; ++attempt)
    ::usleep(10000);
  if (ended == process_) process_ = -1;
  throw Error(ErrorKind::mesh_contents,
              fmt::format("'{}' cannot be read: {} {}", about_.file, about_.library,
                          ended > 0 ? ending_of(status, seconds_) : "gives no sensible answer"),
              "the file is damaged, or it was made to do harm; this run was kept apart from it",
              "write the file again");
}

}  // namespace ritz
