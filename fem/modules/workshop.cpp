#include "fem/modules/workshop.hpp"

#include "device/environment_variable.hpp"
#include "device/error.hpp"
#include "fem/modules/run_program.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ritz {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

// FNV-1a, 64 bits: keys of a cache that only its owner writes.
std::uint64_t hash_of(std::string_view text, std::uint64_t hash = 0xcbf29ce484222325u) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// Nobody else may write where code is loaded from.
bool is_ours(const fs::path& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & 022) == 0;
}

fs::path cache_folder() {
  std::vector<fs::path> candidates;
  if (const std::string cache = environment("XDG_CACHE_HOME"); fs::path(cache).is_absolute())
    candidates.emplace_back(fs::path(cache) / "ritz");
  if (const std::string home = environment("HOME"); !home.empty())
    candidates.emplace_back(fs::path(home) / ".cache/ritz");
  std::error_code status;
  if (const fs::path temporary = fs::temp_directory_path(status); !status)
    candidates.emplace_back(temporary / fmt::format("ritz-{}", ::geteuid()));
  std::vector<std::string> tried;
  for (const fs::path& folder : candidates) {
    tried.push_back(folder.string());
    fs::create_directories(folder.parent_path(), status);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) continue;
    if (is_ours(folder) && ::access(folder.c_str(), W_OK | X_OK) == 0) return folder;
  }
  throw Error(
      ErrorKind::cannot_write,
      fmt::format("compiled plugins cannot be kept: none of {} can be written by this user alone", quoted_list(tried)),
      "code is loaded from there", "set XDG_CACHE_HOME to a folder of your own");
}

// The dependencies in a file for make: "target: a.cpp b.hpp \".
std::vector<std::string> dependencies_in(const fs::path& file) {
  std::vector<std::string> found;
  const std::string text = text_of(file).value_or("");
  std::string name;
  bool target = true;
  const auto take = [&] {
    if (!name.empty() && !target) found.push_back(name);
    if (!name.empty() && name.back() == ':') target = false;
    name.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      if (text[i + 1] == ' ' || text[i + 1] == '#') name += text[i + 1];
      else take();
      ++i;
    } else if (c == ' ' || c == '\n' || c == '\t') {
      take();
    } else {
      name += c;
    }
  }
  take();
  return found;
}

// One line per file that the compilation read: its hash and its name. A changed one makes another module.
std::string manifest_of(const std::vector<std::string>& files) {
  std::string manifest;
  for (const std::string& file : files) {
    const auto text = text_of(file);
    manifest += fmt::format("{:016x} {}\n", text ? hash_of(*text) : 0, file);
  }
  return manifest;
}

// The manifest as it would be now.
std::string renewed(const std::string& manifest) {
  std::vector<std::string> files;
  std::istringstream stream(manifest);
  for (std::string line; std::getline(stream, line);)
    if (line.size() > 17) files.push_back(line.substr(17));
  return manifest_of(files);
}

// Files that a Fortran source includes, next to it, and so on.
void add_fortran_includes(const fs::path& source, std::set<std::string>& files) {
  std::istringstream stream(text_of(source).value_or(""));
  for (std::string line; std::getline(stream, line);) {
    std::string word = line.substr(std::min(line.find_first_not_of(" \t#"), line.size()));
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    if (!word.starts_with("include")) continue;
    const std::size_t from = line.find_first_of("'\""), to = line.find_last_of("'\"");
    if (from == std::string::npos || to <= from) continue;
    const fs::path included = source.parent_path() / line.substr(from + 1, to - from - 1);
    std::error_code unknown;
    if (fs::is_regular_file(included, unknown) && files.insert(included.string()).second)
      add_fortran_includes(included, files);
  }
}

// A process that compiles holds it. Where a file system knows no locks, each compiles.
class FileLock {
 public:
  explicit FileLock(const fs::path& path) : file_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    while (file_ >= 0 && ::flock(file_, LOCK_EX) != 0 && errno == EINTR) {}
  }
  ~FileLock() {
    if (file_ >= 0) ::close(file_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

}  // namespace

fs::path module_cache() { return cache_folder(); }

Workshop::Workshop(const std::string& source, const Device& device, PluginCompiler compiler)
    : source_(fs::absolute(source).lexically_normal()),
      backend_(device.backend()),
      cache_(cache_folder()),
      compiler_(std::move(compiler)) {
  key_ = hash_of(source_.string(),
                 hash_of(compiler_.version, hash_of(fmt::format("{}", fmt::join(compiler_.command, "\n")))));
  stem_ = fmt::format("{}-{:016x}", source_.stem().string(), key_);
  manifest_ = cache_ / fmt::format("{}.{}.files", stem_, backend_);
}

Workshop::Made Workshop::module(const MessageSink& say) const {
  if (const auto known = known_module()) return {*known, false};
  const FileLock lock(cache_ / fmt::format("{}.{}.lock", stem_, backend_));
  if (const auto made = known_module()) return {*made, false};
  if (say) say(fmt::format("compiling {} for {}", source_.filename().string(), backend_));
  return {compile(), true};
}

// The name of the module for the sources as they are, when it has been made.
std::optional<std::string> Workshop::known_module() const {
  const auto manifest = text_of(manifest_);
  if (!manifest || manifest->empty() || renewed(*manifest) != *manifest) return std::nullopt;
  const std::string module = module_of(*manifest);
  if (!exists(file_of(module))) return std::nullopt;
  return module;
}

std::string Workshop::compile() const {
  // Temporary names of this process; a complete file gets its final name in one step, and many processes may do so at
  // once.
  const fs::path result = cache_ / fmt::format("{}.{}.tmp", stem_, ::getpid());
  const fs::path list = cache_ / fmt::format("{}.{}.d", stem_, ::getpid());
  const fs::path log = cache_ / fmt::format("{}.{}.log", stem_, backend_);
  std::vector<std::string> command = compiler_.command;
  for (const std::string& argument : {source_.string(), std::string("-o"), result.string()})
    command.push_back(argument);
  if (compiler_.lists_files)
    for (const std::string& argument : {std::string("-MMD"), std::string("-MF"), list.string()})
      command.push_back(argument);
  command.push_back("-L" + library_folder().string());
  command.insert(command.end(), compiler_.libraries.begin(), compiler_.libraries.end());
  const auto outcome = run_program(command);
  if (!outcome || outcome->exit != 0) {
    const std::string output = outcome ? outcome->output : "";
    std::ofstream(log) << fmt::format("{}\n", fmt::join(command, " ")) << output;
    std::error_code ignored;
    fs::remove(result, ignored);
    fs::remove(list, ignored);
    throw Error(ErrorKind::plugin, fmt::format("the {} '{}' does not compile", compiler_.of, source_.string()),
                compile_errors(output, source_.string()),
                fmt::format("correct it; the full output of the compiler is in {}", log.string()));
  }
  std::set<std::string> fortran = {source_.string()};
  if (!compiler_.lists_files) add_fortran_includes(source_, fortran);
  const std::string manifest =
      manifest_of(compiler_.lists_files ? dependencies_in(list) : std::vector(fortran.begin(), fortran.end()));
  const std::string module = module_of(manifest);
  fs::rename(result, file_of(module));
  std::ofstream(list) << manifest;
  fs::rename(list, manifest_);
  return module;
}

std::string Workshop::module_of(const std::string& manifest) const {
  return fmt::format("{}-{:016x}", source_.stem().string(), hash_of(manifest, key_));
}

fs::path Workshop::file_of(const std::string& module) const {
  return cache_ / fmt::format("{}.{}.so", module, backend_);
}

}  // namespace ritz
