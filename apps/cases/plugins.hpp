// The plugin that a case file names: forms and elements of the user's own.
#pragma once

#include "apps/cases/run.hpp"
#include "fem/modules/plugin.hpp"

#include <vector>

namespace ritz {

// Compiled where needed; none when there is no key `plugin`. Errors are thrown together with those of the case.
std::vector<Plugin> load_plugins(Run& run);

}  // namespace ritz
