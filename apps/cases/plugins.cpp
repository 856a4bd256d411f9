#include "apps/cases/plugins.hpp"

#include "device/ranks/ranks.hpp"

#include <fmt/format.h>

namespace ritz {

std::vector<Plugin> load_plugins(Run& run) {
  Case& input = run.input();
  const std::string file = input.root().path(
      "plugin", "a C++ source with forms of your own, or a module of ritz_add_plugin()", {.fallback = ""});
  if (file.empty()) return {};
  const RunOptions& options = run.options();
  if ((options.check || options.describe) && !options.untrusted)  // which people may take for reading only
    run.log().notice(fmt::format("code of the case runs now, to see its forms: the plugin '{}'", file));
  auto phase = run.device().profile().phase("plugin");
  try {
    const std::string of_first = options.follows ? options.ranks->of_first({}) : "";  // the first rank compiles
    const Plugin plugin = load_plugin(file, run.device(), run.progress());
    if (options.follows && plugin.module != of_first)
      throw Error(ErrorKind::environment, fmt::format("ranks find another plugin '{}' each", file),
                  "its text, its compiler or this program differ between their machines",
                  "use one file, and one installation, in a folder that all machines share");
    if (options.ranks != nullptr && !options.follows) options.ranks->of_first(plugin.module);
    run.log().line("plugin: {}, {}", file, plugin.compiled ? "compiled now" : "ready from before");
    return {plugin};
  } catch (const Error& error) {  // together with what was wrong in the case file so far
    input.add_error(error);
    input.throw_if_any();
    throw;
  }
}

}  // namespace ritz
