#include "io/results/folder_lock.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

std::string lock_path(const std::string& folder) { return (std::filesystem::path(folder) / ".ritz-lock").string(); }

std::string this_host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

std::string contents_of(int descriptor) {
  std::array<char, 4096> block;
  const ssize_t count = ::pread(descriptor, block.data(), block.size(), 0);
  return count > 0 ? std::string(block.data(), static_cast<std::size_t>(count)) : "";
}

std::optional<LockHolder> parse(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    return LockHolder{json.at("host"), json.at("program"), json.at("began"), json.at("pid")};
  } catch (const nlohmann::json::exception&) { return std::nullopt; }
}

// The holder writes its name right after it has the lock.
std::optional<LockHolder> named_holder(int descriptor) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (auto holder = parse(contents_of(descriptor))) return holder;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::nullopt;
}

std::string text_of(const LockHolder& holder) {
  return fmt::format("{}, process {} on {}, since {}", holder.program, holder.pid, holder.host, holder.began);
}

[[noreturn]] void refuse(const std::string& folder, const std::optional<LockHolder>& holder) {
  throw Error(ErrorKind::folder_in_use,
              fmt::format("another run writes to the folder '{}': {}", folder,
                          holder ? text_of(*holder) : "it is just starting"),
              "two runs in one folder would mix their results",
              "wait for it to end, or name another folder with --output");
}

// False if the file was removed or replaced between our opening and locking it.
bool still_there(int descriptor, const std::string& path) {
  struct stat mine {
  }, there{};
  return ::fstat(descriptor, &mine) == 0 && ::lstat(path.c_str(), &there) == 0 && mine.st_ino == there.st_ino &&
         mine.st_dev == there.st_dev;
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

FolderLock::FolderLock(const std::string& folder, const std::string& program, const MessageSink& notice)
    : path_(lock_path(folder)) {
  take(folder);
  const LockHolder me{this_host(), program, utc_now(), static_cast<long>(::getpid())};
  if (const auto dead = earlier_holder()) take_over(folder, *dead, me, notice);
  removal_ = std::make_unique<RemovedWhenStopped>(path_);
  write_holder(folder, me);
}

// Throws Error: Exit::output while another run holds the folder.
void FolderLock::take(const std::string& folder) {
  for (int attempt = 0;; ++attempt) {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (descriptor_ < 0 && errno == ELOOP) throw_other_file("a symbolic link");
    if (descriptor_ < 0) fail(folder);
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) fail(folder);
      const auto holder = named_holder(descriptor_);
      ::close(std::exchange(descriptor_, -1));
      if (attempt >= 5) refuse(folder, holder);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // holder_of opens it for a moment, too
      continue;
    }
    if (still_there(descriptor_, path_)) return;
    ::close(descriptor_);
  }
}

// The run that ended without releasing the lock.
std::optional<LockHolder> FolderLock::earlier_holder() {
  const std::string before = contents_of(descriptor_);
  std::optional<LockHolder> dead = parse(before);
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode) || (!before.empty() && !dead))
    throw_other_file("another file");
  return dead;
}

void FolderLock::take_over(const std::string& folder, const LockHolder& dead, const LockHolder& me,
                           const MessageSink& notice) {
  if (dead.host != me.host) {  // flock may not reach across hosts
    ::close(std::exchange(descriptor_, -1));
    throw Error(ErrorKind::folder_in_use, fmt::format("the folder '{}' is locked by {}", folder, text_of(dead)),
                "whether that run is alive cannot be seen from here",
                fmt::format("when it has ended, remove '{}'", path_));
  }
  if (notice)
    notice(
        fmt::format("{} ended without releasing its lock in '{}'; the lock is taken over, committed results are kept",
                    text_of(dead), folder));
}

void FolderLock::write_holder(const std::string& folder, const LockHolder& me) {
  const std::string text =
      nlohmann::json{{"host", me.host}, {"program", me.program}, {"began", me.began}, {"pid", me.pid}}.dump(
          -1, ' ', false, nlohmann::json::error_handler_t::replace) +
      "\n";
  bool good = ::ftruncate(descriptor_, 0) == 0;
  for (std::size_t done = 0; good && done < text.size();) {
    const ssize_t written = ::pwrite(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(done));
    good = written > 0 || (written < 0 && errno == EINTR);
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  if (good) return;
  const int reason = errno;
  ::unlink(path_.c_str());
  errno = reason;
  fail(folder);
}

// By errno.
void FolderLock::fail(const std::string& folder) {
  const int reason = errno;
  if (descriptor_ >= 0) ::close(descriptor_);
  throw Error(
      ErrorKind::cannot_write,
      fmt::format("cannot write results to the folder '{}': cannot lock it: {}", folder, std::strerror(reason)),
      "a lock keeps two runs apart",
      "check that the folder may be written to and that the disk has room; on a file system without locks, name "
      "another folder");
}

void FolderLock::throw_other_file(const char* what) {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  throw Error(ErrorKind::folder_in_use, fmt::format("'{}' is no lock of a run, but {}", path_, what),
              "it would be overwritten", "look at it and remove it, or name another folder with --output");
}

FolderLock::~FolderLock() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());  // while we hold it, no other process can
  ::close(descriptor_);
}

std::optional<LockHolder> holder_of(const std::string& folder) {
  const int descriptor = ::open(lock_path(folder).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return std::nullopt;
  std::optional<LockHolder> holder;
  if (::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    holder = named_holder(descriptor).value_or(LockHolder{"unknown host", "a run", "just now", 0});
  ::close(descriptor);
  return holder;
}

}  // namespace ritz
