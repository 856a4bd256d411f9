#include "io/files/input_file.hpp"

#include "device/error.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

namespace ritz {
namespace {

namespace fs = std::filesystem;

std::string& only_folder() {
  static std::string folder;  // empty: any
  return folder;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path way = path.lexically_relative(folder);
  return !way.empty() && *way.begin() != "..";
}

[[noreturn]] void refuse(const std::string& path) {
  throw Error(
      ErrorKind::outside_folder, fmt::format("the file '{}' is outside of the folder '{}'", path, only_folder()),
      "with --untrusted nothing else is read", "put the file there, or leave out --untrusted where you trust the case");
}

}  // namespace

void read_only_below(const std::string& folder) {
  std::error_code unknown;
  const fs::path whole = fs::canonical(folder.empty() ? "." : folder, unknown);
  only_folder() = unknown ? folder : whole.string();
}

bool reads_one_folder_only() { return !only_folder().empty(); }

bool is_outside(const std::string& path) {
  if (only_folder().empty()) return false;
  std::error_code unknown;
  const fs::path whole = fs::weakly_canonical(path, unknown);
  return unknown || !is_below(whole, only_folder());
}

void require_inside(const std::string& path) {
  if (is_outside(path)) refuse(path);
}

std::string lack_of_input(const std::string& path) {
  const int file = open_input(path);
  if (file >= 0) {
    ::close(file);
    return "";
  }
  return reason_not_to_read(errno);
}

std::string reason_not_to_read(int error) {
  switch (error) {
    case ENOENT: return "does not exist";
    case EISDIR: return "is a folder";
    case ENXIO: return "is not a regular file";
    default: return fmt::format("cannot be read ({})", std::strerror(error));
  }
}

int open_input(const std::string& path) {
  require_inside(path);
  return open_regular(path);
}

int open_regular(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return -1;
  struct stat status {};
  const int found = ::fstat(file, &status) != 0 ? errno : 0;
  const int reason = found != 0 || S_ISREG(status.st_mode) ? found : S_ISDIR(status.st_mode) ? EISDIR : ENXIO;
  if (reason == 0) return file;
  ::close(file);
  errno = reason;
  return -1;
}

std::optional<std::string> text_of_input(const std::string& path) {
  require_inside(path);
  return text_of_file(path);
}

std::optional<std::string> text_of_file(const std::string& path) {
  const int file = open_regular(path);
  if (file < 0) return std::nullopt;
  std::string text;
  std::array<char, 1 << 16> block;
  ssize_t count = 0;
  while ((count = ::read(file, block.data(), block.size())) > 0 || (count < 0 && errno == EINTR))
    if (count > 0) text.append(block.data(), static_cast<std::size_t>(count));
  const int reason = errno;
  ::close(file);
  errno = reason;
  return count < 0 ? std::nullopt : std::optional(std::move(text));
}

}  // namespace ritz
