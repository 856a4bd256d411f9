#include "apps/cases/plugins.hpp"

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
    const Plugin plugin = load_plugin(file, run.device(), run.progress());
    run.log().line("plugin: {}, {}", file, plugin.compiled ? "compiled now" : "ready from before");
    return {plugin};
  } catch (const Error& error) {  // together with what was wrong in the case file so far
    input.add_error(error);
    input.throw_if_any();
    throw;
  }
}

}  // namespace ritz
