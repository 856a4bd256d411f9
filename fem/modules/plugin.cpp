#include "fem/modules/plugin.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/modules/plugin_compiler.hpp"
#include "fem/modules/workshop.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {
namespace {

namespace fs = std::filesystem;

std::vector<Plugin>& loaded() {
  static std::vector<Plugin> plugins;
  return plugins;
}

bool& plugins_are_forbidden() {
  static bool forbidden = false;
  return forbidden;
}

void load(const Plugin& plugin, const Device& device) {
  if (const std::string reason = load_kernels(device.backend(), plugin.module); !reason.empty())
    throw Error(ErrorKind::plugin, fmt::format("the plugin '{}' cannot be loaded", plugin.source), reason,
                "a function that it declares has no body, or it was made for another Ritz");
  if (kernel_names(device.backend(), plugin.module).empty())
    throw Error(ErrorKind::plugin, fmt::format("the plugin '{}' adds nothing", plugin.source),
                "no form or element of it was registered", "end it with `const ritz::AddForm<MyForm> added;`");
  std::erase_if(loaded(), [&](const Plugin& before) { return before.module == plugin.module; });
  loaded().push_back(plugin);
  loaded().back().source = fs::absolute(plugin.source).lexically_normal().string();
}

}  // namespace

const std::vector<Plugin>& loaded_plugins() { return loaded(); }

void forbid_plugins() { plugins_are_forbidden() = true; }

void require_plugins(const std::string& file) {
  if (plugins_are_forbidden())
    throw Error(ErrorKind::plugin, fmt::format("the plugin '{}' is not loaded", file),
                "with --untrusted no code of a case runs",
                "leave out --untrusted where you trust the case and have read its plugin");
}

Plugin load_plugin(const std::string& file, const Device& device, const MessageSink& say) {
  require_plugins(file);
  const fs::path path(file);
  Plugin plugin{.source = file, .module = path.filename().string()};
  const fs::path ready = path.parent_path() / fmt::format("{}.{}.so", plugin.module, device.backend());
  std::error_code unknown;
  if (!path.has_extension() && fs::exists(ready, unknown)) {
    add_kernel_folder(fs::absolute(ready).parent_path().string());
    load(plugin, device);
    return plugin;
  }
  if (!fs::is_regular_file(path, unknown))
    throw Error(ErrorKind::file_missing, fmt::format("there is no plugin '{}'", file),
                fmt::format("neither a source of this name nor '{}' exists", ready.string()),
                "name a C++ source, or a module of ritz_add_plugin() without its ending");
  const Workshop workshop(file, device, plugin_compiler(device, header_folder()));
  const auto [module, compiled] = workshop.module(say);
  plugin.module = module;
  plugin.compiled = compiled;
  add_kernel_folder(workshop.cache().string());
  load(plugin, device);
  return plugin;
}

}  // namespace ritz
