#include "apps/run/machine_cache.hpp"

#include "device/environment_variable.hpp"
#include "device/error.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/checksum.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace ritz {
namespace {

namespace fs = std::filesystem;

fs::path cache_file(const std::string& what, const std::string& key) {
  const std::string cache = environment("XDG_CACHE_HOME"), home = environment("HOME");
  if (cache.empty() && home.empty()) return {};
  return (cache.empty() ? fs::path(home) / ".cache" : fs::path(cache)) / "ritz" /
         fmt::format("{}-{:08x}.txt", what, crc32_of(key));
}

}  // namespace

std::optional<std::string> kept(const std::string& what, const std::string& key) {
  std::ifstream file(cache_file(what, key));
  std::string stored;
  if (!std::getline(file, stored) || stored != key) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void keep(const std::string& what, const std::string& key, const std::string& text) {
  const fs::path path = cache_file(what, key);
  if (path.empty()) return;
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  try {
    write_file(path.string(), fmt::format("{}\n{}", key, text));
  } catch (const Error&) {  // measured again the next time
  }
}

}  // namespace ritz
