#include "io/files/atomic_file.hpp"

#include "device/error.hpp"
#include "device/process/stop_request.hpp"
#include "io/files/commit_group.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fmt/core.h>

namespace ritz {
namespace {

namespace fs = std::filesystem;

class Descriptor {
 public:
  Descriptor(const std::string& name, int flags) : number_(::open(name.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  operator int() const { return number_; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// False with errno where not all was written.
bool write_all(int file, std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = ::write(file, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A terminal, a pipe or a device, of which no file may take the place.
bool is_no_file(const std::string& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  return fs::exists(status) && !fs::is_regular_file(status);
}

// The number of a file in /proc/self/fd, where /dev/stdout and /dev/fd lead; -1: another file.
int own_descriptor(const fs::path& path) {
  std::error_code none;
  const std::string name = path.filename().string();
  int number = -1;
  const auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (status != std::errc{} || end != name.data() + name.size()) return -1;
  const fs::path folder = fs::canonical(folder_of(path.string()), none);
  return !folder.empty() && folder == fs::canonical("/proc/self/fd", none) ? number : -1;
}

std::string with_free_space(const std::string& path, const std::string& reason) {
  struct statvfs disk {};
  const auto says = [&](int error) { return reason.find(std::strerror(error)) != std::string::npos; };
  if ((!says(ENOSPC) && !says(EDQUOT)) || ::statvfs(folder_of(path).c_str(), &disk) != 0) return reason;
  return fmt::format("{} ({} bytes are free there)", reason, std::uint64_t{disk.f_bavail} * disk.f_frsize);
}

}  // namespace

// Some file systems refuse to flush folders (EINVAL); what others say is a step that may not last.
void flush_folder(const std::string& path) {
  const Descriptor folder(folder_of(path), O_RDONLY | O_DIRECTORY);
  if (folder < 0 || ::fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS || errno == EBADF)
    return;
  fail_to_write(folder_of(path), std::strerror(errno));
}

std::string temporary_path(const std::string& path) { return path + ".tmp"; }

void fail_to_write(const std::string& path, const std::string& reason) {
  throw Error(ErrorKind::cannot_write, fmt::format("cannot write '{}': {}", path, with_free_space(path, reason)), "",
              "check that the folder exists, that it may be written to and that the disk has room");
}

void discard_temporary(const std::string& path) noexcept { std::remove(temporary_path(path).c_str()); }

namespace {

[[noreturn]] void give_up(const std::string& path) {
  const std::string reason = std::strerror(errno);
  discard_temporary(path);
  fail_to_write(path, reason);
}

}  // namespace

void flush_temporary(const std::string& path) {
  Descriptor file(temporary_path(path), O_RDONLY);
  if (file < 0 || ::fsync(file) != 0) give_up(path);
}

// By hand, since std::filesystem::copy_file may call a full disk an input/output error.
void copy_to_temporary(const std::string& path) {
  const Descriptor from(path, O_RDONLY);
  Descriptor to(temporary_path(path), O_WRONLY | O_CREAT | O_TRUNC);
  if (from < 0 || to < 0) give_up(path);
  std::string part(1 << 16, '\0');
  for (;;) {
    const ssize_t read = ::read(from, part.data(), part.size());
    if (read < 0 && errno == EINTR) continue;
    if (read < 0 || !write_all(to, std::string_view(part).substr(0, static_cast<std::size_t>(read)))) give_up(path);
    if (read == 0) break;
  }
  if (!to.close()) give_up(path);
}

void rename_temporary(const std::string& path) {
  if (std::rename(temporary_path(path).c_str(), path.c_str()) != 0) give_up(path);
}

void commit_file(const std::string& path) {
  if (hold_file(path)) return;
  flush_temporary(path);
  rename_temporary(path);
  flush_folder(path);
}

bool exchange_file(const std::string& path) {
  flush_temporary(path);
  const bool exchanged =
      ::renameat2(AT_FDCWD, temporary_path(path).c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0;
  if (!exchanged && errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) give_up(path);
  if (!exchanged && std::rename(temporary_path(path).c_str(), path.c_str()) != 0) give_up(path);
  flush_folder(path);
  return exchanged;
}

void write_file(const std::string& path, std::string_view contents) {
  if (is_no_file(path)) {
    Descriptor file(path, O_WRONLY);
    if (file < 0 || !write_all(file, contents) || !file.close()) fail_to_write(path, std::strerror(errno));
    return;
  }
  const RemovedWhenStopped removal(temporary_path(path));
  {
    Descriptor file(temporary_path(path), O_WRONLY | O_CREAT | O_TRUNC);
    if (file < 0) fail_to_write(path, std::strerror(errno));
    if (!write_all(file, contents) || !file.close()) {
      const std::string reason = std::strerror(errno);
      discard_temporary(path);
      fail_to_write(path, reason);
    }
  }
  commit_file(path);
}

NamedFile named_file(const std::string& path) {
  constexpr int most_links = 40;  // as in the kernel
  fs::path at = path;
  for (int links = 0; links < most_links; ++links) {
    if (const int descriptor = own_descriptor(at); descriptor >= 0) return {path, descriptor};
    std::error_code status;
    if (!fs::is_symlink(at, status)) break;
    const fs::path target = fs::read_symlink(at, status);
    if (status) break;
    at = at.parent_path() / target;  // an absolute target replaces the folder
  }
  return {at.string(), -1};
}

bool NamedFile::takes_a_stream() const { return descriptor >= 0 || (is_no_file(path) && !fs::is_directory(path)); }

void write_named_file(const std::string& path, std::string_view contents) {
  const NamedFile file = named_file(path);
  if (file.descriptor < 0) return write_file(file.path, contents);
  std::fflush(nullptr);
  if (!write_all(file.descriptor, contents)) fail_to_write(path, std::strerror(errno));
}

}  // namespace ritz
