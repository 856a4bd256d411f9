#include "io/files/late_library.hpp"

#include "device/error.hpp"

#include <filesystem>
#include <new>
#include <string_view>

#include <dlfcn.h>
#include <fmt/core.h>

namespace ritz {
namespace {

std::string folder_of_this_library() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&late_library), &info);
  return std::filesystem::absolute(info.dli_fname).parent_path().string();
}

bool is_short_of_memory(std::string_view reason) {
  return reason.find("failed to map segment") != std::string_view::npos ||
         reason.find("annot allocate memory") != std::string_view::npos;
}

}  // namespace

const void* late_library(const char* module, const char* symbol, const char* library) {
  const std::string path = fmt::format("{}/{}.so", folder_of_this_library(), module);
  void* const loaded = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  const void* const found = loaded == nullptr ? nullptr : dlsym(loaded, symbol);
  if (found != nullptr) return found;
  const char* const said = dlerror();
  const std::string reason = said == nullptr ? "" : said;
  if (is_short_of_memory(reason)) throw std::bad_alloc();
  throw Error(ErrorKind::file_library, fmt::format("{} cannot be loaded", library), reason,
              "install or build Ritz again, with the libraries that it was built with");
}

}  // namespace ritz
