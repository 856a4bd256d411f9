#include "fem/ranks/rank_plugins.hpp"

#include "device/error.hpp"
#include "fem/modules/plugin.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {

bool is_of_plugin(const std::string& module) {
  return std::ranges::any_of(loaded_plugins(), [&](const Plugin& plugin) { return plugin.module == module; });
}

void add_plugins(Packed& to) {
  to.add(loaded_plugins().size());
  for (const Plugin& plugin : loaded_plugins()) to.add(plugin.module).add(plugin.source);
}

void load_plugins_of_first(Unpacked& from, const Device& device) {
  for (auto count = from.get<std::size_t>(); count > 0; --count) {
    const std::string module = from.text(), file = from.text();
    if (is_of_plugin(module) || load_plugin(file, device).module == module) continue;
    throw Error(Exit::environment, fmt::format("ranks find another plugin '{}' each", file),
                "its text, its compiler or this program differ between their machines",
                "use one file, and one installation, in a folder that all machines share");
  }
}

}  // namespace ritz
