#include "device/kernels.hpp"

#include "device/error.hpp"
#include "device/kernel_families.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <vector>

namespace ritz {
namespace {

struct Registry {
  std::atomic<unsigned> registrations = 0;
  std::recursive_mutex mutex;
  std::map<std::string, const void*> tables;              // "v4:vector" -> table
  std::map<std::string, std::string> load_results;        // "ritz_fem_kernels.v4" -> reason, empty when loaded
  std::map<std::string, std::vector<std::string>> names;  // "ritz_fem_kernels.v4" -> "vector", ...
  std::map<std::string, std::vector<std::string>> families, missing;  // "ritz_fem_kernels.v4.so" -> "mixed", ...
  std::string loading;                                                // the module that registers just now
  std::vector<std::string> folders;
  std::vector<std::string> twice;  // names that two modules claim
};

Registry& registry() {
  static Registry instance;
  return instance;
}

std::string folder_of_this_library() {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&find_kernels), &info);
  return std::filesystem::absolute(info.dli_fname).parent_path().string();
}

}  // namespace

void register_kernels(const char* backend, const char* name, const void* table) {
  const std::lock_guard lock(registry().mutex);
  const std::string key = fmt::format("{}:{}", backend, name);
  ++registry().registrations;
  if (!registry().tables.try_emplace(key, table).second) registry().twice.push_back(key);  // thrown by find_kernels
  registry().names[registry().loading].push_back(name);
}

void add_kernel_folder(const std::string& folder) {
  const std::lock_guard lock(registry().mutex);
  registry().folders.push_back(folder);
}

void register_kernel_families(const std::vector<std::string>& families) {
  const std::lock_guard lock(registry().mutex);
  registry().families[registry().loading] = families;
}

namespace {

// Loads the file of a module, then its families, which register under the module's name. Empty, or the loader's reason.
std::string open_module(const std::string& folder, const std::string& module, const std::string& backend) {
  Registry& r = registry();
  const std::string file = module + "." + backend + ".so";
  const auto opens = [&](const std::string& path) {
    r.loading = file;
    return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr;
  };
  if (!opens(folder + "/" + file)) return dlerror();
  for (const std::string& family : std::vector<std::string>(r.families[file])) {
    const std::string path = fmt::format("{}/{}.{}.{}.so", folder, module, family, backend);
    if (!std::filesystem::exists(path)) r.missing[file].push_back(family);
    else if (!opens(path)) return dlerror();
  }
  return "";
}

}  // namespace

std::string load_kernels(const std::string& backend, const std::string& module) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const std::string file = module + "." + backend + ".so";
  if (const auto known = r.load_results.find(file); known != r.load_results.end()) return known->second;
  std::vector<std::string> folders = r.folders;
  if (const char* const first = std::getenv("RITZ_MODULES"); first != nullptr) folders.insert(folders.begin(), first);
  folders.push_back(folder_of_this_library());
  std::string reason = fmt::format("{} is not in {}", file, quoted_list(folders));
  for (const std::string& folder : folders) {
    if (!std::filesystem::exists(folder + "/" + file)) continue;
    reason = open_module(folder, module, backend);
    break;
  }
  return r.load_results[file] = reason;
}

namespace {

void load_or_throw(const std::string& backend, const std::string& module) {
  const std::string reason = load_kernels(backend, module);
  if (!reason.empty())
    throw Error(ErrorKind::no_gpu,
                fmt::format("kernel module '{}' for back end '{}' cannot be loaded", module, backend), reason,
                "install or build Ritz again; on a GPU the direct solver needs cuDSS, or cuSOLVER and cuSPARSE");
}

}  // namespace

std::vector<std::string> kernel_names(const std::string& backend, const std::string& module) {
  load_or_throw(backend, module);
  const std::lock_guard lock(registry().mutex);
  std::vector<std::string> names = registry().names[module + "." + backend + ".so"];
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> missing_kernel_families(const std::string& backend, const std::string& module) {
  load_or_throw(backend, module);
  const std::lock_guard lock(registry().mutex);
  return registry().missing[module + "." + backend + ".so"];
}

MissingFamilies explain_missing_families(const std::string& backend, const std::string& module) {
  const std::vector<std::string> missing = missing_kernel_families(backend, module);
  if (missing.empty()) return {};
  return {fmt::format("'{}' was built without the families {} of its kernels", module, quoted_list(missing)),
          fmt::format("build all of them: cmake --build FOLDER --target {}", module)};
}

bool has_kernels(const std::string& backend, const std::string& module, const std::string& name) {
  load_or_throw(backend, module);
  const std::lock_guard lock(registry().mutex);
  const std::string key = backend + ":" + name;
  if (std::ranges::find(registry().twice, key) != registry().twice.end())
    throw Error(ErrorKind::plugin, fmt::format("two kernel modules register '{}'", key),
                "it would be a matter of luck which of them runs",
                "give the form or the kernel of your own another name");
  return registry().tables.contains(key);
}

namespace {

// Tables that this thread has found, as every operation on a vector asks for one: without the registry's lock, and
// without keys to be put together. Until another module registers, which may claim the same names.
struct FoundTables {
  struct Entry {
    std::string backend, module, name;
    const void* table;
  };
  unsigned registrations = 0;
  std::vector<Entry> entries;

  const void* find(const std::string& backend, const std::string& module, const std::string& name) {
    if (registrations != registry().registrations) entries.clear();
    registrations = registry().registrations;
    for (const Entry& e : entries)
      if (e.name == name && e.module == module && e.backend == backend) return e.table;
    return nullptr;
  }
};

}  // namespace

const void* find_kernels(const std::string& backend, const std::string& module, const std::string& name) {
  thread_local FoundTables found;
  if (const void* const table = found.find(backend, module, name)) return table;
  if (!has_kernels(backend, module, name)) {
    if (const auto [reason, remedy] = explain_missing_families(backend, module); !reason.empty())
      throw Error(ErrorKind::environment, fmt::format("the kernel '{}:{}' was not built", backend, name), reason,
                  remedy);
    std::vector<std::string> names;
    for (const auto& [key, table] : registry().tables) names.push_back(key);
    throw Error(ErrorKind::internal, fmt::format("no kernel '{}:{}' in module '{}'", backend, name, module),
                "registered are " + quoted_list(names), "register it in a source given to ritz_kernels()");
  }
  const std::lock_guard lock(registry().mutex);
  const void* const table = registry().tables.at(backend + ":" + name);
  if (found.registrations == registry().registrations) found.entries.push_back({backend, module, name, table});
  return table;
}

}  // namespace ritz
